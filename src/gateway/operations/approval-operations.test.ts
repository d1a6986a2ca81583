import { expect, test } from 'vitest';
import { rememberedId, sessionScope } from '../approval/approval.ts';
import { approvalOperations } from './approval-operations.ts';

const list = approvalOperations.find(({ id }) => id === 'gateway.approvals') as never as {
  run(input: object, deps: object, call: object): Promise<{ items: object[]; next_cursor: string | null }>;
  cli: { print(page: object, input: object): string };
};

const approve = approvalOperations.find(({ id }) => id === 'gateway.approve') as never as {
  run(input: object, deps: object, call: object): Promise<object>;
  cli: { print(output: object): string };
};

test('a list with further pages says how many more there are, and how to see them [gateway:V5]', async () => {
  const all = Array.from({ length: 250 }, (_, at) => ({
    id: `a${at}`,
    status: at < 130 ? 'pending' : 'used',
    server: 's',
    tool: 't',
    caller: 'local',
    created_at: 'now',
  }));
  const deps = {
    approvals: {
      list: (_filter: object, limit: number, offset: number) => all.slice(offset, offset + limit),
      count: () => all.length,
    },
  };
  const page = async (cursor?: string) =>
    list.cli.print(await list.run({ limit: 100, cursor }, deps, {}), { limit: 100, cursor });
  const lines = [await page(), await page('100'), await page('200')].map((text) => text.trimEnd().split('\n'));
  const more = (count: number, cursor: number) =>
    `${count} more: go on with --cursor ${cursor}, show more at once with --limit, or narrow with --status pending`;
  expect(lines.map((each) => [each.length, each.at(-1)])).toEqual([
    [101, more(150, 100)],
    [101, more(50, 200)],
    [50, 'a249\tused\ts/t\tlocal\tnow'],
  ]);
});

test('without a status the command shows pending approvals, and the number of the others', async () => {
  const item = (id: string, status: string) => ({ id, status, server: 's', tool: 't', caller: 'c', created_at: 'now' });
  const print = (items: readonly object[], input: object) =>
    list.cli.print({ items, next_cursor: null, total: items.length }, input);
  const both = [item('a', 'pending'), item('b', 'used'), item('c', 'denied')];
  expect([print(both, {}), print(both.slice(1), {}), print([], {}), print([], { status: 'used' })]).toEqual([
    'a\tpending\ts/t\tc\tnow\nnot shown: 2 that are over (--status approved, used, denied or expired)\n',
    'no call waits for approval; see them as they come: bindery approvals watch\nnot shown: 2 that are over (--status approved, used, denied or expired)\n',
    'no call waits for approval; see them as they come: bindery approvals watch\n',
    'there are none\n',
  ]);
  expect(print(both.slice(1, 2), { status: 'used' })).toBe('b\tused\ts/t\tc\tnow\n');
});

test.each([
  ['none', ''],
  [
    'session',
    'remembered: s/t for local, with any arguments, until the session ends, 2026-01-02T08:00:00.000Z at the latest\n',
  ],
  ['always', 'remembered: s/t for local, with any arguments, until it is revoked\n'],
])('an approval with --remember %s says what is remembered, and how it is revoked', async (remember, line) => {
  const key = { server: 's', tool: 't', caller: 'local', profile: 'default', session: 'one', client: null };
  const approval = { ...key, id: 'apr_1', surfaces: ['cli'], remember_allowed: 'always' };
  const decided = { ...approval, status: 'approved', remember, decided_at: '2026-01-02T00:00:00.000Z' };
  const deps = { approvals: { find: () => approval, decide: () => decided } };
  const output = await approve.run({ id: 'apr_1', remember }, deps, {});
  const scope = remember === 'session' ? sessionScope(decided as never) : 'always';
  const revoke = `revoke it: bindery approvals revoke ${rememberedId(key, scope)}\n`;
  expect(approve.cli.print(output)).toBe(`approved apr_1\n${line}${line === '' ? '' : revoke}`);
});
