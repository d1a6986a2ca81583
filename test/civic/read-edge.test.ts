import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createReadHandler } from '../../src/cli/civic-edge.ts';
import { root } from '../support/repository.ts';
import { BASE, createReadApp, rpc, sampleFiles } from './read-app.ts';

const served = createReadApp(sampleFiles());
const snapshot = served.deps.corpus.current()?.snapshot;
if (!snapshot) throw new Error('the sample corpus fails its checks');
const { schemas, scrubRules } = served.deps;
const handle = createReadHandler(JSON.parse(JSON.stringify(snapshot)), {
  base_url: `${BASE}/`,
  schemas,
  scrub_rules: scrubRules,
});

const described = async (response: Response) => {
  const headers = Object.fromEntries(response.headers);
  return [response.status, headers, (await response.text()).replaceAll(/"request_id":"[^"]*"/g, '')];
};

test.each([
  '/agents/skills-graph.json',
  '/agents/manifest.json',
  '/agents/errors.json',
  '/agents/schemas/concern.json',
  '/scrub-rules.json',
  '/llms.txt',
  '/skills/sample-base/canonical',
  '/api/skills/sample-base',
  '/api/skills/sample-residence-card?with_form=1&locale=ar',
  '/api/skills/nothing',
  '/api/find-skill?query=a',
  '/api/onboarding-form?locale=uk',
  '/api/paths?themes=residence',
  '/api/paths/sample-portal',
  '/api/paths?x=1',
  '/api/providers',
])('[civic:C12] %s is the same at the edge, from a snapshot that travelled as JSON', async (path) => {
  expect(await described(await handle(new Request(`${BASE}${path}`)))).toEqual(await described(await served.get(path)));
});

test('[civic:C12] the read tools are served at the edge', async () => {
  const call = () =>
    rpc({ method: 'tools/call', params: { name: 'read_skill', arguments: { skill_id: 'sample-base' } } });
  expect(await described(await handle(call()))).toEqual(await described(await served.mcp(call(), undefined)));
});

test('[civic:C12] nothing on the way there is of Node', () => {
  const seen = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, names, from] of text.matchAll(/^import\s+(?!type\b)([^;'"]*?)\s+from\s+'([^']+)'/gm)) {
      const onlyTypes = /^\{(?:\s*type\s[^,}]+,?)+\s*\}$/.test(names ?? '');
      if (from?.startsWith('.') && !onlyTypes) visit(join(dirname(file), from));
    }
  };
  visit('src/cli/civic-edge.ts');
  const files = [...seen];
  const ofNode = files.filter((file) =>
    /from 'node:|\bBuffer\.|\bprocess\.|__dirname/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect([files.length > 20, ofNode]).toEqual([true, []]);
});
