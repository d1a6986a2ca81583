import { type Signal, signal } from '@preact/signals';

const emptied: (() => void)[] = [];

/** Increases each time the stores are emptied; the page is then rebuilt. */
export const forgotten = perBrowser(0);

/** A store for what the gateway answered to one identity, or what that person typed: another identity finds it empty. */
export function perSession<T>(empty: T): Signal<T> {
  const store = signal(empty);
  whenForgotten(() => {
    store.value = empty;
  });
  return store;
}

/** A store for what belongs to the browser: a choice, the address, the time. It outlives a session. */
export function perBrowser<T>(value: T): Signal<T> {
  return signal(value);
}

export function whenForgotten(empty: () => void): void {
  emptied.push(empty);
}

/** Empties the stores of the session. */
export function forgetSession(): void {
  for (const empty of emptied) empty();
  forgotten.value += 1;
}
