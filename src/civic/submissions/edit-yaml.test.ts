import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { editYaml } from './edit-yaml.ts';

const ENTRY = `# The portal of the region.
id: sample-portal   # never changes
title: "Sample: portal"
themes: [residence,   tax]
applies_to: { region: [brussels] }   # cities only
sources:
  # The usual way.
  - id: web
    url: https://portal.example.org/start
    priority: 10          # first
    validation_path: { success_signals: [form-visible], failure_signals: [not-found] }

  - id: desk
    source_class: offline
    note: 'it''s open'
# The end.
`;

test.each<[string, (string | number)[], unknown, string[], string[]]>([
  [
    'a plain scalar',
    ['sources', 0, 'priority'],
    20,
    ['    priority: 10          # first'],
    ['    priority: 20          # first'],
  ],
  [
    'a scalar in double quotes',
    ['title'],
    'Sample: the portal',
    ['title: "Sample: portal"'],
    ['title: "Sample: the portal"'],
  ],
  [
    'a scalar in single quotes',
    ['sources', 1, 'note'],
    "it's shut",
    ["    note: 'it''s open'"],
    ["    note: 'it''s shut'"],
  ],
  [
    'a list on one line',
    ['themes'],
    ['residence', 'a, b'],
    ['themes: [residence,   tax]'],
    ['themes: [residence, "a, b"]'],
  ],
  [
    'a member of a map on one line',
    ['applies_to', 'region'],
    ['brussels', 'flanders'],
    ['applies_to: { region: [brussels] }   # cities only'],
    ['applies_to: { region: [brussels, flanders] }   # cities only'],
  ],
  [
    'a new member of a map on one line',
    ['applies_to', 'origin'],
    'fr',
    ['applies_to: { region: [brussels] }   # cities only'],
    ['applies_to: { region: [brussels], origin: fr }   # cities only'],
  ],
  ['a new member of a block', ['sources', 0, 'fallback_only'], true, [], ['    fallback_only: true']],
  ['a new member at the end', ['supersedes'], 'older', [], ['supersedes: older']],
  ['a new member below a new member', ['audience', 'predicates'], ['x'], [], ['audience: { predicates: [x] }']],
  [
    'a further element of a list',
    ['sources', -1],
    { id: 'post', source_class: 'letter', actor: { primary: 'user' } },
    [],
    ['  - id: post', '    source_class: letter', '    actor:', '      primary: user'],
  ],
])('%s changes its own lines only', (_, path, value, removed, added) => {
  const after = editYaml(ENTRY, [{ path, value }]);
  const [before, now] = [ENTRY.split('\n'), after.split('\n')];
  expect([before.filter((line) => !now.includes(line)), now.filter((line) => !before.includes(line))]).toEqual([
    removed,
    added,
  ]);
});

const scalars = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(
    'yes',
    '1.0',
    ' a',
    'a: b',
    '# c',
    'x, y',
    '{z}',
    'two\nlines',
    '- d',
    "it's",
    '"q"',
    '~',
    '',
    '---',
    '...',
  ),
);
const values = fc.oneof(
  scalars,
  fc.array(scalars, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', 'b', 'c d'), fc.oneof(scalars, fc.array(scalars, { maxLength: 2 })), {
    maxKeys: 3,
  }),
);
const places = fc.constantFrom<(string | number)[]>(
  ['title'],
  ['themes'],
  ['themes', -1],
  ['applies_to'],
  ['applies_to', 'region'],
  ['applies_to', 'new'],
  ['sources'],
  ['sources', 0],
  ['sources', 0, 'priority'],
  ['sources', 1, 'note'],
  ['sources', 1, 'deep', 'er'],
  ['sources', -1],
  ['fresh'],
);

test.each<[(string | number)[], RegExp]>([
  [['title'], /^title:/],
  [['sources', 0, 'priority'], /priority:/],
  [['sources', 1, 'note'], /note:/],
  [['applies_to', 'new'], /^applies_to:/],
  [['themes', -1], /^themes:/],
  [['fresh'], /^fresh:/],
])('a text at %j changes one line, whatever it is', (path, own) => {
  const others = (text: string) => text.split('\n').filter((line) => !own.test(line));
  const odd = ['---', '--- a', '...', 'two\nlines\n', '%x', '- a', 'yes', ' # no comment', '\t', "'", '"', '\\'];
  const texts = fc.oneof(fc.constantFrom(...odd), fc.string({ maxLength: 12 }));
  fc.assert(
    fc.property(texts, (value) => {
      expect(others(editYaml(ENTRY, [{ path, value }]))).toEqual(others(ENTRY));
    }),
    { numRuns: 200 },
  );
});

test('a value that was set is read back, and no other value changes', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ path: places, value: values }), { minLength: 1, maxLength: 3 }), (edits) => {
      let model = parse(ENTRY) as Record<string, unknown>;
      let text = ENTRY;
      for (const edit of edits) {
        const expected = setIn(structuredClone(model), edit.path, edit.value);
        if (expected === undefined) continue;
        text = editYaml(text, [edit]);
        model = expected;
        expect(parse(text)).toEqual(model);
      }
    }),
    { numRuns: 400 },
  );
});

/** The model: undefined where the path leads through something that has no members. */
function setIn(root: Record<string, unknown>, path: readonly (string | number)[], value: unknown) {
  let at: unknown = root;
  for (const [index, step] of path.entries()) {
    if (typeof at !== 'object' || at === null || Array.isArray(at) !== (typeof step === 'number')) return undefined;
    if (Array.isArray(at) && step !== -1 && (step as number) >= at.length) return undefined;
    const members = at as Record<string | number, unknown>;
    if (index === path.length - 1) {
      if (step === -1) (at as unknown[]).push(value);
      else members[step] = value;
      return root;
    }
    if (members[step] === undefined) members[step] = {};
    at = members[step];
  }
  return undefined;
}
