import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createReadApp, pathFile, sampleFiles } from './read-app.ts';

const PUBLIC = 'public, max-age=60, s-maxage=60';
const files = sampleFiles();
const served = createReadApp(files);
const version = served.deps.corpus.current()?.snapshot.version as string;

describe('caching', () => {
  const tagged = [
    '/agents/skills-graph.json',
    '/agents/manifest.json',
    '/api/skills/sample-base',
    '/skills/sample-base/canonical',
    '/api/paths',
    '/api/paths/sample-portal',
  ];
  const ownTag = [
    '/agents/errors.json',
    '/agents/schemas/concern.json',
    '/scrub-rules.json',
    '/llms.txt',
    '/api/providers',
  ];

  test.each([...tagged, ...ownTag])(
    '[civic:K13] [civic:K14] [civic:D4] %s has a strong tag, 304 and HEAD',
    async (path) => {
      const response = await served.get(path);
      const etag = response.headers.get('etag') as string;
      const body = await response.text();
      expect(etag).toBe(`"${tagged.includes(path) ? version : createHash('sha256').update(body).digest('hex')}"`);
      expect(response.headers.get('cache-control')).toBe(PUBLIC);
      for (const condition of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const unchanged = await served.get(path, { 'if-none-match': condition });
        expect([
          unchanged.status,
          await unchanged.text(),
          unchanged.headers.get('etag'),
          unchanged.headers.get('cache-control'),
          unchanged.headers.get('content-type'),
        ]).toEqual([304, '', etag, PUBLIC, null]);
      }
      expect((await served.get(path, { 'if-none-match': '"other"' })).status).toBe(200);
      const head = await served.app.request(path, { method: 'HEAD' });
      expect([head.status, await head.text(), head.headers.get('etag'), head.headers.get('content-type')]).toEqual([
        200,
        '',
        etag,
        response.headers.get('content-type'),
      ]);
    },
  );

  test('[civic:K14] [civic:F8] forms are private and untagged, errors are never stored', async () => {
    const headers = async (path: string) => {
      const response = await served.get(path);
      return [response.headers.get('cache-control'), response.headers.get('etag')];
    };
    expect([
      await headers('/api/onboarding-form'),
      await headers('/api/skills/sample-base?with_form=1'),
      await headers('/api/skills/nothing'),
      await headers('/api/find-skill?query=a'),
    ]).toEqual([
      ['private, no-store', null],
      ['private, no-store', null],
      ['no-store', null],
      [PUBLIC, `"${version}"`],
    ]);
  });

  test.each(['/api/onboarding-form', '/api/skills/sample-base?with_form=1'])(
    '[civic:K13] [civic:F8] %s is a form: no condition makes it 304',
    async (path) => {
      const conditions = ['*', '""', '', 'W/""', `"${version}"`];
      const answers = conditions.map((condition) => served.get(path, { 'if-none-match': condition }));
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    },
  );

  test('the second answer comes from memory, is the same, and follows a new snapshot', async () => {
    const app = createReadApp(files);
    const read = async () => {
      const response = await app.get('/api/skills/sample-base');
      return [response.status, [...response.headers].sort(), await response.text()];
    };
    const first = await read();
    const second = await read();
    app.load({ ...files, 'skills/sample-base/canonical.md': `${files['skills/sample-base/canonical.md']}More.\n` });
    const third = await read();
    expect([second, String(third[2]).includes('More.')]).toEqual([first, true]);
  });

  test('a refused caller is refused from memory, too', async () => {
    let refuses = false;
    const app = createReadApp(files, {
      admitRead: () => {
        if (refuses) throw new Error('refused');
      },
    });
    await app.get('/agents/skills-graph.json');
    refuses = true;
    expect((await app.get('/agents/skills-graph.json')).status).toBe(500);
  });

  test('[civic:RO11] other origins may read, without credentials, and nothing else', async () => {
    const response = await served.get('/agents/skills-graph.json', { origin: 'https://a.example' });
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([
      'access-control-allow-methods',
      'access-control-allow-origin',
    ]);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });
});

test('[civic:K13] a tag is the version of the corpus until what was learnt of a source shows in the answer', async () => {
  const sources = 'sources: [{ id: web, source_class: web }]\n';
  const probed = createReadApp(
    { ...pathFile('a', 'alpha', sources), ...pathFile('b', 'alpha', sources) },
    {
      health: {
        revision: () => 'r1',
        source: () => 'ok',
        lastValidated: (id) => (id === 'a' ? '2026-10-02' : undefined),
      },
    },
  );
  const corpus = `"${probed.deps.corpus.current()?.snapshot.version}"`;
  const isPlain = async (path: string) => (await probed.get(path)).headers.get('etag') === corpus;
  expect([
    await isPlain('/agents/skills-graph.json'),
    await isPlain('/api/paths/b'),
    await isPlain('/api/paths?status=stable'),
    await isPlain('/api/paths/a'),
    await isPlain('/api/paths'),
  ]).toEqual([true, true, true, false, false]);
});
