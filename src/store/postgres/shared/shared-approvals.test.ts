import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Approval } from '../../../gateway/approval/approval.ts';
import { GATEWAY_LIMITS } from '../../../gateway/limits.ts';
import { startPostgres, type TestPostgres } from '../testing/start-postgres.ts';
import { until } from '../testing/until.ts';
import type { SharedApprovals } from './shared-approvals.ts';
import { openNode, type TestNode } from './testing/open-node.ts';

const NOW = '2026-10-01T12:00:00.000Z';
const LATER = '2026-10-01T12:30:00.000Z';
const yes = { decision: 'approve', by: 'admin', via: 'console' } as const;

let postgres: TestPostgres;
const nodes: TestNode[] = [];
const nodeOn = async (url: string, dir?: string) => {
  const node = await openNode(url, dir);
  nodes.push(node);
  return node;
};
const twoNodes = async () => {
  const url = await postgres.newDatabase();
  return [await nodeOn(url), await nodeOn(url)] as const;
};

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await postgres.stop();
});

test('a question that is asked at one node is answered at another, and the first hears of it [gateway:V1] [gateway:R4]', async () => {
  const [a, b] = await twoNodes();
  const heard: string[] = [];
  a.registry.on('changed', (rows) => heard.push(...rows.map(({ content }) => String(content?.status))));
  await a.approvals.add(question('one'), 'sealed');
  await until(() => b.store.find('one') !== undefined);
  const decided = await b.approvals.decide('one', { ...yes, reason: 'it is fine' }, NOW);
  await until(() => a.store.find('one')?.status === 'approved');
  expect([heard, a.store.find('one'), b.store.find('one'), decided?.decision_reason]).toEqual([
    ['approved'],
    decided,
    decided,
    'it is fine',
  ]);
});

test('of fifty concurrent uses at two nodes one wins, and the same holds for rounds and decisions [gateway:V1]', async () => {
  const [a, b] = await twoNodes();
  await a.approvals.add(question('raced'), 'sealed');
  const decisions = await race(a, b, (approvals, index) => approvals.decide('raced', { ...yes, by: `p${index}` }, NOW));
  const uses = await race(a, b, (approvals) => approvals.use('raced', NOW));
  const rounds = await race(a, b, (approvals) => approvals.useRound('raced', 0));
  await Promise.all([a.registry.catchUp(), b.registry.catchUp()]);
  expect([
    decisions.filter((decided) => decided !== undefined).length,
    uses.filter(Boolean).length,
    rounds.filter(Boolean).length,
    [a, b].map(({ store }) => [store.find('raced')?.status, store.roundsOf('raced')]),
  ]).toEqual([
    1,
    1,
    1,
    [
      ['used', 1],
      ['used', 1],
    ],
  ]);
});

test('equal calls at two nodes at once are one question [gateway:V2]', async () => {
  const [a, b] = await twoNodes();
  const asked = await race(a, b, (approvals, index) => approvals.add(question(`q${index}`), 'sealed'));
  await Promise.all([a.registry.catchUp(), b.registry.catchUp()]);
  const pending = a.store.list({ status: 'pending' }, 100, 0).length;
  const other = await b.approvals.add({ ...question('other'), arguments_sha256: 'different' }, 'sealed');
  expect([new Set(asked.map(({ id }) => id)).size, pending, other.id]).toEqual([1, 1, 'other']);
});

test('an expired request is expired by exactly one node, and cannot be used then [gateway:V1]', async () => {
  const [a, b] = await twoNodes();
  await a.approvals.add(question('old'), 'sealed');
  await b.approvals.decide('old', yes, NOW);
  await a.registry.catchUp();
  const expired = (await Promise.all([a.approvals.expire(LATER), b.approvals.expire(LATER)])).flat();
  await Promise.all([a.registry.catchUp(), b.registry.catchUp()]);
  expect([
    expired,
    await a.approvals.use('old', NOW),
    await b.approvals.use('old', LATER),
    [a, b].map(({ store }) => store.find('old')?.status),
  ]).toEqual([['old'], false, false, ['expired', 'expired']]);
});

test('an approval that a person remembers counts at every node', async () => {
  const [a, b] = await twoNodes();
  const key = { caller: 'ada', profile: 'default', server: 'files', tool: 'write' };
  await a.approvals.add({ ...question('asked'), ...key }, 'sealed');
  await a.approvals.decide('asked', { ...yes, via: 'console', remember: 'always' }, NOW);
  await b.approvals.refresh();
  expect([
    b.approvals.remembered(key, ['always'], ['console'], NOW) !== undefined,
    b.approvals.remembered({ ...key, caller: 'bob' }, ['always'], ['console'], NOW) !== undefined,
    b.approvals.remembered(key, ['always'], ['client'], NOW) !== undefined,
  ]).toEqual([true, false, false]);
  const [listed] = b.store.allRemembered(NOW);
  expect([listed?.approval_id, await b.approvals.forget(listed?.id ?? '')]).toEqual(['asked', true]);
  await a.approvals.refresh();
  expect([a.store.allRemembered(NOW), await a.approvals.use('asked', NOW)]).toEqual([[], false]);
});

test('without the database every change fails at once with its code, and nothing of it is done [gateway:R14]', async () => {
  const url = await postgres.newDatabase();
  const way = await postgres.cuttable(url);
  const [a, b] = [await nodeOn(url), await nodeOn(way.url)];
  await a.approvals.add(question('kept'), 'sealed');
  await a.approvals.decide('kept', yes, NOW);
  await b.approvals.refresh();
  await way.cut();
  const codes = await Promise.all(
    [
      b.approvals.refresh(),
      b.approvals.add(question('new'), 'sealed'),
      b.approvals.decide('kept', yes, NOW),
      b.approvals.use('kept', NOW),
    ].map((work) => work.then(String, (thrown: { code: string }) => thrown.code)),
  );
  await until(() => !b.database.isReachable);
  await way.mend();
  await b.database.whenReachable();
  await b.approvals.refresh();
  expect([new Set(codes), b.store.find('new'), await b.approvals.use('kept', NOW)]).toEqual([
    new Set(['STORE_UNAVAILABLE']),
    undefined,
    true,
  ]);
});

test('the exact arguments are at every node while they may be sent, and at none afterwards', async () => {
  const [a, b] = await twoNodes();
  const sealedAt = async () => {
    await Promise.all([a.registry.catchUp(), b.registry.catchUp()]);
    return ['sent', 'denied'].map((id) => [a.store.sealed(id), b.store.sealed(id)]);
  };
  for (const id of ['sent', 'denied']) await a.approvals.add({ ...question(id), arguments_sha256: id }, `sealed ${id}`);
  const asked = await sealedAt();
  await b.approvals.decide('sent', yes, NOW);
  await b.approvals.decide('denied', { ...yes, decision: 'deny' }, NOW);
  const decided = await sealedAt();
  await a.approvals.use('sent', NOW);
  expect([asked, decided, await sealedAt()]).toEqual([
    [
      ['sealed sent', 'sealed sent'],
      ['sealed denied', 'sealed denied'],
    ],
    [
      ['sealed sent', 'sealed sent'],
      [undefined, undefined],
    ],
    [
      [undefined, undefined],
      [undefined, undefined],
    ],
  ]);
});

test('a caller may not have more questions at two nodes than at one', async () => {
  const [a, b] = await twoNodes();
  const { approvalsPendingPerCallerMax } = GATEWAY_LIMITS;
  const asked = await Promise.all(
    Array.from({ length: approvalsPendingPerCallerMax + 4 }, (_, index) =>
      (index % 2 ? a : b).approvals.add({ ...question(`q${index}`), arguments_sha256: `q${index}` }, 'sealed').then(
        ({ status }) => status,
        ({ code }: { code: string }) => code,
      ),
    ),
  );
  const counted = (outcome: string) => asked.filter((one) => one === outcome).length;
  await b.approvals.decide('q0', yes, NOW);
  const other = await a.approvals.add({ ...question('other'), arguments_sha256: 'other' }, 'sealed');
  expect([counted('pending'), counted('TOO_MANY_APPROVALS'), other.id]).toEqual([
    approvalsPendingPerCallerMax,
    4,
    'other',
  ]);
});

/** Fifty tries, half of them at each node, all at once. */
function race<T>(a: TestNode, b: TestNode, attempt: (approvals: SharedApprovals, index: number) => Promise<T>) {
  return Promise.all(Array.from({ length: 50 }, (_, index) => attempt((index % 2 ? a : b).approvals, index)));
}

function question(id: string): Approval {
  return {
    id,
    status: 'pending',
    server: 'files',
    tool: 'write',
    name: 'files__write',
    arguments: { path: '/tmp/x' },
    masked: [],
    arguments_sha256: 'digest',
    reason: null,
    rule: { file: null, line: null, pointer: null },
    caller: 'ada',
    profile: 'default',
    session: null,
    client: null,
    created_at: '2026-10-01T11:59:00.000Z',
    expires_at: '2026-10-01T12:10:00.000Z',
    decided_at: null,
    decided_by: null,
    decided_via: null,
    decision_reason: null,
    remember: 'none',
    remember_allowed: 'never',
    surfaces: ['console', 'cli', 'webhook'],
    shown: 'Allow files/write?',
    call_id: 'call',
  };
}
