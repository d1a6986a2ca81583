import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replayStore } from '../../src/civic/lifecycle/replay-store.ts';
import { type NaiveAction, NaiveArtefact } from '../../src/civic/lifecycle/testing/naive-artefact.ts';
import { address, ROUTES, vote } from '../../src/store/civic/testing/requests.ts';
import { skill } from '../../src/store/civic/testing/sample-corpus.ts';
import { createWriteRoom, HOUR, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';

const START = Date.parse('2026-11-02T00:00:00.000Z');
const RUNS = Number(process.env.CIVIC_MODEL_RUNS ?? 12);

const verdict = fc.constantFrom('confirm' as const, 'confirm' as const, 'reject' as const);
const voter = fc.nat(11).map((n) => address(n + 1));
const step = fc.oneof(
  { weight: 24, arbitrary: fc.record({ kind: fc.constant('vote' as const), verdict, address: voter }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('flag' as const), address: fc.constant('') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('decide' as const) }) },
);
const history = fc
  .array(fc.record({ step, gap: fc.oneof(fc.nat(3), fc.nat(120)) }), { minLength: 10, maxLength: 45 })
  .map((steps) => {
    let hour = 0;
    return steps.map(({ step: action, gap }): NaiveAction => {
      hour += gap;
      return { ...action, hour };
    });
  });
const start = fc.constantFrom('alpha' as const, 'beta' as const, 'stable' as const);

test('routes, store and clock together walk as the naive model does, and replay to where they are [civic:L1] [civic:L2] [civic:L12] [civic:PV3]', async () => {
  await fc.assert(
    fc.asyncProperty(start, history, async (state, actions) => {
      const room = await createWriteRoom({
        now: START,
        files: { 'skills/sample-move/canonical.md': skill('sample-move', state) },
      });
      const naive = new NaiveArtefact('skill', state, true);
      try {
        for (const [index, action] of actions.entries()) {
          await room.wait(START + action.hour * HOUR - room.deps.clock.now());
          await act(room, action, index);
          naive.act(action);
          expect(seen(room)).toEqual(naive.seen());
        }
        expect(replayStore(room.deps.store).equal).toBe(true);
      } finally {
        await room.close();
      }
    }),
    { numRuns: RUNS },
  );
});

async function act(room: WriteRoom, action: NaiveAction, index: number): Promise<void> {
  const rationale = { rationale: `Step ${index}.` };
  if (action.kind === 'vote') {
    await room.post(ROUTES.validation, vote(action.verdict, 'sample-move', rationale), action.address);
  } else if (action.kind === 'flag') {
    // A new address each time: what a dismissed one may do is another test's.
    const flag = vote('reject', 'sample-move', { ...rationale, injection_flag: true });
    await room.post(ROUTES.validation, flag, address(1000 + index));
  } else if (action.kind === 'decide') {
    const { body } = await room.review('/api/review?class=injection_quarantine');
    const [item] = body.items;
    if (item) await room.review(`/api/review/${item.queue_id}`, { decision: 'dismiss' });
  }
}

function seen(room: WriteRoom) {
  const artefact = room.deps.store.artefact('skill', 'sample-move');
  return { state: artefact?.state, enteredHour: ((artefact?.enteredAt ?? 0) - START) / HOUR };
}
