import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { type AnyOperation, defineOperation } from '../../contract/operation.ts';
import { civicFailures } from '../failures.ts';
import { replayStore } from '../lifecycle/replay-store.ts';
import { nextJobAt } from '../lifecycle/run-jobs.ts';
import type { WriteDeps } from '../submissions/write-deps.ts';
import { caseOperations } from './case-operations.ts';
import { erasureOperations } from './erasure-operations.ts';
import { mergeOperations } from './merge-operations.ts';
import { decideProvider } from './provider-operation.ts';
import { queueOperations } from './queue-operations.ts';

const replay = defineOperation({
  id: 'civic.replay',
  summary: 'Rebuild every state from the event log and compare it with the stored one.',
  input: z.strictObject({}),
  output: z.object({ equal: z.boolean(), events: z.int(), artefacts: z.int() }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  http: false,
  mcp: false,
  cli: {
    command: 'civic replay',
    print: ({ equal, events, artefacts }) =>
      `${equal ? 'equal' : 'DIFFERENT'}: ${events} events, ${artefacts} artefacts\n`,
    exit: ({ equal }) => (equal ? 0 : 1),
  },
  failures: civicFailures(),
  run: (_input, deps: WriteDeps) => replayStore(deps.store),
});

const moveClock = defineOperation({
  id: 'civic.move_test_clock',
  summary: 'Move the clock of a server that was started with a test clock, and run what became due.',
  input: z.strictObject({ now: z.iso.datetime({ offset: true, error: 'is not an RFC 3339 time' }) }),
  output: z.object({ now: z.string() }),
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  http: {
    method: 'PUT',
    path: '/v1/test/clock',
    meta: () => ({ headers: { 'cache-control': 'no-store' } }),
    access: 'open',
  },
  mcp: false,
  cli: false,
  failures: civicFailures(),
  admit: (deps: WriteDeps) => {
    if (!deps.testClock) throw new BinderyError('route_not_found');
  },
  run: async ({ now }, deps: WriteDeps) => {
    const clock = deps.testClock as NonNullable<WriteDeps['testClock']>;
    const target = Date.parse(now);
    if (target < clock.now()) throw new BinderyError('clock_backward');
    // Run each job at the time it is due: a long jump must end in the same state as a long wait.
    for (let next = nextJobAt(deps); next < target; next = nextJobAt(deps)) {
      clock.moveTo(Math.max(next, clock.now()));
      await deps.runJobs();
    }
    clock.moveTo(target);
    await deps.runJobs();
    return { now: new Date(target).toISOString() };
  },
});

/** The maintainer's operations; none of them is a tool [C7]. */
export const reviewOperations: readonly AnyOperation<WriteDeps>[] = [
  queueOperations.listQueue,
  // These must precede the routes with an id in the same place.
  ...mergeOperations,
  ...erasureOperations,
  ...caseOperations,
  queueOperations.readItem,
  decideProvider,
  queueOperations.decide,
  replay,
  moveClock,
];
