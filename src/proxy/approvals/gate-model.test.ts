import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Dice } from '../../../test/naive/bind-graph.ts';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { TestApprovals, type TestCall } from '../testing/test-approvals.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-15T00:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

const WAIT_MS = 5_000;
const EXPIRES_MS = 12_000;
const LOOK_MS = PROXY_LIMITS.approvalLookEveryMs;
const SESSION_MS = GATEWAY_LIMITS.approvalSessionMs;

interface Asked {
  readonly caller: string;
  readonly session: string;
  readonly tool: string;
  readonly n: number;
}
interface Question extends Asked {
  readonly id: string;
  readonly expiresAt: number;
  status: 'pending' | 'approved' | 'used' | 'denied' | 'expired';
  remember: 'none' | 'session' | 'always';
}
interface Waiting {
  readonly question: Question;
  readonly until: number;
  readonly settle: (outcome: string) => void;
}

/** The rules as lists and loops. */
class NaiveGate {
  now = 0;
  questions: Question[] = [];
  waiting: Waiting[] = [];
  remembered: { readonly caller: string; readonly tool: string; readonly scope: string; readonly until: number }[] = [];

  call(asked: Asked, settle: (outcome: string) => void): void {
    const { caller, session, tool, n } = asked;
    const isKnown = this.remembered.some(
      (one) =>
        one.caller === caller && one.tool === tool && [session, 'always'].includes(one.scope) && one.until > this.now,
    );
    const same = this.questions.filter(
      (one) => one.caller === caller && one.tool === tool && one.n === n && one.expiresAt > this.now,
    );
    const open = same.find(({ status }) => status === 'approved') ?? same.find(({ status }) => status === 'pending');
    if (isKnown && open?.status !== 'approved') {
      settle('remembered');
      return;
    }
    const question: Question = open ?? {
      ...asked,
      id: `apr_${this.questions.length + 1}`,
      expiresAt: this.now + EXPIRES_MS,
      status: 'pending',
      remember: 'none',
    };
    if (!open) this.questions.push(question);
    if (question.status === 'approved') this.pass(question, settle);
    else this.waiting.push({ question, until: this.now + WAIT_MS, settle });
  }

  pass(question: Question, settle: (outcome: string) => void): void {
    settle(question.status === 'approved' ? `used ${question.id}` : 'used by another');
    question.status = 'used';
  }

  /** A yes is remembered when it is given, for the session that the question showed. */
  rememberYes({ caller, tool, session, remember }: Question): void {
    if (remember === 'session') this.remembered.push({ caller, tool, scope: session, until: this.now + SESSION_MS });
    if (remember === 'always') this.remembered.push({ caller, tool, scope: 'always', until: Number.POSITIVE_INFINITY });
  }

  /** What a person says; false where it comes too late. */
  decide(question: Question, isYes: boolean, remember: 'none' | 'session' | 'always'): boolean {
    if (question.status !== 'pending' || question.expiresAt <= this.now) return false;
    question.status = isYes ? 'approved' : 'denied';
    question.remember = remember;
    if (isYes) this.rememberYes(question);
    const heard = this.leave(({ question: about }) => about === question);
    for (const { settle } of heard) {
      if (isYes) this.pass(question, settle);
      else settle('APPROVAL_DENIED');
    }
    return true;
  }

  advance(ms: number): void {
    for (const end = this.now + ms; this.now < end; ) {
      this.now += LOOK_MS;
      const isOver = ({ question: { expiresAt } }: Waiting) => expiresAt <= this.now;
      for (const { question, settle } of this.leave(isOver)) {
        question.status = 'expired';
        settle('APPROVAL_EXPIRED');
      }
      for (const { settle } of this.leave(({ until }) => until <= this.now)) settle('APPROVAL_PENDING');
    }
  }

  leave(goes: (one: Waiting) => boolean): Waiting[] {
    const going = this.waiting.filter(goes);
    this.waiting = this.waiting.filter((one) => !goes(one));
    return going;
  }
}

const turn = () => vi.advanceTimersByTimeAsync(0);

test('for random questions, decisions, waits and late answers each call ends as in a naive gate, and leaves nothing behind [gateway:V1] [gateway:V2]', async () => {
  for (let seed = 0; seed < 60; seed += 1) {
    const dice = new Dice(seed);
    const real = new TestApprovals({ settings: () => ({ expires_ms: EXPIRES_MS, wait_ms: WAIT_MS }) });
    const naive = new NaiveGate();
    const calls: { readonly call: TestCall; expected: string }[] = [];
    for (let step = 0; step < 30; step += 1) {
      const kind = dice.below(10);
      if (kind < 5) {
        const asked = {
          caller: dice.pick(['key:1', 'key:2']),
          session: dice.pick(['a', 'b']),
          tool: dice.pick(['t', 'u']),
          n: dice.below(2),
        };
        const { n, ...more } = asked;
        const entry = {
          call: real.call({ ...more, params: { arguments: { n } }, remember: 'always' }),
          expected: 'waits',
        };
        calls.push(entry);
        await turn();
        naive.call(asked, (outcome) => {
          entry.expected = outcome;
        });
      } else if (kind < 8 && naive.questions.length > 0) {
        const question = dice.pick(naive.questions);
        const [isYes, remember] = [dice.chance(0.7), dice.pick(['none', 'none', 'session', 'always'] as const)];
        const isTaken = naive.decide(question, isYes, remember);
        const decided = real.decide(question.id, isYes ? 'approve' : 'deny', { remember }).then(
          () => true,
          () => false,
        );
        await turn();
        expect(await decided).toBe(isTaken);
      } else {
        const ms = dice.pick([500, 2_000, 5_000]);
        await vi.advanceTimersByTimeAsync(ms);
        naive.advance(ms);
      }
      expect(calls.map(({ call }) => call.outcome)).toEqual(calls.map(({ expected }) => expected));
      expect(real.gate.waiting).toBe(naive.waiting.length);
    }
    await vi.advanceTimersByTimeAsync(EXPIRES_MS);
    expect([real.gate.waiting, real.gate.listenerCount('decided'), real.gate.listenerCount('ending')]).toEqual([
      0, 2, 0,
    ]);
  }
});
