import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { BinderyError } from './errors.ts';
import { collectStream, IncomingBodies, type IncomingBody, incomingBodies } from './incoming-bodies.ts';

const never = () => {
  throw new Error('given up');
};

test('a body is what its pieces are, and nothing is kept of it', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40_000 }), { maxLength: 8 }), (pieces) => {
      const bodies = new IncomingBodies({ bodiesBytesMax: 1_000_000, bodyArrivesMs: 60_000, bodyPausesMs: 1_000 });
      const body = bodies.begin(400_000, never);
      for (const piece of pieces) body.add(piece);
      expect(Buffer.compare(body.end(), Buffer.concat(pieces))).toBe(0);
      expect(bodies.taken).toEqual({ bytes: 0, bodies: 0 });
    }),
    { numRuns: 200 },
  );
});

test('a body of as many bytes as are allowed is taken, and one of a byte more is not', () => {
  const bodies = new IncomingBodies({ bodiesBytesMax: 1_000_000, bodyArrivesMs: 60_000, bodyPausesMs: 1_000 });
  const [fits, exceeds] = [bodies.begin(100, never), bodies.begin(100, never)];
  fits.add(new Uint8Array(100));
  expect(fits.end()).toHaveLength(100);
  exceeds.add(new Uint8Array(100));
  expect(() => exceeds.add(new Uint8Array(1))).toThrow(expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }));
  expect(bodies.taken).toEqual({ bytes: 0, bodies: 0 });
});

interface Sender {
  readonly body: IncomingBody;
  given: number;
  failure?: string;
}

test('however bodies come and go, they take no more than they may, the oldest is given up first, and nothing stays', () => {
  const step = fc.record({ of: fc.nat(5), bytes: fc.nat(30_000), ends: fc.nat(6).map((roll) => roll === 0) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const bodies = new IncomingBodies({ bodiesBytesMax: 100_000, bodyArrivesMs: 60_000, bodyPausesMs: 1_000 });
      const open: Sender[] = [];
      for (const { of, bytes, ends } of steps) {
        let sender = open[of];
        if (!sender) {
          const made: Sender = {
            body: bodies.begin(90_000, ({ code }) => void Object.assign(made, { failure: code })),
            given: 0,
          };
          open.push(made);
          sender = made;
        }
        const before = open.filter(({ failure }) => failure === undefined);
        try {
          sender.body.add(new Uint8Array(bytes));
          sender.given += bytes;
        } catch (thrown) {
          sender.failure = (thrown as BinderyError).code;
          expect([sender.failure, sender.given + bytes > 90_000]).toEqual(['PAYLOAD_TOO_LARGE', true]);
        }
        // Of those that were there only the oldest were given up, except who asked for room.
        const gone = before.map((other) => other !== sender && other.failure === 'TOO_MANY_BODIES');
        const others = gone.filter((_, index) => before[index] !== sender);
        expect(others).toEqual(others.toSorted((a, b) => Number(b) - Number(a)));
        if (ends && sender.failure === undefined) {
          expect(sender.body.end()).toHaveLength(sender.given);
          open.splice(open.indexOf(sender), 1);
        }
        for (const ended of open.filter(({ failure }) => failure !== undefined)) open.splice(open.indexOf(ended), 1);
        expect(bodies.taken.bytes).toBeLessThanOrEqual(100_000);
        expect(bodies.taken.bodies).toBe(open.length);
      }
      for (const { body } of open) body.drop();
      expect(bodies.taken).toEqual({ bytes: 0, bodies: 0 });
    }),
    { numRuns: 500 },
  );
});

test('a body that alone needs more than there is, is refused', () => {
  const bodies = new IncomingBodies({ bodiesBytesMax: 1_000, bodyArrivesMs: 60_000, bodyPausesMs: 1_000 });
  const body = bodies.begin(10_000, never);
  expect(() => body.add(new Uint8Array(2_000))).toThrow(expect.objectContaining({ code: 'TOO_MANY_BODIES' }));
  expect(bodies.taken).toEqual({ bytes: 0, bodies: 0 });
});

test('a body that does not arrive is given up, and one that began later has its own time', async () => {
  const bodies = new IncomingBodies({ bodiesBytesMax: 1_000_000, bodyArrivesMs: 30, bodyPausesMs: 1_000 });
  const given: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = bodies.begin(100, ({ code }) => given.push(`first ${code}`));
  first.add(new Uint8Array(10));
  await new Promise((next) => setTimeout(next, 10));
  bodies.begin(100, ({ code }) => {
    given.push(`second ${code}`);
    resolve();
  });
  await promise;
  expect([given, bodies.taken]).toEqual([['first BODY_TIMED_OUT', 'second BODY_TIMED_OUT'], { bytes: 0, bodies: 0 }]);
});

test('a stream is read to its end, refused beyond its limit, and leaves nothing', async () => {
  const stream = () => new Blob(['abc', 'def']).stream();
  expect(Buffer.from(await collectStream(stream(), 6)).toString()).toBe('abcdef');
  await expect(collectStream(stream(), 5)).rejects.toThrow(expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }));
  expect(await collectStream(null, 5)).toHaveLength(0);
  expect(incomingBodies.taken).toEqual({ bytes: 0, bodies: 0 });
});

test('a stream that others push out ends with why', async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const stalled = collectStream(readable, 1_000);
  const writer = writable.getWriter();
  writer.closed.catch(() => {});
  await writer.write(new Uint8Array(10));
  const [others, given]: [IncomingBody[], string[]] = [[], []];
  for (let index = 0; index < 17; index += 1) {
    const body = incomingBodies.begin(4 * 1024 * 1024, ({ code }) => given.push(code));
    others.push(body);
    body.add(new Uint8Array(4 * 1024 * 1024));
  }
  await expect(stalled).rejects.toBeInstanceOf(BinderyError);
  expect(given).toEqual(['TOO_MANY_BODIES']);
  for (const body of others) body.drop();
  expect(incomingBodies.taken).toEqual({ bytes: 0, bodies: 0 });
});

test('a body that pauses is given up when others wait for its memory, and one that comes is not', () => {
  const bodies = new IncomingBodies({ bodiesBytesMax: 1_000, bodyArrivesMs: 60_000, bodyPausesMs: 1_000 });
  const givenUp: string[] = [];
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const begin = (name: string) => bodies.begin(100, ({ code }) => void givenUp.push(`${name} ${code}`), 100);
  const [paused, comes] = [begin('paused'), begin('comes')];
  paused.add(new Uint8Array(10));
  comes.add(new Uint8Array(10));
  // Memory is reserved once, for the declared length.
  expect(bodies.taken.bytes).toBe(200);
  now.mockReturnValue(900);
  comes.add(new Uint8Array(10));
  expect(bodies.taken.bytes).toBe(200);
  now.mockReturnValue(1_001);
  bodies.giveUpStalled();
  now.mockRestore();
  expect([givenUp, bodies.taken]).toEqual([['paused TOO_MANY_BODIES'], { bytes: 100, bodies: 1 }]);
  comes.drop();
});
