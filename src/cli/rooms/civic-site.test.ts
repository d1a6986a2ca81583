import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Hono } from 'hono';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CorpusBuilder } from '../../civic/corpus/corpus-builder.ts';
import { toSourceFile } from '../../civic/corpus/source-file.ts';
import { allHealthy } from '../../civic/reads/ports.ts';
import { BinderyError } from '../../contract/errors.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { SAMPLE_CORPUS } from '../../store/civic/testing/sample-corpus.ts';
import { LiveSite } from './civic-site.ts';

const dir = mkdtempSync(join(tmpdir(), 'civic-live-'));
const app = new Hono();
let refused = false;
let site: LiveSite;
const erased = new Set<string>();

beforeAll(() => {
  const files = Object.entries(SAMPLE_CORPUS).map(([path, text]) => toSourceFile(path, Buffer.from(text)));
  const { corpus } = new CorpusBuilder().build(files, { generatedAt: () => '2026-10-01T00:00:00.000Z' });
  site = new LiveSite({
    dir,
    name: 'Sample',
    corpus: () => corpus,
    health: allHealthy,
    linkState: () => 'unchecked',
    providers: { directory: () => undefined, isRemoved: () => false },
    erasures: { count: () => erased.size, ids: () => erased },
    clock: { now: () => 0 },
    baseUrl: () => 'http://127.0.0.1:7717',
    log: createMemoryLog(),
  });
  site.serve(app, () => {
    if (refused) throw new BinderyError('rate_limited', { members: { retry_after_seconds: 3 } });
  });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const get = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers });

test('pages are served with a policy, an entity tag and their type; the root leads to the first page', async () => {
  const [root, page, style] = [await get('/site'), await get('/site/'), await get('/site/style.css')];
  const again = await get('/site/', { 'if-none-match': page.headers.get('etag') ?? '' });
  expect([
    [root.status, root.headers.get('location')],
    [
      page.status,
      page.headers.get('content-type'),
      page.headers.get('content-security-policy')?.includes("frame-ancestors 'none'"),
    ],
    style.headers.get('content-type'),
    again.status,
  ]).toEqual([[308, 'site/'], [200, 'text/html; charset=utf-8', true], 'text/css; charset=utf-8', 304]);
});

test('search works without a script, in every language, and a missing page lists the existing ones', async () => {
  const found = await (await get('/site/search.html?q=MARRIAGE')).text();
  const french = await (await get('/site/fr/search.html?q=xyzzy')).text();
  const missing = await get('/site/skills/nothing.html');
  const text = await missing.text();
  expect([
    found.includes('href="skills/sample-marriage.html"') && !found.includes('skills/sample-birth.html"><bdi>'),
    french.includes('<html lang="fr"') && french.includes('Rien ne contient'),
    missing.status,
    text.includes('href="../skills/sample-marriage.html"'),
  ]).toEqual([true, true, 404, true]);
});

test('a query is text, and a path that cannot be decoded is nothing', async () => {
  const text = await (await get('/site/search.html?q=%3Cscript%3E%22')).text();
  expect([
    text.includes('<script>"'),
    (await get('/site/%E0%A4%A')).status,
    (await get('/site/..%2f..%2fetc')).status,
  ]).toEqual([false, 404, 404]);
});

test('the page at the canonical address leads to the site', () => {
  const page = site.skillPage('sample-move')?.text ?? '';
  expect([
    page.includes('href="../../site/style.css"'),
    page.includes('href="../../site/ar/skills/sample-move.html"'),
    site.skillPage('x'),
  ]).toEqual([true, true, undefined]);
});

test('a reader above the limit is refused', async () => {
  refused = true;
  const { status, headers } = await get('/site/');
  refused = false;
  expect([status, headers.get('retry-after')]).toEqual([429, '3']);
});

test('a change whose submission was erased is hidden from the next visit on, without a new read of the history', async () => {
  const path = 'skills/sample-move/canonical.md';
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=k', '-c', 'user.email=k@localhost', ...args]);
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), 'Call 0475 12 34 56.\n');
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'sample-move: Jan said so\n\nSubmission: sub_1\n');
  await site.refresh();
  const pages = ['/site/skills/sample-move.history.html', '/site/ar/changes.html', '/site/changes.atom'];
  const read = async () => (await Promise.all(pages.map(async (page) => (await get(page)).text()))).join('');
  const etag = (await get(pages[0] as string)).headers.get('etag') ?? '';
  const before = await read();
  erased.add('sub_1');
  const after = await read();
  const revalidated = await get(pages[0] as string, { 'if-none-match': etag });
  expect([/0475/.test(before), /Jan said/.test(before), /0475|Jan said/.test(after), revalidated.status]).toEqual([
    true,
    true,
    false,
    200,
  ]);
});
