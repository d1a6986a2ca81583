/** Work that pauses where others may get a turn. */
export type Steps<T> = Generator<unknown, T>;

/** Does all of some work at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Does some work, and gives others a turn wherever it pauses. */
export async function inTurns<T>(steps: Steps<T>, untilNextTurn: () => Promise<unknown>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await untilNextTurn();
  }
}
