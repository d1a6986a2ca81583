import { expect, test } from 'vitest';
import { DETECTED, DETECTOR_FAILED, type DetectedSpan, type Detector, detectIn } from './detector.ts';
import type { FieldKinds } from './field-kinds.ts';
import { SCRUB_LIMITS } from './limits.ts';

const FIELDS: FieldKinds = [
  ['/id', 'closed'],
  ['/link', 'url'],
];

/** A detector that notes what it is shown and answers by a function. */
function detecting(find: (text: string) => readonly DetectedSpan[] | Promise<readonly DetectedSpan[]>) {
  const shown: string[] = [];
  const detector: Detector = {
    name: 'test',
    find: async (text) => {
      shown.push(text);
      return find(text);
    },
  };
  return { detector, shown };
}

test('detectors see every text except closed ones and links, and a finding has its position', async () => {
  const { detector, shown } = detecting(() => [{ start: 0, end: 1 }]);
  const item = {
    id: 'x1',
    link: 'https://a.example',
    a: 'one',
    'b/c~d': ['two', 7, null, true, ' \n', ''],
    e: { f: 'three' },
  };
  const found = await detectIn([detector], item, FIELDS);
  const at = (pointer: string) => ({ rule: DETECTED, pointer, start: 0, end: 1 });
  expect([shown, found]).toEqual([
    ['one', 'two', 'three'],
    [at('/a'), at('/b~1c~0d/0'), at('/e/f')],
  ]);
  expect(await detectIn([detector], 'alone', [])).toEqual([at('')]);
});

test.each([
  [
    { start: 0, end: 4 },
    { start: 0, end: 4 },
  ],
  [
    { start: 3, end: 4 },
    { start: 3, end: 4 },
  ],
  [
    { start: 0, end: 5 },
    { start: 0, end: 4 },
  ],
  [
    { start: -1, end: 2 },
    { start: 0, end: 4 },
  ],
  [
    { start: 2, end: 2 },
    { start: 0, end: 4 },
  ],
  [
    { start: 0.5, end: 2 },
    { start: 0, end: 4 },
  ],
  [
    { start: 0, end: 2.5 },
    { start: 0, end: 4 },
  ],
  [{ start: '0', end: 2 } as unknown as DetectedSpan, { start: 0, end: 4 }],
])('a span %j of four letters counts as %j', async (span, counted) => {
  const found = await detectIn([detecting(() => [span]).detector], { a: 'text' }, []);
  expect(found).toEqual([{ rule: DETECTED, pointer: '/a', ...counted }]);
});

test('what several detectors find is joined; one that fails holds the item, and the others count all the same', async () => {
  const one = detecting(() => [{ start: 0, end: 1 }]).detector;
  const failing = detecting((text) => (text === 'b' ? Promise.reject(new Error('no')) : [])).detector;
  const failed = { rule: DETECTOR_FAILED, start: 0, end: 0 };
  expect([
    await detectIn([one, failing], { x: 'a', y: 'b' }, []),
    await detectIn([failing], { x: 'a' }, []),
    await detectIn([], { x: 'a' }, []),
    await detectIn([failing], { n: 7 }, []),
  ]).toEqual([
    [
      { rule: DETECTED, pointer: '/x', start: 0, end: 1 },
      { rule: DETECTED, pointer: '/y', start: 0, end: 1 },
      { ...failed, pointer: '/x' },
    ],
    [],
    [],
    [],
  ]);
});

test('a detector that does not answer in time holds the item', async () => {
  const limits = SCRUB_LIMITS as { detectorMs: number };
  const before = limits.detectorMs;
  limits.detectorMs = 10;
  try {
    const silent = detecting(() => new Promise(() => {})).detector;
    const late = detecting(() => new Promise((resolve) => setTimeout(resolve, 50, []))).detector;
    expect(await detectIn([silent, late], { a: 'text' }, [])).toEqual([
      { rule: DETECTOR_FAILED, pointer: '/a', start: 0, end: 0 },
      { rule: DETECTOR_FAILED, pointer: '/a', start: 0, end: 0 },
    ]);
  } finally {
    limits.detectorMs = before;
  }
});
