import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Status } from '../config.ts';
import { applyEvent, castVote, evaluate } from './apply-event.ts';
import { type Artefact, type ArtefactType, takesVotes } from './artefact.ts';
import { decideTransition, nextDecisionAt } from './decide-transition.ts';
import type { LifecycleChange, LifecycleEvent } from './events.ts';
import { replayEvents } from './replay-events.ts';
import { type NaiveAction, NaiveArtefact } from './testing/naive-artefact.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-11-02T00:00:00Z');

/** Drives the machine as the server does: an event per act, and an evaluation whenever time alone may move it. */
class Driven {
  readonly events: LifecycleEvent[] = [];
  artefact: Artefact;
  #voters = new Map<string, number>();

  constructor(type: ArtefactType, state: Status) {
    this.artefact = applyEvent(undefined, this.#event(START, { kind: 'adopted', version: '1.0.0', state }, type));
  }

  act({ hour, ...action }: NaiveAction): void {
    this.waitUntil(START + hour * HOUR);
    const at = START + hour * HOUR;
    switch (action.kind) {
      case 'vote': {
        if (action.address === 'submitter') return;
        const key = `${this.artefact.epoch}/${action.address}`;
        const replaces = this.#voters.get(key);
        const event = this.#record(at, {
          kind: 'vote',
          verdict: action.verdict,
          counted: true,
          ...(replaces === undefined ? {} : { replaces }),
        });
        this.#voters.set(key, event.seq);
        return;
      }
      case 'flag':
        this.#record(at, { kind: 'flag', counted: action.address !== 'submitter' });
        return;
      case 'merge':
        if (this.artefact.state === 'quarantined' || this.artefact.state === 'draft') return;
        this.#record(at, { kind: 'merged', version: `1.${this.events.length}.0`, editorial: action.editorial });
        return;
      case 'decide':
        if (this.artefact.state !== 'quarantined') return;
        this.#record(at, { kind: 'decided', decision: 'dismiss' });
    }
  }

  waitUntil(now: number): void {
    let from = this.events.at(-1)?.at ?? START;
    for (;;) {
      const due = nextDecisionAt(this.artefact, from);
      if (due === undefined || due > now) return;
      if (decideTransition(this.artefact, due) !== undefined) this.#record(due, { kind: 'evaluated' });
      from = due;
    }
  }

  #record(at: number, change: LifecycleChange): LifecycleEvent {
    const event = this.#event(at, change, this.artefact.type);
    this.artefact = applyEvent(this.artefact, event);
    return event;
  }

  #event(at: number, change: LifecycleChange, type: ArtefactType): LifecycleEvent {
    const event = { ...change, seq: this.events.length + 1, at, type, id: 'a' };
    this.events.push(event);
    return event;
  }
}

interface Cast {
  readonly verdict: 'confirm' | 'reject';
  readonly address: string;
  readonly hour: number;
}

/** The same machine, but looked at only when a day is over: all votes of a day are cast before. */
class DayByDay {
  artefact: Artefact;
  #day = 0;
  #seq = 1;
  #voters = new Map<string, number>();

  constructor(type: ArtefactType, state: Status) {
    const adopted = { kind: 'adopted', version: '1.0.0', state, seq: 1, at: START, type, id: 'a' } as const;
    this.artefact = applyEvent(undefined, adopted);
  }

  /** The state at the end of a day on which these votes were cast, in this order. */
  pass(votes: readonly Cast[]): { state: Status; enteredAt: number; confirms: number; rejects: number } {
    for (const { verdict, address, hour } of votes) {
      if (!takesVotes(this.artefact.state)) break;
      const key = `${this.artefact.epoch}/${address}`;
      const replaces = this.#voters.get(key);
      const event = { kind: 'vote', verdict, counted: true, type: this.artefact.type, id: 'a' } as const;
      const place = { seq: ++this.#seq, at: START + (this.#day * 24 + hour) * HOUR };
      this.artefact = castVote(this.artefact, { ...event, ...place, ...(replaces === undefined ? {} : { replaces }) });
      this.#voters.set(key, this.#seq);
    }
    this.#day++;
    this.artefact = evaluate(this.artefact, START + this.#day * 24 * HOUR);
    const { state, enteredAt, votes: counted } = this.artefact;
    const confirms = counted.filter((vote) => vote.verdict === 'confirm').length;
    return { state, enteredAt, confirms, rejects: counted.length - confirms };
  }
}

const verdict = fc.constantFrom('confirm' as const, 'confirm' as const, 'reject' as const);
const address = fc.oneof(fc.nat(14).map(String), fc.constant('submitter'));
const anyAction = fc.oneof(
  { weight: 20, arbitrary: fc.record({ kind: fc.constant('vote' as const), verdict, address }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('flag' as const), address }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('merge' as const), editorial: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('decide' as const) }) },
);
const anyActions = fc
  .array(fc.record({ action: anyAction, gap: fc.oneof(fc.nat(3), fc.nat(100)) }), { maxLength: 50 })
  .map((steps) => {
    let hour = 0;
    return steps.map(({ action, gap }) => {
      hour += gap;
      return { ...action, hour };
    });
  });
const anyType = fc.constantFrom<ArtefactType>('skill', 'path', 'reference', 'concern');
const anyStart = fc.constantFrom<Status>('alpha', 'beta', 'stable');

describe('the state machine', () => {
  test('walks as a naive model that looks at everything every hour does [civic:L1] [civic:L2] [civic:L3]', () => {
    fc.assert(
      fc.property(anyType, anyStart, anyActions, fc.nat(400), (type, state, actions, rest) => {
        const driven = new Driven(type, state);
        const naive = new NaiveArtefact(type, state);
        for (const action of actions) {
          driven.act(action);
          naive.act(action);
          expect(seen(driven.artefact)).toEqual(naive.seen());
        }
        const end = (actions.at(-1)?.hour ?? 0) + rest;
        driven.waitUntil(START + end * HOUR);
        naive.waitUntil(end);
        expect(seen(driven.artefact)).toEqual(naive.seen());
      }),
      { numRuns: Number(process.env.CIVIC_PROPERTY_RUNS ?? 1000) },
    );
  });

  test('replaying the events gives the same artefact [civic:L12]', () => {
    fc.assert(
      fc.property(anyType, anyStart, anyActions, (type, state, actions) => {
        const driven = new Driven(type, state);
        for (const action of actions) driven.act(action);
        expect(replayEvents(driven.events).artefacts.get(`${type}:a`)).toEqual(driven.artefact);
      }),
      { numRuns: 300 },
    );
  });

  test('a submitter’s own votes and flags move nothing [civic:PV4]', () => {
    fc.assert(
      fc.property(anyType, anyStart, fc.array(verdict, { maxLength: 20 }), (type, state, verdicts) => {
        const driven = new Driven(type, state);
        verdicts.forEach((one, index) => {
          driven.act({ kind: 'vote', verdict: one, address: 'submitter', hour: index * 20 });
          driven.act({ kind: 'flag', address: 'submitter', hour: index * 20 });
        });
        driven.waitUntil(START + 5000 * HOUR);
        expect(seen(driven.artefact)).toEqual({ state, enteredHour: 0 });
      }),
    );
  });

  test('votes of one day lead to the same place in any order, unless one order has already moved it [civic:L2]', () => {
    const day = fc
      .uniqueArray(fc.record({ verdict, address: fc.nat(14).map(String) }), {
        selector: (cast) => cast.address,
        maxLength: 14,
      })
      .chain((votes) => fc.tuple(fc.constant(votes), fc.shuffledSubarray(votes, { minLength: votes.length })));
    let compared = 0;
    fc.assert(
      fc.property(anyType, anyStart, day, day, (type, state, [monday, mondayTurned], [friday, fridayTurned]) => {
        const [one, other] = [new Driven(type, state), new Driven(type, state)];
        const cast = (driven: Driven, votes: typeof monday, hour: number) => {
          const before = driven.artefact;
          for (const vote of votes) driven.act({ kind: 'vote', ...vote, hour });
          return driven.artefact.state === before.state && driven.artefact.epoch === before.epoch;
        };
        const isStill =
          [cast(one, monday, 5), cast(other, mondayTurned, 5)].every(Boolean) &&
          [cast(one, friday, 100), cast(other, fridayTurned, 100)].every(Boolean);
        if (!isStill) return;
        compared++;
        one.waitUntil(START + 2000 * HOUR);
        other.waitUntil(START + 2000 * HOUR);
        expect(seen(one.artefact)).toEqual(seen(other.artefact));
      }),
      { numRuns: 500 },
    );
    expect(compared).toBeGreaterThan(100);
  });

  test('looked at when a day is over, any votes lead to the same states in any order and at any hour of their days [civic:L2]', () => {
    const cast = fc.record({ verdict, address: fc.nat(14).map(String), hour: fc.nat(23) });
    const day = fc.uniqueArray(cast, { selector: (one) => one.address, maxLength: 8 }).chain((votes) =>
      fc.record({
        votes: fc.constant(votes),
        turned: fc.shuffledSubarray(votes, { minLength: votes.length }),
        hours: fc.array(fc.nat(23), { minLength: votes.length, maxLength: votes.length }),
        rest: fc.oneof(fc.constant(0), fc.nat(20)),
      }),
    );
    const visited = new Set<string>();
    fc.assert(
      fc.property(anyType, anyStart, fc.array(day, { maxLength: 12 }), (type, state, days) => {
        const [one, other] = [new DayByDay(type, state), new DayByDay(type, state)];
        for (const { votes, turned, hours, rest } of days) {
          const seenThere = other.pass(turned.map((vote, index) => ({ ...vote, hour: hours[index] as number })));
          expect(one.pass(votes)).toEqual(seenThere);
          visited.add(`${state} ${seenThere.state}`);
          for (let idle = 0; idle < rest; idle++) expect(one.pass([])).toEqual(other.pass([]));
        }
      }),
      { numRuns: 500 },
    );
    const walks = ['alpha alpha', 'alpha beta', 'alpha draft', 'beta alpha', 'beta stable', 'stable beta'];
    expect(walks.filter((walk) => !visited.has(walk))).toEqual([]);
  });

  test('a vote of the same address replaces its earlier one, for the day count too [civic:L2]', () => {
    const driven = new Driven('reference', 'alpha');
    driven.act({ kind: 'vote', verdict: 'confirm', address: '1', hour: 0 });
    driven.act({ kind: 'vote', verdict: 'confirm', address: '2', hour: 0 });
    driven.act({ kind: 'vote', verdict: 'confirm', address: '1', hour: 30 });
    const moved = new Driven('reference', 'alpha');
    moved.act({ kind: 'vote', verdict: 'confirm', address: '1', hour: 0 });
    moved.act({ kind: 'vote', verdict: 'confirm', address: '2', hour: 25 });
    moved.act({ kind: 'vote', verdict: 'confirm', address: '1', hour: 26 });
    expect([driven.artefact.state, driven.artefact.votes.length, moved.artefact.state]).toEqual(['beta', 2, 'beta']);
  });
});

function seen({ state, enteredAt }: Artefact) {
  return { state, enteredHour: (enteredAt - START) / HOUR };
}
