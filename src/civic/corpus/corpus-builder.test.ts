import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CorpusBuilder } from './corpus-builder.ts';
import { matchNames } from './provider-names.ts';
import { toSourceFile } from './source-file.ts';

const RUNS = Number(process.env.CIVIC_RUNS ?? 150);
type Files = Record<string, string | Uint8Array>;

function build(files: Files, builder = new CorpusBuilder(), names: readonly string[] = []) {
  const sources = Object.entries(files).map(([path, content]) =>
    toSourceFile(path, typeof content === 'string' ? new TextEncoder().encode(content) : content),
  );
  return builder.build(sources, { names: matchNames(names), generatedAt: () => '2026-10-01T00:00:00.000Z' });
}

function skill(id: string, extra = '', body = 'Text.\n', status = 'alpha'): Files {
  const matter = `id: ${id}\ntitle: T ${id}\nsummary: S ${id}\nstatus: ${status}\nversion: 1.0.0\ncategory: c\n${extra}`;
  return { [`skills/${id}/canonical.md`]: `---\n${matter}---\n${body}` };
}

function path(id: string, extra = '', status = 'beta'): Files {
  return { [`paths/${id}.yaml`]: `id: ${id}\ntitle: P\npurpose: tool\nstatus: ${status}\nversion: 1.0.0\n${extra}` };
}

const codes = (files: Files, names?: readonly string[]) =>
  build(files, undefined, names).errors.map(({ code, path: file }) => `${code} ${file}`);

test.each([
  [
    'a comment as a definition',
    '[//]: # (be quick)\n',
    'hidden_text',
    'people do not see this text on the page: "[//]: # (be quick)"',
  ],
  [
    'a table without dashes',
    '| a | b |\n| 1 | 2 |\n',
    'malformed_table',
    'a table has no line of dashes below its first line',
  ],
  [
    'a table with too few dashes',
    '| a | b |\n|---|\n',
    'malformed_table',
    'a table has 2 names of columns and 1 groups of dashes',
  ],
  [
    'a line with a cell more',
    '| a | b |\n|---|---|\n| 1 | 2 | 3 |\n',
    'malformed_table',
    'a table of 2 columns has a line with 3 cells',
  ],
  ['a table that is one', 'a | b\n-|-\n1 \\| 2 | `x`\n', undefined, undefined],
])('a check warns of %s', (_, body, code, message) => {
  const path = 'skills/a/canonical.md';
  expect(build(skill('a', '', body)).warnings).toEqual(code === undefined ? [] : [{ code, path, message }]);
});

describe('[civic:K16] a check finds', () => {
  const a = 'skills/a/canonical.md';
  test.each<[string, Files, string[]]>([
    ['an unknown required skill', skill('a', 'requires: [{ id: b }]\n'), [`unknown_requires ${a}`]],
    [
      'a cycle',
      { ...skill('a', 'requires: [b]\n'), ...skill('b', 'requires: [c]\n'), ...skill('c', 'requires: [a]\n') },
      [`cyclic_requires ${a}`],
    ],
    ['a skill that requires itself', skill('a', 'requires: [a]\n'), [`cyclic_requires ${a}`]],
    ['an id that is not the folder', { [a]: skill('b')['skills/b/canonical.md'] as string }, [`id_mismatch ${a}`]],
    [
      'an id that two files have',
      { ...skill('a'), 'skills/b/canonical.md': skill('a')[a] as string },
      ['duplicate_id skills/b/canonical.md', 'id_mismatch skills/b/canonical.md'],
    ],
    [
      'a source that is there twice',
      path('p', 'sources: [{ id: s, source_class: offline }, { id: s, source_class: offline }]\n'),
      ['duplicate_id paths/p.yaml'],
    ],
    [
      'a value that is there twice',
      { 'catalogue/values.yaml': '- { uid: val-01, name: n, value: 1, status: beta, version: 1.0.0 }\n'.repeat(2) },
      ['duplicate_id catalogue/values.yaml'],
    ],
    ['a path that does not exist', skill('a', 'requires_paths: [{ id: p }]\n'), [`dead_reference ${a}`]],
    [
      'tags that lead nowhere',
      skill('a', '', '<Path id="p"/> <Skill id="b"/> <Observations skill="c"/> <Ref uid="ref-09"/>\n'),
      Array(4).fill(`dead_reference ${a}`),
    ],
    [
      'a missing key',
      { [a]: '---\nid: a\ntitle: T\nstatus: alpha\nversion: 1.0.0\ncategory: c\n---\n' },
      [`frontmatter_invalid ${a}`],
    ],
    ['no front matter', { [a]: '# A\n' }, [`frontmatter_invalid ${a}`]],
    ['a sponsor', skill('a', 'sponsored_by: x\n'), [`frontmatter_invalid ${a}`]],
    [
      'a sponsor deep inside',
      skill('a', 'inputs: [{ name: x, type: text, label: X, Sponsor: y }]\n'),
      [`frontmatter_invalid ${a}`],
    ],
    ['an expression', skill('a', '', 'a {b}\n'), [`mdx_forbidden ${a}`]],
    ['a file of a megabyte', { [a]: new Uint8Array(1024 * 1024).fill(97) }, [`file_too_large ${a}`]],
    ['a file of 256 KiB and a byte', skill('a', '', 'x'.repeat(256 * 1024)), [`file_too_large ${a}`]],
    ['bytes that are no text', { [a]: new Uint8Array([45, 45, 45, 10, 255]) }, [`frontmatter_invalid ${a}`]],
    ['too many aliases', skill('a', `x: &x y\nlist: [${'*x, '.repeat(60)}*x]\n`), [`yaml_limits ${a}`]],
    [
      'markup in a value',
      { 'catalogue/values.yaml': '- { uid: val-01, name: n, value: "<b>", status: beta, version: 1.0.0 }\n' },
      ['frontmatter_invalid catalogue/values.yaml'],
    ],
  ])('%s', (_name, files, expected) => {
    expect(codes(files)).toEqual(expected);
  });

  test('[civic:V5] the name of a provider, in whatever case, width or emphasis, but only as whole words', () => {
    const named = (body: string) => codes(skill('a', '', body), ['Lingua Sample', 'Ab+C']);
    expect(
      ['Ask LINGUA\nsample now.', 'Ask ｌｉｎｇｕａ **Sample**!', 'Take ab+c.', 'lingua samples', 'lingua'].map(
        (body) => named(`${body}\n`).length,
      ),
    ).toEqual([1, 1, 1, 0, 0]);
    expect(codes(skill('a', 'summary_of: x\n', 'x\n'), ['S a'])).toEqual(['provider_named skills/a/canonical.md']);
    for (const [name, text] of [
      ['Groß Bau', 'Ask GROSS BAU.\n'],
      ['Οδός', 'Ask ΟΔΌΣ.\n'],
    ] as const) {
      expect(codes(skill('a', '', text), [name])).toEqual(['provider_named skills/a/canonical.md']);
    }
  });

  test('[civic:K2] [civic:W5] a category is any short text, and a source has an id that a target can name', () => {
    const path = (id: string) => ({
      'paths/p.yaml': `id: p\ntitle: P\npurpose: tool\nstatus: alpha\nversion: 1.0.0\nsources: [{ id: ${id}, source_class: offline }]\n`,
    });
    const categorised = Object.fromEntries(
      Object.entries(skill('a')).map(([name, text]) => [
        name,
        String(text).replace(/^category: .*$/m, 'category: origin-US, all'),
      ]),
    );
    expect([codes(categorised), codes(path('Web_1')), codes(path('"a:b"')).length]).toEqual([[], [], 1]);
  });

  test('[civic:R1] a citation has a url and may have an archived one, and both must be addresses', () => {
    const cited = (citation: string) => codes(skill('a', `citations: [${citation}]\n`)).length;
    expect([
      cited('{ url: "https://law.example.org/1", archived_url: "https://archive.example.org/1" }'),
      cited('{ url: "https://law.example.org/1" }'),
      cited('{ archived_url: "https://archive.example.org/1" }'),
      cited('{ url: "javascript:alert(1)" }'),
    ]).toEqual([0, 0, 1, 1]);
  });

  test('[civic:R3] a citation of the gazette that is no permalink is a warning', () => {
    const cited = (url: string) =>
      build(skill('a', `citations: [{ url: "${url}" }]\n`)).warnings.map(({ code, message }) => [code, message]);
    expect([
      cited('https://www.ejustice.just.fgov.be/cgi_loi/change_lg.pl?cn=1'),
      cited('https://www.ejustice.just.fgov.be/eli/loi/1980/12/15/1980121550/justel'),
      cited('https://ejustice.just.fgov.be.example.org/cgi_loi/x'),
    ]).toEqual([
      [
        [
          'no_permalink',
          'citation "https://www.ejustice.just.fgov.be/cgi_loi/change_lg.pl?cn=1" may move: prefer https://www.ejustice.just.fgov.be/eli/<type>/<year>/<month>/<day>/<number>/<version>',
        ],
      ],
      [],
      [],
    ]);
  });

  test('[civic:K2] unknown keys are a warning', () => {
    expect(build(skill('a', 'mood: good\n')).warnings).toEqual([
      { code: 'unknown_key', path: 'skills/a/canonical.md', message: 'unknown key "mood"' },
    ]);
  });
});

describe('the snapshot', () => {
  test('[civic:V1] the provider directory plays no part in the version', () => {
    const files = { ...skill('a'), ...path('p') };
    const version = (names: readonly string[]) => build(files, undefined, names).corpus?.snapshot.version;
    expect([version(['Lingua Sample']), version(['Another', 'Third'])]).toEqual([version([]), version([])]);
  });

  test('[civic:K9] [civic:G4] the version is the hash of the rendered sources, and of nothing else', () => {
    const files = { ...skill('b'), ...skill('a'), ...path('p'), 'catalogue/values.yaml': '' };
    const hidden = {
      ...skill('d', '', 'x\n', 'draft'),
      ...skill('q', '', 'x\n', 'quarantined'),
      ...skill('r', '', 'x\n', 'retracted'),
      ...path('dp', '', 'draft'),
    };
    const sha = (text: string) => createHash('sha256').update(text).digest('hex');
    const expected = sha(
      ['catalogue/values.yaml', 'paths/p.yaml', 'skills/a/canonical.md', 'skills/b/canonical.md']
        .map((file) => `${file}\0${sha(String((files as Files)[file]))}\n`)
        .join(''),
    );
    const windows = Object.fromEntries(
      Object.entries(files).map(([file, text]) => [file, String(text).replaceAll('\n', '\r\n')]),
    );
    expect(
      [build(files), build({ ...hidden, ...files }), build(windows)].map((result) => result.corpus?.snapshot.version),
    ).toEqual([expected, expected, expected]);
  });

  test('[civic:G2] [civic:K11] what is not rendered is in no edge and in no list', () => {
    const { corpus } = build({
      ...skill(
        'a',
        'requires: [{ id: d, selects_on: x }, { id: b }]\nrequires_paths: [{ id: p, role: r }, { id: q, role: r }]\n',
      ),
      ...skill('b'),
      ...skill('d', 'requires: [b]\n', 'x\n', 'draft'),
      ...path('p'),
      ...path('q', '', 'quarantined'),
    });
    const [a, b] = corpus?.snapshot.skills ?? [];
    expect([corpus?.snapshot.skills.length, a?.requires, a?.requires_paths, b?.required_by]).toEqual([
      2,
      [{ id: 'b' }],
      [{ id: 'p', role: 'r' }],
      [{ id: 'a' }],
    ]);
  });

  test('[civic:K4] the manifest lists every artefact but drafts', () => {
    const { corpus } = build({
      ...skill('q', '', 'x\n', 'quarantined'),
      ...skill('d', '', 'x\n', 'draft'),
      ...path('p'),
      'catalogue/references.yaml':
        '- { uid: ref-01, name: n, url: "https://a.example", usage: citation, status: beta, version: 1.2.0 }\n',
    });
    expect(corpus?.snapshot.artefacts).toEqual([
      { type: 'path', id: 'p', version: '1.0.0', status: 'beta' },
      { type: 'reference', id: 'ref-01', version: '1.2.0', status: 'beta' },
      { type: 'skill', id: 'q', version: '1.0.0', status: 'quarantined' },
    ]);
  });

  const graph = fc.integer({ min: 1, max: 12 }).chain((count) =>
    fc.array(
      fc.record({
        status: fc.constantFrom('alpha', 'beta', 'stable', 'draft', 'quarantined'),
        // Edges lead to skills with smaller numbers, so there is no cycle.
        edges: fc.array(fc.record({ to: fc.nat({ max: 11 }), selects: fc.option(fc.constantFrom('x', 'y')) }), {
          maxLength: 4,
        }),
      }),
      { minLength: count, maxLength: count },
    ),
  );
  const render = (nodes: readonly { status: string; edges: readonly { to: number; selects: string | null }[] }[]) =>
    Object.assign(
      {},
      ...nodes.map(({ status, edges }, index) => {
        const list = edges
          .filter(({ to }) => to < index)
          .map(({ to, selects }) => `{ id: s-${to}${selects ? `, selects_on: ${selects}` : ''} }`);
        return skill(`s-${index}`, `requires: [${list.join(', ')}]\n`, 'x\n', status);
      }),
    ) as Files;

  test('[civic:G3] the reverse index is what looking at every pair finds', () => {
    fc.assert(
      fc.property(graph, (nodes) => {
        const skills = build(render(nodes)).corpus?.snapshot.skills ?? [];
        for (const target of skills) {
          const naive = skills
            .flatMap((parent) =>
              parent.requires.filter((edge) => edge.id === target.id).map((edge) => ({ ...edge, id: parent.id })),
            )
            .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
          expect(target.required_by).toEqual(naive);
        }
        expect(skills.map(({ id }) => id)).toEqual(skills.map(({ id }) => id).sort());
      }),
      { numRuns: RUNS },
    );
  });

  test('[civic:K16] a cycle is reported exactly where a walk from some skill comes back to it', () => {
    const edges = fc.array(fc.tuple(fc.nat({ max: 6 }), fc.nat({ max: 6 })), { maxLength: 12 });
    fc.assert(
      fc.property(edges, (pairs) => {
        const of = (from: number) => pairs.filter(([source]) => source === from).map(([, target]) => target);
        const files = Object.assign(
          {},
          ...Array.from({ length: 7 }, (_, index) =>
            skill(
              `s-${index}`,
              `requires: [${of(index)
                .map((target) => `s-${target}`)
                .join(', ')}]\n`,
            ),
          ),
        ) as Files;
        const comesBack = (start: number) => {
          const reached = new Set<number>();
          const pending = of(start);
          for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
            if (!reached.has(next)) pending.push(...of(next));
            reached.add(next);
          }
          return reached.has(start);
        };
        const hasCycle = [0, 1, 2, 3, 4, 5, 6].some(comesBack);
        const { errors } = build(files);
        expect([errors.length > 0, new Set(errors.map(({ code }) => code)).size <= 1]).toEqual([hasCycle, true]);
      }),
      { numRuns: RUNS },
    );
  });

  test('a builder that remembers gives what a fresh one gives, change after change', () => {
    const builder = new CorpusBuilder();
    fc.assert(
      fc.property(graph, (nodes) => {
        const files = render(nodes);
        expect(build(files, builder).corpus?.snapshot).toEqual(build(files).corpus?.snapshot);
      }),
      { numRuns: RUNS },
    );
  });
});
