import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { Dice } from '../../../test/naive/bind-graph.ts';
import { DEFAULT_SURFACES, type Surface } from '../../contract/approval-surfaces.ts';
import type { Approval, ApprovalDecision } from '../../gateway/approval/approval.ts';
import { ApprovalStore, pendingQuestion } from './approval-store.ts';

const at = (second: number) => new Date(Date.UTC(2026, 10, 15) + second * 1_000).toISOString();
const LIFE = 10;

interface Kept {
  approval: Approval;
  sealed: string | undefined;
  rounds: number;
}

function questionAt(id: string, second: number, dice: Dice): Approval {
  return {
    id,
    status: 'pending',
    server: dice.pick(['s', 's2']),
    tool: dice.pick(['t', 't2']),
    name: 'n',
    arguments: { id },
    masked: ['/id'],
    arguments_sha256: dice.pick(['x', 'y']),
    reason: null,
    rule: { file: null, line: null, pointer: null },
    caller: dice.pick(['me', 'you']),
    profile: dice.pick(['p', 'p2']),
    session: null,
    client: null,
    created_at: at(second),
    expires_at: at(second + LIFE),
    decided_at: null,
    decided_by: null,
    decided_via: null,
    decision_reason: null,
    remember: 'none',
    remember_allowed: 'always',
    surfaces: ['cli'],
    shown: '',
    call_id: 'c',
  };
}

/** The rules as a list and loops. */
class NaiveStore {
  kept: Kept[] = [];

  isSame(one: Approval, other: Approval): boolean {
    const names = ['caller', 'profile', 'server', 'tool', 'arguments_sha256'] as const;
    return names.every((name) => one[name] === other[name]);
  }
  current(asked: Approval, now: string): Approval | undefined {
    const open = this.kept.filter(({ approval }) => this.isSame(approval, asked) && approval.expires_at > now);
    const of = (status: string) => open.find(({ approval }) => approval.status === status)?.approval;
    return of('approved') ?? of('pending');
  }
  add(approval: Approval, sealed: string): Approval {
    const known = this.current(approval, approval.created_at);
    if (!known) this.kept.push({ approval, sealed, rounds: 0 });
    return known ?? approval;
  }
  find(id: string): Kept | undefined {
    return this.kept.find(({ approval }) => approval.id === id);
  }
  /** Changes the status of one that is in the first; whether it was. */
  move(id: string, from: string, to: Approval['status'], more: Partial<Approval> = {}): boolean {
    const one = this.find(id);
    if (one?.approval.status !== from) return false;
    one.approval = { ...one.approval, ...more, status: to };
    if (to !== 'approved') one.sealed = undefined;
    return true;
  }
  isAlive(id: string, now: string): boolean {
    return (this.find(id)?.approval.expires_at ?? '') > now;
  }
  decide(id: string, { decision, by, via, reason, remember }: ApprovalDecision, now: string): boolean {
    const said = { decided_at: now, decided_by: by, decided_via: via, decision_reason: reason ?? null };
    const to = decision === 'approve' ? 'approved' : 'denied';
    return this.isAlive(id, now) && this.move(id, 'pending', to, { ...said, remember: remember ?? 'none' });
  }
  due(now: string): string[] {
    return this.kept
      .map(({ approval }) => approval)
      .filter(({ status, expires_at }) => (status === 'pending' || status === 'approved') && expires_at <= now)
      .map(({ id }) => id);
  }
  reclaim(keptSince: string): void {
    this.kept = this.kept.filter(
      ({ approval: { status, created_at } }) =>
        status === 'pending' || status === 'approved' || created_at >= keptSince,
    );
  }
  inOrder(): Approval[] {
    const rank = ({ status }: Approval) => (status === 'pending' ? 0 : 1);
    return this.kept
      .map(({ approval }) => approval)
      .toSorted((a, b) => rank(a) - rank(b) || a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id));
  }
}

function compare(store: ApprovalStore, naive: NaiveStore, now: string, dice: Dice): void {
  const all = naive.inOrder();
  expect(store.list({}, 100, 0)).toEqual(all);
  const profiles = dice.pick([undefined, ['p'], ['p', 'p2'], []]);
  const status = dice.pick([undefined, 'pending', 'used'] as const);
  const matching = all.filter(
    (one) => (!status || one.status === status) && (!profiles || profiles.includes(one.profile)),
  );
  expect([store.count({ status, profiles }), store.list({ status, profiles }, 2, 1)]).toEqual([
    matching.length,
    matching.slice(1, 3),
  ]);
  const byTime = all.toSorted((a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id));
  expect([store.newest(3), store.due(now).sort(), store.pendingCount()]).toEqual([
    byTime.slice(-3),
    naive.due(now).sort(),
    all.filter((one) => one.status === 'pending').length,
  ]);
  const pending = all.filter((one) => one.status === 'pending' && one.expires_at > now);
  expect(store.pending(now).sort((a, b) => a.id.localeCompare(b.id))).toEqual(
    pending
      .map((one) => ({ id: one.id, caller: one.caller, party: one.caller, bytes: JSON.stringify(one).length }))
      .sort((a, b) => a.id.localeCompare(b.id)),
  );
  for (const { approval, sealed, rounds } of naive.kept) {
    const { id } = approval;
    expect([store.find(id), store.statusOf(id), store.sealed(id)]).toEqual([approval, approval.status, sealed]);
    expect(store.roundsOf(id)).toBe(approval.status === 'used' ? rounds : undefined);
  }
}

test('questions are asked, decided, used and dropped as in a naive store, whatever comes when [gateway:V1] [gateway:V2]', () => {
  for (let seed = 0; seed < 40; seed += 1) {
    const dice = new Dice(seed);
    const store = new ApprovalStore(new DatabaseSync(':memory:'));
    const naive = new NaiveStore();
    let second = 0;
    for (let step = 0; step < 40; step += 1) {
      const now = at(second);
      const id = `q${String(dice.below(Math.max(1, step))).padStart(2, '0')}`;
      const kind = dice.below(10);
      if (kind < 4) {
        const asked = questionAt(`q${String(step).padStart(2, '0')}`, second, dice);
        expect(store.add(asked, `sealed ${step}`)).toEqual(naive.add(asked, `sealed ${step}`));
        expect(store.current(asked, now)).toEqual(naive.current(asked, now));
      } else if (kind < 6) {
        const said: ApprovalDecision = {
          decision: dice.pick(['approve', 'approve', 'deny']),
          by: 'ada',
          via: dice.pick(['cli', 'console'] as Surface[]),
          ...dice.pick([{}, { reason: 'why', remember: 'session' as const }]),
        };
        const isTaken = naive.decide(id, said, now);
        expect(store.decide(id, said, now)).toEqual(isTaken ? naive.find(id)?.approval : undefined);
      } else if (kind === 6) {
        expect(store.use(id, now)).toBe(naive.isAlive(id, now) && naive.move(id, 'approved', 'used'));
        const one = naive.find(id);
        const round = dice.below(2);
        const goesOn = one?.approval.status === 'used' && one.rounds === round;
        if (one && goesOn) one.rounds += 1;
        expect(store.useRound(id, round)).toBe(goesOn);
      } else if (kind === 7) expect(store.withdraw(id)).toBe(naive.move(id, 'pending', 'expired'));
      else if (kind === 8) {
        const due = naive.due(now);
        for (const one of due) naive.move(one, naive.find(one)?.approval.status ?? '', 'expired');
        expect(store.expire(now).sort()).toEqual(due.sort());
        const since = at(second - dice.below(12));
        store.reclaim(now, since);
        naive.reclaim(since);
      } else second += dice.below(6);
      compare(store, naive, at(second), dice);
    }
  }
});

test('rows of an older version are read with defaults for missing members', () => {
  const database = new DatabaseSync(':memory:');
  const store = new ApprovalStore(database);
  const { masked: _masked, surfaces: _surfaces, ...older } = questionAt('old', 0, new Dice(1));
  store.add(older as Approval, 'sealed');
  database.exec('UPDATE approvals SET party = NULL');
  expect([store.find('old')?.masked, store.find('old')?.surfaces, store.pending(at(0))[0]?.party]).toEqual([
    [],
    DEFAULT_SURFACES,
    older.caller,
  ]);
  const row = { id: 1, caller: 'me', party: null, body: 'ä' };
  expect([pendingQuestion(row), pendingQuestion({ ...row, party: 'p' }).party]).toEqual([
    { id: '1', caller: 'me', party: 'me', bytes: 2 },
    'p',
  ]);
});
