import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { root } from '../support/repository.ts';
import { commandLine } from '../support/running-bindery.ts';

let home: string;
const running: (() => Promise<void>)[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'civic-up-'));
  cpSync(join(root, 'samples/corpus'), join(home, 'corpus'), { recursive: true });
});
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
  rmSync(home, { recursive: true, force: true });
});

function start(...args: string[]) {
  const child = spawn(process.execPath, commandLine(...args), {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, BINDERY_DATA_DIR: join(home, 'data') },
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (written.stdout += chunk));
  child.stderr.on('data', (chunk) => (written.stderr += chunk));
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  running.push(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  return { written, exited };
}

async function run(...args: string[]) {
  const { written, exited } = start(...args);
  const code = await exited;
  running.pop();
  return { ...written, code };
}

async function up(...args: string[]): Promise<string> {
  const { written, exited } = start('up', '--port', '0', '--json', ...args);
  const ready = (async () => {
    while (!written.stdout.includes('\n')) await setTimeout(20);
    return (JSON.parse(written.stdout.split('\n')[0] as string) as { url: string }).url;
  })();
  const failed = exited.then((code) => Promise.reject(new Error(`ended with ${code}: ${written.stderr}`)));
  failed.catch(() => {});
  return Promise.race([ready, failed]);
}

const json = async (url: string) => (await fetch(url)).json() as Promise<Record<string, unknown>>;

async function until<T>(read: () => Promise<T>, isRight: (value: T) => boolean): Promise<T> {
  for (let turn = 0; turn < 200; turn += 1) {
    const value = await read();
    if (isRight(value)) return value;
    await setTimeout(100);
  }
  return read();
}

describe('bindery up', () => {
  test('an empty token is refused: it would look like protection', async () => {
    const { code, stderr } = await run('up', '--port', '0', '--host', '0.0.0.0', '--token', '', '--corpus', 'corpus');
    expect([code, stderr.includes('--token is empty')]).toEqual([1, true]);
  });

  test('[civic:C1] [civic:C2] [civic:V1] [civic:RO5] [civic:M2] serves a corpus and a directory, and counts deprecated calls', async () => {
    const url = await up('--corpus', 'corpus', '--providers', join(root, 'samples/providers.yaml'));
    const port = new URL(url).port;
    const graph = (await json(`${url}/agents/skills-graph.json`)) as { skills: { canonical_url: string }[] };
    expect(graph.skills[0]?.canonical_url).toBe(`http://127.0.0.1:${port}/skills/sample-address-change/canonical`);
    expect((await json(`${url}/api/providers`)).categories).toEqual([
      { id: 'moving-company', title: 'Moving company', total: 0 },
      { id: 'sworn-translation', title: 'Sworn translation', total: 2 },
    ]);
    const shown = await (await fetch(`${url}/site/skills/sample-residence-card.html`)).text();
    expect([shown.includes('Lingua Sample'), shown.includes('Verba Sample'), shown.includes('/api/providers')]).toEqual(
      [true, true, false],
    );
    const copied = await run(
      'civic',
      'site',
      'corpus',
      '--out',
      'public',
      '--providers',
      join(root, 'samples/providers.yaml'),
    );
    const copy = (end: string) => readFileSync(join(home, `public/skills/sample-residence-card.${end}`), 'utf8');
    expect([
      copied.code,
      copy('html').includes('Lingua Sample'),
      copy('md').includes('- Verba Sample: https:'),
    ]).toEqual([0, true, true]);
    const page = await fetch(`${url}/site/changes.atom`, { headers: { origin: 'https://a.example' } });
    expect([page.status, page.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    await json(`${url}/api/find-skill?query=a`);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('bindery_civic_deprecated_calls_total{tool="find_skill"} 1\n');
    const lost = await json(`${url}/api/nothing`);
    expect([lost.code, lost.type]).toEqual([
      'route_not_found',
      `http://127.0.0.1:${port}/agents/errors.json#route_not_found`,
    ]);
    const listed = await fetch(`${url}/civic/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect([listed.status, listed.headers.get('content-type')]).toEqual([200, 'application/json']);
    const { tools } = ((await listed.json()) as { result: { tools: { name: string }[] } }).result;
    expect(tools.map(({ name }) => name).sort()).toEqual(
      [
        ['get_graph', 'find_skill', 'read_skill', 'get_onboarding_form', 'get_path_directory', 'get_path'],
        [
          'get_providers',
          'get_concerns',
          'get_current_status',
          'cancel_submission',
          'submit_feedback',
          'submit_concern',
        ],
        ['submit_amendment', 'submit_validation', 'submit_draft', 'submit_feedback_channel', 'submit_rating'],
      ]
        .flat()
        .sort(),
    );
    expect((await fetch(`${url}/civic/mcp`)).status).toBe(405);
  });

  test('[civic:C3] [civic:K10] follows the folder; equal files give equal bytes after a restart', async () => {
    const url = await up('--corpus', 'corpus');
    const first = (await (await fetch(`${url}/agents/skills-graph.json`)).text()).replaceAll(url, '');
    const file = join(home, 'corpus/skills/sample-base/canonical.md');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, 'broken');
    type Manifest = { build: { ok: boolean; errors: { code: string }[] } };
    const manifest = async () => (await json(`${url}/agents/manifest.json`)) as unknown as Manifest;
    const failed = await until(manifest, ({ build }) => !build.ok);
    expect([
      failed.build.errors.map(({ code }) => code)[0],
      (await fetch(`${url}/api/skills/sample-base`)).status,
    ]).toEqual(['frontmatter_invalid', 200]);
    writeFileSync(file, text.replace('status: stable', 'status: draft'));
    await until(manifest, ({ build }) => build.ok);
    expect((await fetch(`${url}/api/skills/sample-base`)).status).toBe(404);
    writeFileSync(file, text);
    await until(
      async () => (await fetch(`${url}/api/skills/sample-base`)).status,
      (status) => status === 200,
    );
    await running.pop()?.();
    const again = await up('--corpus', 'corpus');
    expect((await (await fetch(`${again}/agents/skills-graph.json`)).text()).replaceAll(again, '')).toBe(first);
  });

  test('[civic:C3] a corpus on the command line that fails its checks ends the start with its errors', async () => {
    writeFileSync(join(home, 'corpus/skills/sample-base/canonical.md'), 'broken');
    const { code, stderr } = await run('up', '--port', '0', '--json', '--corpus', 'corpus');
    const missing = await run('up', '--port', '0', '--corpus', 'nothing');
    expect([
      code,
      stderr.includes('skills/sample-base/canonical.md: does not begin with front matter'),
      missing.code,
      missing.stderr.includes('corpus_missing'),
    ]).toEqual([1, true, 1, true]);
  });

  test('[civic:C1] [civic:C2] [civic:C3] a corpus in the configuration may be broken while the rest serves, and a flag wins over it', async () => {
    mkdirSync(join(home, '.bindery'));
    const configure = (corpus: string) =>
      writeFileSync(
        join(home, '.bindery/config.json'),
        JSON.stringify({ civic: { corpus, base_url: 'https://civic.example.org/' } }),
      );
    mkdirSync(join(home, 'bad/skills/a'), { recursive: true });
    writeFileSync(join(home, 'bad/skills/a/canonical.md'), 'broken');
    configure('../bad');
    const refused = await run('up', '--port', '0');
    expect([
      refused.code,
      refused.stderr.includes('https://civic.example.org is public'),
      /remove civic\.base_url/.test(refused.stderr) && !/listen on 127/.test(refused.stderr),
    ]).toEqual([1, true, true]);
    const url = await up('--token', 'of-the-gateway');
    const manifest = (await json(`${url}/agents/manifest.json`)) as { build: object };
    expect([manifest.build, (await json(`${url}/agents/skills-graph.json`)).code]).toEqual([
      {
        ok: false,
        errors: [
          {
            code: 'frontmatter_invalid',
            path: 'skills/a/canonical.md',
            message: 'does not begin with front matter between two lines of ---',
          },
        ],
      },
      'corpus_unavailable',
    ]);
    const other = await up('--beside', '--corpus', 'corpus', '--token', 'of-the-gateway');
    expect((await json(`${other}/api/skills/sample-base`)).canonical_url).toBe(
      'https://civic.example.org/skills/sample-base/canonical',
    );
  });

  test('a directory of providers that breaks a rule ends the start', async () => {
    writeFileSync(join(home, 'p.yaml'), 'categories: []\nproviders: [{ id: a }]\n');
    const { code, stderr } = await run('up', '--port', '0', '--corpus', 'corpus', '--providers', 'p.yaml');
    expect([code, stderr.includes('providers_invalid')]).toEqual([1, true]);
  });
});

describe('[civic:K16] the commands', () => {
  test('check, build and export', async () => {
    const good = await run('civic', 'check', 'corpus', '--json');
    const built = await run('civic', 'build', 'corpus', '--json');
    const exported = await run('civic', 'export', 'corpus', '--to', 'out', '--json');
    expect([good.code, JSON.parse(good.stdout)]).toEqual([0, { ok: true, errors: [], warnings: [] }]);
    expect([Object.keys(JSON.parse(built.stdout)), JSON.parse(exported.stdout)]).toEqual([
      ['version', 'skills', 'paths', 'ms'],
      { skills: 4, to: 'out' },
    ]);
    const text = readFileSync(join(home, 'out/sample-address-change/SKILL.md'), 'utf8');
    expect([
      text.startsWith('---\nname: sample-address-change\ndescription: How to tell'),
      text.includes('uid="val-01">8 working days</VV>'),
    ]).toEqual([true, true]);
    writeFileSync(join(home, 'corpus/skills/sample-base/canonical.md'), 'broken');
    const bad = await run('civic', 'check', 'corpus', '--json');
    expect([bad.code, JSON.parse(bad.stdout).ok, (await run('civic', 'build', 'corpus', '--json')).code]).toEqual([
      1,
      false,
      1,
    ]);
  });

  test('[civic:V5] check knows the names of a directory', async () => {
    writeFileSync(
      join(home, 'corpus/skills/sample-base/canonical.md'),
      readFileSync(join(home, 'corpus/skills/sample-base/canonical.md'), 'utf8').replace(
        'This is a sample.',
        'Ask lingua sample.',
      ),
    );
    const { code, stdout } = await run(
      'civic',
      'check',
      'corpus',
      '--providers',
      join(root, 'samples/providers.yaml'),
      '--json',
    );
    expect([code, JSON.parse(stdout).errors.map((error: { code: string }) => error.code)]).toEqual([
      1,
      ['provider_named'],
    ]);
  });

  test('[civic:FM9] form-check reads values from a file', async () => {
    writeFileSync(
      join(home, 'values.json'),
      JSON.stringify({ residence_history: { __mode: 'chat', __status: 'pending' } }),
    );
    const { code, stdout } = await run(
      'civic',
      'form-check',
      '--corpus',
      'corpus',
      '--skill-id',
      'sample-residence-card',
      '--values',
      'values.json',
      '--json',
    );
    expect([code, JSON.parse(stdout)]).toEqual([0, { valid: true, pending: ['residence_history'] }]);
  });
});
