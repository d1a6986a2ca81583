import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allowedSurfaces, SURFACES, type Surface } from './approval-surfaces.ts';

test('where nobody has said anything, an agent cannot answer [gateway:V6] [gateway:V7]', () => {
  expect([allowedSurfaces(), allowedSurfaces(undefined, null)]).toEqual([
    ['console', 'cli', 'webhook'],
    ['console', 'cli', 'webhook'],
  ]);
});

test('what every written list has is allowed, and nothing else', () => {
  const list = fc.option(fc.subarray([...SURFACES] as Surface[]), { nil: undefined });
  fc.assert(
    fc.property(fc.array(list, { maxLength: 4 }), (lists) => {
      const written = lists.filter((one) => one !== undefined);
      fc.pre(written.length > 0);
      const naive = SURFACES.filter((surface) => !written.some((one) => !one.includes(surface)));
      expect(allowedSurfaces(...lists)).toEqual(naive);
    }),
  );
});
