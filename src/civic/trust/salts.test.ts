import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { nextUtcDay, type Salt, type SaltStore, Salts } from './salts.ts';
import { isSubmitter } from './submitters.ts';

function setUp(start = '2026-11-02T23:59:59.999Z') {
  const kept = new Map<string, Salt>();
  const store: SaltStore = {
    get: (key) => kept.get(key),
    put: (key, salt) => void kept.set(key, salt),
    rename: (from, to) => {
      const salt = kept.get(from);
      if (salt) kept.set(to, salt);
      kept.delete(from);
    },
    delete: (key) => void kept.delete(key),
    keys: () => [...kept.keys()],
  };
  const clock = { at: Date.parse(start), now: () => clock.at };
  let drawn = 0;
  const random = { bytes: (length: number) => new Uint8Array(length).fill(++drawn) };
  const pepper = new Uint8Array(32).fill(0xee);
  return { kept, clock, pepper, salts: new Salts({ store, random, clock, pepper }) };
}

describe('Salts', () => {
  test('a daily hash is an HMAC under salt and pepper [civic:C6]', () => {
    const { salts, kept, pepper } = setUp();
    const hash = salts.daily('203.0.113.7');
    const salt = kept.get('daily:2026-11-02') as Salt;
    const expected = createHmac('sha256', Buffer.concat([salt.bytes, pepper]))
      .update('203.0.113.7')
      .digest('hex');
    expect([hash, salt.bytes.byteLength]).toEqual([expected, 32]);
  });

  test('at 00:00 UTC the hash is another one and yesterday’s salt is gone [civic:PV1] [civic:I2]', () => {
    const { salts, kept, clock } = setUp();
    const before = salts.daily('203.0.113.7');
    clock.at += 1;
    const after = salts.daily('203.0.113.7');
    expect([before === after, [...kept.keys()]]).toEqual([false, ['daily:2026-11-03']]);
  });

  test('within a day the hash stays', () => {
    const { salts, clock } = setUp('2026-11-02T00:00:00.000Z');
    const morning = salts.daily('203.0.113.7');
    clock.at = Date.parse('2026-11-02T23:59:59.999Z');
    expect(salts.daily('203.0.113.7')).toBe(morning);
  });

  test('an artefact’s hash is the same on every day, and another one for another artefact [civic:I3]', () => {
    const { salts, clock } = setUp();
    salts.mint('skill:a');
    salts.mint('skill:b');
    const first = salts.under('skill:a', '203.0.113.7');
    clock.at += 20 * 86_400_000;
    salts.rotate();
    expect([salts.under('skill:a', '203.0.113.7') === first, salts.under('skill:b', '203.0.113.7') === first]).toEqual([
      true,
      false,
    ]);
  });

  test('a salt moves to another key without a new hash, and is gone when destroyed [civic:PV1]', () => {
    const { salts } = setUp();
    salts.mint('submission:x');
    const before = salts.under('submission:x', '203.0.113.7');
    salts.rekey('submission:x', 'skill:x');
    const after = salts.under('skill:x', '203.0.113.7');
    salts.destroy('skill:x');
    expect([
      after === before,
      salts.under('submission:x', '203.0.113.7'),
      salts.under('skill:x', '203.0.113.7'),
    ]).toEqual([true, undefined, undefined]);
  });

  test('a sweep keeps live salts and today’s', () => {
    const { salts, kept } = setUp();
    salts.daily('203.0.113.7');
    salts.mint('skill:a');
    salts.mint('skill:b');
    salts.sweep((key) => key === 'skill:a');
    expect([...kept.keys()].sort()).toEqual(['daily:2026-11-02', 'skill:a']);
  });

  test('the day ends at midnight', () => {
    expect(new Date(nextUtcDay(Date.parse('2026-11-02T00:00:00Z'))).toISOString()).toBe('2026-11-03T00:00:00.000Z');
  });
});

describe('isSubmitter [civic:PV4]', () => {
  const a = 'aa'.repeat(32);
  const b = 'bb'.repeat(32);

  test('finds the caller among the submitters, wherever it stands', () => {
    expect([isSubmitter(a, [a, b]), isSubmitter(b, [a, b]), isSubmitter(a, [b]), isSubmitter(a, [])]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test('a caller without a hash matches no submitter, even if a hash of zeros is stored', () => {
    expect([isSubmitter(undefined, ['00'.repeat(32)]), isSubmitter(undefined, [])]).toEqual([false, false]);
  });
});
