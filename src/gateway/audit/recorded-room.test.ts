import { expect, test } from 'vitest';
import { BinderyError } from '../../contract/errors.ts';
import type { AnyOperation, Call, Room } from '../../contract/operation.ts';
import type { AuditEntry } from './audit-record.ts';
import { type AdminRecorder, recordedAfterwards, recordedOperation, recordedRoom } from './recorded-room.ts';

const TIME = '2026-11-17T00:00:00.000Z';
const CALL = { caller: 'ada' } as unknown as Call;

/** What was recorded and done, in order; a record that cannot be made leaves a mark as well. */
function openRecorder(isFull: (entry: AuditEntry) => boolean = () => false) {
  const story: unknown[] = [];
  const recorder: AdminRecorder = {
    append: async (entry) => {
      story.push(entry);
      if (isFull(entry)) throw new BinderyError('STORE_UNAVAILABLE');
    },
    newCallId: () => `id-${story.length}`,
    now: () => TIME,
    mask: (value) => ({ masked: value }),
    actor: (call) => `actor ${(call as unknown as { caller: string }).caller}`,
  };
  const operation = (run: () => unknown, readOnly = false): AnyOperation =>
    ({
      id: 'gateway.thing',
      hints: { readOnly },
      failures: { internal: 'INTERNAL' },
      run: async () => {
        story.push('done');
        return run();
      },
    }) as unknown as AnyOperation;
  return { story, recorder, operation };
}

const begin = (more: object, input: unknown) => ({
  ...{ kind: 'admin', phase: 'begin', call_id: 'id-0', time: TIME, caller: 'actor ada', action: 'gateway.thing' },
  ...more,
  arguments: { masked: input },
});
const end = (more: object) => ({ kind: 'admin', phase: 'end', call_id: 'id-0', time: TIME, ...more });

test.each<[string, unknown, object]>([
  ['all names', { server: 's', tool: 't', name: 'n' }, { server: 's', tool: 't', name: 'n' }],
  ['a server alone', { server: 's' }, { server: 's' }],
  ['names that are no text', { server: 1, tool: null, name: {} }, {}],
  ['nothing', undefined, {}],
])('a change of %s is recorded before it happens, and how it ended', async (_what, input, names) => {
  const { story, recorder, operation } = openRecorder();
  const output = await recordedOperation(
    operation(() => 'output'),
    recorder,
  ).run(input as never, {}, CALL);
  expect([output, story]).toEqual(['output', [begin(names, input), 'done', end({ outcome: 'ok' })]]);
});

test.each([
  [new BinderyError('POLICY_INVALID'), 'policy_invalid'],
  [new Error('disk'), 'internal'],
])('a change that fails with %s ends as denied by %s, and fails all the same', async (thrown, rule) => {
  const { story, recorder, operation } = openRecorder();
  const run = recordedOperation(
    operation(() => {
      throw thrown;
    }),
    recorder,
  ).run({} as never, {}, CALL);
  await expect(run).rejects.toBe(thrown);
  expect(story).toEqual([begin({}, {}), 'done', end({ outcome: 'denied', rule: { rule } })]);
});

test('an operation that cannot be recorded does not run', async () => {
  const { story, recorder, operation } = openRecorder(({ phase }) => phase === 'begin');
  const run = recordedOperation(
    operation(() => 'output'),
    recorder,
  ).run({} as never, {}, CALL);
  await expect(run).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(story).toEqual([begin({}, {})]);
});

test('read-only operations of a room stay unchanged, and all others are recorded', async () => {
  const { story, recorder, operation } = openRecorder();
  const reads = operation(() => 'read', true);
  const writes = operation(() => 'written');
  const room = recordedRoom({ name: 'r', operations: [reads, writes] } as unknown as Room<unknown>, recorder);
  expect([room.operations.length, room.operations[0] === reads]).toEqual([2, true]);
  await room.operations[1]?.run({} as never, {}, CALL);
  expect(story).toEqual([begin({}, {}), 'done', end({ outcome: 'ok' })]);
});

test('an operation that writes its own record first is recorded afterwards, if it changed anything', async () => {
  const { story, recorder, operation } = openRecorder();
  const single = (call_id: string, input: unknown) => ({
    ...{ kind: 'admin', phase: 'single', call_id, time: TIME, caller: 'actor ada', action: 'gateway.thing' },
    ...{ arguments: { masked: input }, outcome: 'ok' },
  });
  const run = (output: unknown, hasChanged?: (output: unknown) => boolean) =>
    recordedAfterwards(
      operation(() => output),
      recorder,
      hasChanged,
    ).run({ in: 1 } as never, {}, CALL);
  expect([await run('one'), await run('same', (output) => output !== 'same')]).toEqual(['one', 'same']);
  expect(story).toEqual(['done', single('id-1', { in: 1 }), 'done']);
  const failing = recordedAfterwards(
    operation(() => Promise.reject(new Error('no'))),
    recorder,
  ).run({} as never, {}, CALL);
  await expect(failing).rejects.toThrow('no');
  expect(story.length).toBe(4);
});
