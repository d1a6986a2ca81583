/** Work that yields at points where other work may run. */
export type Steps<T> = Generator<unknown, T>;

/** Runs all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Runs the steps, and yields to the event loop wherever they pause. */
export async function inTurns<T>(steps: Steps<T>, untilNextTurn: () => Promise<unknown>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await untilNextTurn();
  }
}
