import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readPlainYaml } from './plain-yaml.ts';
import { readAnyYaml } from './read-yaml.ts';

const RUNS = Number(process.env.CIVIC_RUNS ?? 4000);

const word = fc.constantFrom(
  'a',
  'b1',
  'true',
  'null',
  'No',
  '12',
  '1.0.0',
  '2026-10-01',
  'x-y',
  'À é',
  'a: b',
  'a #b',
  "it's",
  '007',
  '0x1f',
  '1e3',
  '',
  '-',
  '~',
);
const key = fc.constantFrom('id', 'title', 'a', 'b_c', 'x-y', 'en', 'true', '__proto__', 'constructor');
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof({ maxDepth: 4 }, word, tie('list'), tie('mapping')),
  list: fc.array(tie('tree'), { maxLength: 4 }),
  mapping: fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
}));
const piece = fc.constantFrom(
  ' ',
  '  ',
  '\n',
  '- ',
  ': ',
  ':',
  ',',
  '[',
  ']',
  '{',
  '}',
  '#',
  ' #',
  '"',
  "'",
  '&a',
  '*a',
  '!',
  '|',
  '>',
  '\t',
  '?',
  'x',
  '---\n',
  '\n  ',
  '%',
  '\\',
);
const edits = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), piece), { maxLength: 3 });

test('[civic:K2] the short way to read YAML gives what the full parser gives, or nothing', () => {
  fc.assert(
    fc.property(fc.dictionary(key, tree, { minKeys: 1, maxKeys: 5 }), fc.boolean(), edits, (value, flow, changes) => {
      let text = stringify(value, { collectionStyle: flow ? 'flow' : 'any', lineWidth: flow ? 30 : 0 });
      for (const [at, length, inserted] of changes) {
        const offset = at % (text.length + 1);
        text = text.slice(0, offset) + inserted + text.slice(offset + length);
      }
      const plain = readPlainYaml(text);
      if (plain !== undefined) expect({ ok: true, value: plain }, text).toEqual(readAnyYaml(text));
    }),
    { numRuns: RUNS },
  );
});

test('[civic:K2] the files that people write take the short way', () => {
  const text = `id: sample  # a comment
title: Report a change (sample)
applies_to: { region: [brussels, flanders] }
requires: [{ id: base, selects_on: "has_id_card == 'yes'" }]
last_verified: 2026-10-01
inputs:
  - { name: reason, required: true, label: { en: Reason, fr: Motif },
      options: [{ value: work }] }
  - name: rows
    capture_modes: [folder_drop, chat]
    list:
    - one
    - two: 2
      three: null
empty:
`;
  expect(readPlainYaml(text)).toEqual({
    id: 'sample',
    title: 'Report a change (sample)',
    applies_to: { region: ['brussels', 'flanders'] },
    requires: [{ id: 'base', selects_on: "has_id_card == 'yes'" }],
    last_verified: '2026-10-01',
    inputs: [
      { name: 'reason', required: true, label: { en: 'Reason', fr: 'Motif' }, options: [{ value: 'work' }] },
      { name: 'rows', capture_modes: ['folder_drop', 'chat'], list: ['one', { two: 2, three: null }] },
    ],
    empty: null,
  });
});
