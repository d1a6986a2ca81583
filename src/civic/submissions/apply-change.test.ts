import { applyPatch, createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyChange, draftText, isEditorial } from './apply-change.ts';
import { applyBodyDiff } from './apply-diff.ts';
import type { CorpusChange } from './corpus-change.ts';
import { parseFieldPath } from './field-path.ts';

const FRONT = '---\nid: a\nstatus: alpha # for now\nversion: 1.0.0\ncitations: [{ url: "https://a.example" }]\n---\n';

describe('applyBodyDiff [civic:SU15]', () => {
  test('gives what a patch tool gives, for any two bodies', () => {
    const line = fc.constantFrom('a', 'b', 'c', '', 'a b', '---', 'x <VV uid="val-01"/> y');
    const body = fc.array(line, { minLength: 1, maxLength: 12 }).map((lines) => `${lines.join('\n')}\n`);
    fc.assert(
      fc.property(body, body, (before, after) => {
        fc.pre(before !== after);
        const [from, to] = [FRONT + before, FRONT + after];
        const diff = createTwoFilesPatch('a', 'b', from, to, '', '', { context: 3 });
        expect(applyBodyDiff(from, diff)).toEqual({ ok: true, text: applyPatch(from, diff) });
      }),
      { numRuns: 500 },
    );
  });

  test('a diff of one text fits no other text where it changes something', () => {
    const letters = fc
      .array(fc.constantFrom('p', 'q', 'r'), { minLength: 3, maxLength: 6 })
      .map((list) => list.map((letter, index): string => `${letter}${index}`));
    fc.assert(
      fc.property(letters, letters, fc.nat(5), (lines, others, at) => {
        const index = at % lines.length;
        fc.pre(others[index] !== lines[index]);
        const text = (body: readonly string[]) => `${FRONT}${body.join('\n')}\n`;
        const changed = lines.with(index, 'changed');
        const diff = createTwoFilesPatch('a', 'b', text(lines), text(changed), '', '', { context: 0 });
        expect(applyBodyDiff(text(others), diff).ok).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['two files', `${createTwoFilesPatch('a', 'b', 'x\n', 'y\n')}${createTwoFilesPatch('c', 'd', 'x\n', 'y\n')}`],
    ['nothing', ''],
    ['a hunk that only names context', '@@ -7,1 +7,1 @@\n a\n'],
    ['an insertion into the front matter', '@@ -3,0 +4,1 @@\n+sponsor: me\n'],
    ['a line beyond the end', '@@ -99,1 +99,1 @@\n-a\n+b\n'],
    ['hunks in the wrong order', '@@ -8,1 +8,1 @@\n-b\n+c\n@@ -7,1 +7,1 @@\n-a\n+c\n'],
  ])('%s is refused', (_, diff) => {
    expect(applyBodyDiff(`${FRONT}a\nb\n`, diff)).toMatchObject({ ok: false, keyword: 'diff' });
  });

  test('the line after the front matter can be changed with its context', () => {
    const diff = '@@ -6,2 +6,2 @@\n ---\n-a\n+b\n';
    expect(applyBodyDiff(`${FRONT}a\n`, diff)).toEqual({ ok: true, text: `${FRONT}b\n` });
  });
});

describe('applyChange [civic:K8]', () => {
  const skill = `${FRONT}a\n`;

  test('a state is written into its place and nothing else moves', () => {
    expect(applyChange({ kind: 'status', type: 'skill', id: 'a', status: 'beta' }, skill)).toEqual({
      ok: true,
      text: skill.replace('status: alpha', 'status: beta'),
    });
  });

  test('a change that is applied already is distinguished from one that cannot apply', () => {
    const merge = {
      kind: 'merge',
      type: 'skill',
      id: 'a',
      baseVersion: '1.0.0',
      version: '1.1.0',
      status: 'alpha',
    } as const;
    const content = { amendment_subtype: 'body_diff', body_diff: { diff: '@@ -7,1 +7,1 @@\n-a\n+b\n' } } as const;
    const once = applyChange({ ...merge, content }, skill);
    const text = once.ok === true ? once.text : '';
    expect([
      text,
      applyChange({ ...merge, content }, text),
      applyChange({ ...merge, content }, text.replace('1.1.0', '3.0.0')),
      applyChange({ ...merge, content }, undefined),
      applyChange({ kind: 'status', type: 'skill', id: 'a', status: 'alpha' }, skill),
      applyChange({ kind: 'create', type: 'skill', id: 'a', text: 'x' }, skill),
    ]).toMatchObject([
      skill.replace('1.0.0', '1.1.0').replace('\na\n', '\nb\n'),
      { ok: 'already' },
      { ok: false, keyword: 'version' },
      { ok: false },
      { ok: 'already' },
      { ok: 'already' },
    ]);
  });

  test('a value that reads as a number stays the text that was proposed', () => {
    const rows = '- { uid: val-01, name: fee, value: "25", status: alpha, version: 1.0.0 }\n';
    const content = {
      amendment_subtype: 'value_change',
      value_change: { proposed_value: '007', unit: 'EUR' },
    } as const;
    const merge = {
      kind: 'merge',
      type: 'volatile_value',
      id: 'val-01',
      baseVersion: '1.0.0',
      version: '1.1.0',
      status: 'alpha',
    } as const;
    expect(applyChange({ ...merge, content }, rows)).toEqual({
      ok: true,
      text: '- { uid: val-01, name: fee, value: "007", status: alpha, version: 1.1.0, unit: EUR }\n',
    });
  });

  test('a list’s element that is not there is refused, and a source’s id is its own [civic:SU16]', () => {
    const path = 'id: p\nstatus: beta\nversion: 1.0.0\nsources:\n  - id: web\n    priority: 10\n';
    const merge = {
      kind: 'merge',
      type: 'path',
      id: 'p',
      baseVersion: '1.0.0',
      version: '1.1.0',
      status: 'beta',
    } as const;
    const change = (field_path: string) =>
      ({ amendment_subtype: 'frontmatter_change', frontmatter_change: { field_path, proposed_value: 1 } }) as const;
    const add = { amendment_subtype: 'source_add', source_add: { source: { id: 'web' } } } as const;
    expect([
      applyChange({ ...merge, content: change('sources[id=none].priority') }, path),
      applyChange({ ...merge, content: add }, path),
      applyChange({ ...merge, content: change('sources[id=web].audience.predicates') }, path),
    ]).toMatchObject([
      { ok: false, keyword: 'field_path' },
      { ok: false, keyword: 'duplicate_id' },
      { ok: true, text: expect.stringContaining('predicates: 1') },
    ]);
  });
});

test.each(['title.a', 'sources.a', 'sources[id=web].priority.x', 'empty.a', 'title.a[id=web]'])(
  'a member of what has no members is refused: %s [civic:SU16]',
  (field_path) => {
    const path = 'id: p\nstatus: beta\nversion: 1.0.0\ntitle: P\nempty:\nsources:\n  - id: web\n    priority: 10\n';
    const content = { amendment_subtype: 'frontmatter_change', frontmatter_change: { field_path, proposed_value: 1 } };
    const merge = { kind: 'merge', type: 'path', id: 'p', baseVersion: '1.0.0', version: '1.1.0', status: 'beta' };
    expect(applyChange({ ...merge, content } as CorpusChange, path)).toMatchObject({
      ok: false,
      keyword: 'field_path',
    });
  },
);

describe('isEditorial [civic:K3]', () => {
  test.each([
    ['Bring the form.', 'Bring, the form!', true],
    ['a  b\nc', 'a b c', true],
    ["don't", 'dont', true],
    ['1.5 euro', '15 euro', false],
    ['1 000', '1000', false],
    ['Bring the form', 'Bring a form', false],
  ])('%j → %j is %j', (before, after, expected) => {
    expect(isEditorial(before, after)).toBe(expected);
  });
});

test('fixed members in a draft’s own content are ignored [civic:SU24]', () => {
  const frontmatter = { id: 'x', status: 'stable', version: '9.9.9', origin: 'me', title: 'T' };
  const draft = {
    target_type: 'skill',
    proposed_id: 'new-one',
    commit_message: 'm',
    content: { frontmatter, body: 'B' },
  } as const;
  expect(draftText(draft)).toBe(
    '---\nid: new-one\nstatus: alpha\nversion: 0.1.0\norigin: community\ntitle: T\n---\nB\n',
  );
});

test.each(['a.b', 'sources[id=web].priority', 'applies_to.region', 'a-b_c'])(
  '%s is a field path [civic:SU16]',
  (path) => {
    expect(parseFieldPath(path)).toBeDefined();
  },
);

test.each([
  '',
  'a..b',
  'a[0]',
  'a[id=]',
  'a[name=x]',
  '$.a',
  'a.*',
  '__proto__[id=x',
  '__proto__',
  'a.__proto__.b',
  '__proto__[id=x]',
  'a b',
])('%j is none [civic:SU16]', (path) => {
  expect(parseFieldPath(path)).toBeUndefined();
});
