import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ShortLivedMap } from './short-lived-map.ts';

const step = fc.record({
  what: fc.constantFrom('set', 'delete'),
  key: fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constantFrom('0', 'a', 'b')),
  value: fc.integer(),
});

test('it holds what a Map would hold, in the same order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const model = new Map<number | string, number>();
      const map = new ShortLivedMap<number | string, number>();
      for (const { what, key, value } of steps) {
        if (what === 'set') {
          model.set(key, value);
          map.set(key, value);
        } else expect(map.delete(key)).toBe(model.delete(key));
        expect({ size: map.size, values: map.values(), value: map.get(key), has: map.has(key) }).toEqual({
          size: model.size,
          values: [...model.values()],
          value: model.get(key),
          has: model.has(key),
        });
      }
    }),
  );
});

test('values that are read stay what they were while entries go', () => {
  const map = new ShortLivedMap<number, string>();
  map.set(1, 'one');
  map.set(2, 'two');
  const before = map.values();
  map.delete(1);
  expect([before, map.values()]).toEqual([['one', 'two'], ['two']]);
});
