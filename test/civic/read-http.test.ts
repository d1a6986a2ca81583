import { describe, expect, test } from 'vitest';
import { MANIFEST_CONFIG } from '../../src/civic/config.ts';
import { readOperations } from '../../src/civic/reads/room.ts';
import { civicProblems } from '../../src/contract/errors/civic.ts';
import { BASE, createReadApp, pathFile, sampleFiles, skillFile } from './read-app.ts';

const files = {
  ...sampleFiles(),
  ...skillFile('in-draft', 'draft', 'requires: [sample-base]\n'),
  ...skillFile('in-quarantine', 'quarantined', 'requires: [sample-base]\n'),
  ...skillFile('in-retraction', 'retracted'),
  ...skillFile('replaced', 'superseded'),
  ...pathFile('path-in-draft', 'draft'),
  ...pathFile('path-in-quarantine', 'quarantined'),
};
const served = createReadApp(files);
const json = async (path: string) => (await served.get(path)).json() as Promise<Record<string, never>>;
const version = served.deps.corpus.current()?.snapshot.version as string;

describe('the graph', () => {
  test('[civic:G1] [civic:G5] [civic:G6] [civic:RO2] [civic:K4] [civic:K11] has these members, in this order, and no others', async () => {
    expect(await json('/agents/skills-graph.json')).toMatchObject({
      version,
      generated_at: '2026-10-01T00:00:00.000Z',
    });
    const { skills } = (await json('/agents/skills-graph.json')) as unknown as { skills: { skill_id: string }[] };
    expect(skills.map(({ skill_id }) => skill_id)).toEqual([
      'sample-address-change',
      'sample-base',
      'sample-parking-permit',
      'sample-residence-card',
    ]);
    expect(JSON.stringify(skills[0])).toBe(
      JSON.stringify({
        skill_id: 'sample-address-change',
        title: 'Report a change of address (sample)',
        summary: 'How to tell the commune that you moved, and what happens then. Sample text.',
        status: 'alpha',
        category: 'sample-commune',
        applies_to: { region: ['brussels', 'flanders', 'wallonia'] },
        requires: [{ id: 'sample-base', selects_on: "has_id_card == 'yes'" }],
        required_by: [
          { id: 'sample-parking-permit' },
          { id: 'sample-residence-card', selects_on: 'moved_since_last_card' },
        ],
        requires_paths: [{ id: 'sample-portal', role: 'submission', timing: 'after-move' }],
        canonical_url: `${BASE}/skills/sample-address-change/canonical`,
      }),
    );
  });

  test('[civic:K12] [civic:G7] reserved filters change nothing, others are refused', async () => {
    const plain = await (await served.get('/agents/skills-graph.json')).text();
    expect(await (await served.get('/agents/skills-graph.json?category=x')).text()).toBe(plain);
    expect((await served.get('/agents/skills-graph.json?status=alpha')).status).toBe(422);
  });

  test('a path without a live source shows in the graph and in its entry tag', async () => {
    let revision = '';
    const health = { revision: () => revision, source: () => 'degraded' as const, lastValidated: () => '2026-10-02' };
    const rotten = createReadApp(files, { health });
    const graph = async () => {
      const response = await rotten.get('/agents/skills-graph.json');
      const body = (await response.json()) as { skills: { requires_paths: object[] }[] };
      return [response.headers.get('etag') === `"${version}"`, body.skills[0]?.requires_paths];
    };
    const before = await graph();
    revision = 'r1';
    expect([before[0], await graph()]).toEqual([
      true,
      [false, [{ id: 'sample-portal', role: 'submission', timing: 'after-move', degraded: true }]],
    ]);
  });
});

describe('a skill', () => {
  test('[civic:K5] [civic:RO3] [civic:G10] is the whole file with its values, as JSON and as Markdown', async () => {
    const { body, ...rest } = (await json('/api/skills/sample-address-change')) as unknown as { body: string };
    expect(rest).toEqual({
      skill_id: 'sample-address-change',
      canonical_url: `${BASE}/skills/sample-address-change/canonical`,
      status: 200,
    });
    const source = files['skills/sample-address-change/canonical.md'] as string;
    expect(body).toBe(
      source
        .replace(
          '<VV name="report-deadline" uid="val-01"/>',
          '<VV name="report-deadline" uid="val-01">8 working days</VV>',
        )
        .replace('<VV name="update-fee" uid="val-02"/>', '<VV name="update-fee" uid="val-02">5 EUR</VV>'),
    );
    const canonical = await served.get('/skills/sample-address-change/canonical');
    expect([await canonical.text(), canonical.headers.get('content-type')]).toEqual([
      body,
      'text/markdown; charset=utf-8',
    ]);
  });

  test('[civic:R4] an agent that meets a dead citation finds the archived address in the text', async () => {
    const { body } = (await json('/api/skills/sample-address-change')) as unknown as { body: string };
    expect(body).toContain(
      'citations: [{ url: "https://law.example.org/1", archived_url: "https://archive.example.org/1" }]',
    );
  });

  test.each(['in-draft', 'in-quarantine', 'in-retraction', 'replaced', 'never-was'])(
    '[civic:RO4] [civic:G2] %s is found nowhere',
    async (id) => {
      const statuses = [];
      for (const path of [
        `/api/skills/${id}`,
        `/skills/${id}/canonical`,
        `/api/onboarding-form?skill_id=${id}`,
        `/api/skills/${id}?with_form=1`,
      ]) {
        statuses.push(((await (await served.get(path)).json()) as { code: string }).code);
      }
      expect(statuses).toEqual(Array(4).fill('target_not_found'));
      for (const path of ['/agents/skills-graph.json', '/llms.txt', `/api/find-skill?query=${id}`]) {
        const text = await (await served.get(path)).text();
        expect(text.replace(`"query":"${id}"`, '')).not.toContain(id);
      }
    },
  );

  test('[civic:RO4] an id of the wrong shape is invalid', async () => {
    for (const id of ['A', 'a_b', '-a', 'a--b', 'a'.repeat(65)]) {
      expect((await served.get(`/api/skills/${id}`)).status).toBe(422);
    }
  });

  test('values that are not rendered are unresolved', async () => {
    const value = (status: string) => `- { uid: val-01, name: n, value: secret, status: ${status}, version: 1.0.0 }\n`;
    const bodies = [];
    for (const status of ['alpha', 'quarantined', 'draft']) {
      const app = createReadApp({
        ...skillFile('a', 'alpha', '', '<VV uid="val-01"/>\n'),
        'catalogue/values.yaml': value(status),
      });
      bodies.push(((await (await app.get('/api/skills/a')).json()) as { body: string }).body.split('---\n')[2]);
    }
    expect(bodies).toEqual([
      '<VV uid="val-01">secret</VV>\n',
      '<VV uid="val-01">[unresolved]</VV>\n',
      '<VV uid="val-01">[unresolved]</VV>\n',
    ]);
  });
});

describe('[civic:RO5] [civic:G9] find_skill', () => {
  test('ranks titles before summaries, tells that it is deprecated, counts and logs without the words', async () => {
    const app = createReadApp({
      ...skillFile('b-title', 'alpha', 'verification_notes: x\n'),
      'skills/a-summary/canonical.md':
        '---\nid: a-summary\ntitle: Other\nsummary: About ＴＩＴＬＥ of x.\nstatus: beta\nversion: 1.0.0\ncategory: c\n---\n',
      'skills/c-both/canonical.md':
        '---\nid: c-both\ntitle: title of\nsummary: TITLE OF x\nstatus: beta\nversion: 1.0.0\ncategory: c\n---\n',
    });
    const answer = await (await app.get('/api/find-skill?query=%20tiTle%20of%20')).json();
    const result = (id: string, title: string, summary: string, score: number) => ({
      skill_id: id,
      title,
      summary,
      score,
      canonical_url: `${BASE}/skills/${id}/canonical`,
    });
    expect(answer).toEqual({
      query: 'tiTle of',
      results: [
        result('c-both', 'title of', 'TITLE OF x', 3),
        result('b-title', 'Title of b-title', 'Summary of b-title.', 2),
        result('a-summary', 'Other', 'About ＴＩＴＬＥ of x.', 1),
      ],
      total: 3,
      deprecated: true,
      replacement: 'get_graph',
    });
    expect([app.counted, app.logged.length, app.logged.join().includes('tiTle')]).toEqual([['find_skill'], 1, false]);
  });

  test('lists ten at most and points to get_graph', async () => {
    const many = Object.assign({}, ...Array.from({ length: 12 }, (_, index) => skillFile(`s-${index}`, 'alpha')));
    const { total } = (await (await createReadApp(many).get('/api/find-skill?query=title')).json()) as {
      total: number;
    };
    const operation = readOperations.find(({ id }) => id === 'civic.find_skill');
    expect([total, operation?.description?.includes('get_graph')]).toEqual([10, true]);
  });
});

describe('what describes the corpus', () => {
  test('[civic:RO10] [civic:K10] [civic:L11] the manifest shows version, numbers and artefacts', async () => {
    expect(await json('/agents/manifest.json')).toEqual({
      version,
      generated_at: '2026-10-01T00:00:00.000Z',
      contract_versions: ['1'],
      endpoints: { mcp: `${BASE}/civic/mcp`, submit: `${BASE}/api/feedback` },
      build: { ok: true, errors: [] },
      config: JSON.parse(JSON.stringify(MANIFEST_CONFIG)),
      artefacts: served.deps.corpus.current()?.snapshot.artefacts,
    });
    expect([Object.keys(MANIFEST_CONFIG), MANIFEST_CONFIG.thresholds.diversity]).toEqual([
      ['thresholds', 'limits', 'capabilities', 'staging_hours', 'locales', 'apps', 'modes'],
      false,
    ]);
  });

  test('[civic:C3] a failing change keeps the last good snapshot, and the manifest says so', async () => {
    const app = createReadApp(files);
    const graph = await (await app.get('/agents/skills-graph.json')).text();
    const before = (await app.get('/agents/manifest.json')).headers.get('etag');
    app.load({ ...files, 'skills/sample-base/canonical.md': 'broken' });
    const response = await app.get('/agents/manifest.json', { 'if-none-match': before ?? '' });
    const { build } = (await response.json()) as { build: { ok: boolean; errors: { code: string; path: string }[] } };
    expect([build.ok, build.errors.map(({ code, path }) => [code, path])]).toEqual([
      false,
      [['frontmatter_invalid', 'skills/sample-base/canonical.md']],
    ]);
    expect(await (await app.get('/agents/skills-graph.json')).text()).toBe(graph);
  });

  test('[civic:C3] a corpus that was never good is not available, but its manifest is', async () => {
    const app = createReadApp({ 'skills/a/canonical.md': 'broken' });
    const graph = await app.get('/agents/skills-graph.json');
    const manifest = (await (await app.get('/agents/manifest.json')).json()) as { build: { ok: boolean } };
    expect([graph.status, ((await graph.json()) as { code: string }).code, manifest.build.ok]).toEqual([
      503,
      'corpus_unavailable',
      false,
    ]);
  });

  test('[civic:RO10] errors.json has a row for every code', async () => {
    const { errors } = (await json('/agents/errors.json')) as unknown as {
      errors: { code: string; http_status: number; docs_page: string }[];
    };
    expect(errors.map(({ code, http_status, docs_page }) => [code, http_status, docs_page])).toEqual(
      Object.entries(civicProblems).map(([code, row]) => [code, row.http, `${BASE}/reference#${code}`]),
    );
  });

  test('[civic:RO10] schemas and scrub rules are those that the other parts gave', async () => {
    expect(await json('/agents/schemas/concern.json')).toEqual(served.deps.schemas.concern);
    expect(await json('/scrub-rules.json')).toEqual({ schema_version: 2, rules: served.deps.scrubRules });
    expect([
      (await served.get('/agents/schemas/nothing.json')).status,
      (await served.get('/agents/schemas/toString.json')).status,
    ]).toEqual([404, 404]);
  });

  test('[civic:RO11] llms.txt has one line per rendered skill', async () => {
    const response = await served.get('/llms.txt');
    const [head, , ...lines] = (await response.text()).trimEnd().split('\n');
    expect(head).toBe(`> Agents read and submit over MCP at ${BASE}/civic/mcp`);
    expect([lines.length, lines[1], response.headers.get('content-type')]).toEqual([
      4,
      `- [What to have ready for any office (sample)](${BASE}/skills/sample-base/canonical): The papers and answers that nearly every office asks for first. Sample text.`,
      'text/plain; charset=utf-8',
    ]);
  });
});

test('[civic:P1] answers have the shape that their operation declares', async () => {
  const paths: Record<string, string> = {
    'civic.get_schema': '/agents/schemas/concern.json',
    'civic.find_skill': '/api/find-skill?query=a',
    'civic.get_path': '/api/paths/sample-portal',
    'civic.get_skill': '/api/skills/sample-base',
  };
  for (const operation of readOperations) {
    const face = operation.http || undefined;
    if (face?.method !== 'GET' || face.contentType) continue;
    const body = await json(paths[operation.id] ?? face.path);
    expect(operation.output.safeParse(body).error?.message).toBeUndefined();
  }
});
