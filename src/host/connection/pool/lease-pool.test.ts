import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UpstreamError } from '../../../wire/upstream.ts';
import { type Lease, LeasePool } from './lease-pool.ts';

interface Opened {
  readonly number: number;
  readonly key: string;
  isOpen: boolean;
}

type Step =
  | { readonly do: 'acquire'; readonly key: string; readonly exclusive: boolean; readonly once: boolean }
  | { readonly do: 'release'; readonly at: number; readonly spent: boolean }
  | { readonly do: 'end'; readonly key: string }
  | { readonly do: 'left'; readonly key: string }
  | { readonly do: 'renew' }
  | { readonly do: 'crash'; readonly at: number }
  | { readonly do: 'give up'; readonly at: number };

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc
        .record({ do: fc.constant('acquire' as const), key, exclusive: fc.boolean(), once: fc.boolean() })
        .map((step) => ({ ...step, once: step.exclusive && step.once })),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('renew' as const) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('release' as const), at: fc.nat(9), spent: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), key }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('left' as const), key }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), at: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('give up' as const), at: fc.nat(9) }) },
  ),
  { maxLength: 40 },
);

/** Real connections of a pool, each of which takes so many turns to open and to close. */
class Connections {
  readonly all: Opened[] = [];
  alive = 0;
  most = 0;
  readonly #turns: () => number;
  readonly #fails: () => boolean;

  constructor(turns: () => number, fails: () => boolean) {
    this.#turns = turns;
    this.#fails = fails;
  }

  async open(owner: string): Promise<Opened> {
    this.alive += 1;
    this.most = Math.max(this.most, this.alive);
    for (let turn = this.#turns(); turn > 0; turn -= 1) await null;
    if (this.#fails()) {
      this.alive -= 1;
      throw new UpstreamError('refused', 'it does not start');
    }
    const opened = { number: this.all.length, key: owner, isOpen: true };
    this.all.push(opened);
    return opened;
  }

  async close(opened: Opened): Promise<void> {
    for (let turn = this.#turns(); turn > 0; turn -= 1) await null;
    this.end(opened);
  }

  end(opened: Opened): void {
    if (opened.isOpen) this.alive -= 1;
    opened.isOpen = false;
  }
}

interface Wanted {
  readonly id: number;
  readonly key: string;
  readonly exclusive: boolean;
  readonly once: boolean;
  readonly abort: AbortController;
}

/** A pool and who holds what of it. */
class Trial {
  readonly pool: LeasePool<Opened>;
  readonly connections: Connections;
  readonly held = new Map<number, { readonly lease: Lease<Opened>; readonly wanted: Wanted }>();
  readonly waiting = new Map<number, Wanted>();
  #next = 0;

  constructor(max: number, connections: Connections) {
    this.connections = connections;
    this.pool = new LeasePool<Opened>({
      max,
      waitMs: 60_000,
      waitersMax: 100,
      close: (opened) => connections.close(opened),
      now: () => 0,
    });
  }

  do(step: Step): void {
    if (step.do === 'acquire') this.#acquire(step.key, step.exclusive, step.once);
    else if (step.do === 'renew') this.pool.renew();
    else if (step.do === 'end') this.pool.end(step.key);
    else if (step.do === 'left') this.pool.left(step.key);
    else if (step.do === 'release') {
      const [id, one] = pick([...this.held], step.at) ?? [];
      if (id === undefined) return;
      this.held.delete(id);
      one?.lease.release(step.spent);
    } else if (step.do === 'crash') {
      const [, one] = pick([...this.held], step.at) ?? [];
      if (!one) return;
      this.connections.end(one.lease.connection);
      this.pool.lost(one.lease.connection);
    } else pick([...this.waiting.values()], step.at)?.abort.abort();
    this.#forgetLost();
  }

  /** Leases of connections that are gone are worth nothing, and their calls have failed. */
  #forgetLost(): void {
    for (const [id, { lease }] of this.held) {
      if (lease.connection.isOpen) continue;
      this.held.delete(id);
      lease.release();
    }
  }

  #acquire(owner: string, exclusive: boolean, once: boolean): void {
    const wanted = { id: this.#next++, key: owner, exclusive, once, abort: new AbortController() };
    this.waiting.set(wanted.id, wanted);
    const open = () => this.connections.open(owner);
    const granted = (lease: Lease<Opened>) => {
      this.waiting.delete(wanted.id);
      this.held.set(wanted.id, { lease, wanted });
    };
    const lease = this.pool.acquire({ key: owner, exclusive, once, open }, wanted.abort.signal);
    if (lease instanceof Promise) lease.then(granted, () => this.waiting.delete(wanted.id));
    else granted(lease);
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 60; turn += 1) await null;
    this.#forgetLost();
    for (let turn = 0; turn < 60; turn += 1) await null;
  }

  /** What must hold at any time. */
  broken(max: number): string[] {
    const users = Map.groupBy(this.held.values(), ({ lease }) => lease.connection);
    return [
      ...(this.connections.most > max ? ['more connections than allowed'] : []),
      ...[...users].flatMap(([{ key: owner }, each]) => [
        ...(each.some(({ wanted }) => wanted.key !== owner) ? ['a client has the connection of another'] : []),
        ...(each.length > 1 && each.some(({ wanted }) => wanted.exclusive) ? ['an exclusive lease is shared'] : []),
      ]),
    ];
  }

  async finish(): Promise<readonly number[]> {
    for (const { lease } of this.held.values()) lease.release();
    this.held.clear();
    for (const { abort } of this.waiting.values()) abort.abort();
    for (const owner of ['a', 'b', 'c', 'd', 'e']) this.pool.end(owner);
    await this.settle();
    return [this.pool.size, this.pool.waiting, this.connections.alive];
  }
}

function pick<T>(list: readonly T[], at: number): T | undefined {
  return list.length === 0 ? undefined : list[at % list.length];
}

interface NaivePlace {
  readonly key: string;
  readonly number: number;
  readonly users: Map<number, boolean>;
  turn: number;
  isLeft: boolean;
  /** Nobody gets it any more: it ends with its last user. */
  isOld: boolean;
}

/** The same as lists and loops, where connections open and close at once. */
class NaivePool {
  readonly max: number;
  places: NaivePlace[] = [];
  line: { id: number; key: string; exclusive: boolean; once: boolean }[] = [];
  opened = 0;
  turn = 0;
  next = 0;

  constructor(max: number) {
    this.max = max;
  }

  do(step: Step): void {
    if (step.do === 'acquire') {
      this.line.push({ id: this.next++, key: step.key, exclusive: step.exclusive, once: step.once });
      const last = this.line.at(-1) as (typeof this.line)[number];
      // Whoever has a connection that it may use passes the line.
      if (this.grantKnown(last)) this.line.pop();
    } else if (step.do === 'end') {
      this.line = this.line.filter((one) => one.key !== step.key);
      this.places = this.places.filter((place) => place.key !== step.key);
    } else if (step.do === 'left') {
      for (const place of this.places) if (place.key === step.key) place.isLeft = true;
    } else if (step.do === 'renew') {
      for (const place of this.places) place.isOld = true;
    } else if (step.do === 'give up') {
      const one = pick(this.line, step.at);
      this.line = this.line.filter((other) => other !== one);
    } else {
      const holder = pick(this.holders(), step.at);
      if (!holder) return;
      if (step.do === 'release') {
        holder.place.users.delete(holder.id);
        holder.place.turn = ++this.turn;
      }
      if (step.do === 'crash' || step.spent) this.places = this.places.filter((place) => place !== holder.place);
    }
    this.places = this.places.filter(({ isOld, users }) => !isOld || users.size > 0);
    this.serve();
  }

  holders() {
    return this.places
      .flatMap((place) => [...place.users.keys()].map((id) => ({ id, place })))
      .toSorted((a, b) => a.id - b.id);
  }

  grantKnown({ id, key: owner, exclusive, once }: (typeof this.line)[number]): boolean {
    const usable = this.places
      .filter((place) => place.key === owner && !place.isOld && !once)
      .filter(({ users }) => (exclusive ? users.size === 0 : ![...users.values()].includes(true)))
      .toSorted((a, b) => a.number - b.number)[0];
    if (!usable) return false;
    usable.users.set(id, exclusive);
    usable.turn = ++this.turn;
    usable.isLeft = false;
    return true;
  }

  serve(): void {
    for (let head = this.line[0]; head; head = this.line[0]) {
      if (!this.grantKnown(head)) {
        if (this.places.length >= this.max) {
          const idle = this.places.filter(({ users }) => users.size === 0);
          const out = idle.toSorted((a, b) => Number(b.isLeft) - Number(a.isLeft) || a.turn - b.turn)[0];
          if (!out) return;
          this.places = this.places.filter((place) => place !== out);
        }
        const users = new Map([[head.id, head.exclusive]]);
        this.places.push({
          key: head.key,
          number: this.opened++,
          users,
          turn: ++this.turn,
          isLeft: false,
          isOld: head.once,
        });
      }
      this.line.shift();
    }
  }
}

test('leases and the queue equal those of a naive pool, whatever clients and servers do [gateway:R2]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), steps, async (max, all) => {
      const trial = new Trial(
        max,
        new Connections(
          () => 0,
          () => false,
        ),
      );
      const naive = new NaivePool(max);
      for (const step of all) {
        trial.do(step);
        naive.do(step);
        await trial.settle();
        const held = [...trial.held].toSorted(([a], [b]) => a - b);
        expect({
          held: held.map(([id, { lease }]) => [id, lease.connection.number]),
          line: [...trial.waiting.keys()],
          broken: trial.broken(max),
        }).toEqual({
          held: naive.holders().map(({ id, place }) => [id, place.number]),
          line: naive.line.map(({ id }) => id),
          broken: [],
        });
      }
      expect(await trial.finish()).toEqual([0, 0, 0]);
    }),
    { numRuns: 300 },
  );
});

test('however slow and unreliable connections are, none is shared, none exceeds the limit and none leaks [gateway:R2]', async () => {
  const turns = fc.infiniteStream(fc.nat(5));
  const fails = fc.infiniteStream(fc.integer({ min: 0, max: 9 }));
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      steps,
      turns,
      fails,
      fc.infiniteStream(fc.nat(4)),
      async (max, all, takes, failing, pauses) => {
        const connections = new Connections(
          () => takes.next().value as number,
          () => failing.next().value === 0,
        );
        const trial = new Trial(max, connections);
        for (const step of all) {
          trial.do(step);
          for (let pause = pauses.next().value as number; pause > 0; pause -= 1) await null;
          expect(trial.broken(max)).toEqual([]);
        }
        await trial.settle();
        expect(trial.broken(max)).toEqual([]);
        expect(await trial.finish()).toEqual([0, 0, 0]);
      },
    ),
    { numRuns: 300 },
  );
});

test('a client that waits in vain gets `busy`; if the queue is full it does not wait [gateway:R2]', async () => {
  const pool = new LeasePool<object>({ max: 1, waitMs: 20, waitersMax: 1, close: async () => {}, now: () => 0 });
  const lessee = (owner: string) => ({ key: owner, exclusive: true, open: async () => ({}) });
  const { signal } = new AbortController();
  const first = await pool.acquire(lessee('a'), signal);
  const second = Promise.resolve(pool.acquire(lessee('b'), signal));
  await expect(pool.acquire(lessee('c'), signal)).rejects.toMatchObject({ kind: 'busy', retryAfterMs: 1_000 });
  await expect(second).rejects.toMatchObject({ kind: 'busy', message: expect.stringContaining('for 20 ms') });
  expect(pool.waiting).toBe(0);
  first.release();
  await expect(pool.acquire(lessee('c'), signal)).resolves.toMatchObject({ connection: {} });
});

/** A pool whose connections are objects with a name. */
