import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOCALES } from '../../src/civic/config.ts';
import { CorpusBuilder } from '../../src/civic/corpus/corpus-builder.ts';
import { toSourceFile } from '../../src/civic/corpus/source-file.ts';
import { allHealthy } from '../../src/civic/reads/ports.ts';
import { localePath } from '../../src/civic/site/layout.ts';
import { GitHistory } from '../../src/store/corpus/git-history.ts';
import { writeSite } from '../../src/store/corpus/site-folder.ts';
import { launchChromium } from '../support/chromium.ts';
import { writeCorpus } from '../support/large-corpus.ts';
import { root } from '../support/repository.ts';
import { sampleFiles } from './read-app.ts';

/** Where to leave pictures of the site, for a person to look at. */
const PICTURES = process.env.CIVIC_PICTURES;
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
};
const axe = readFileSync(join(root, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');

let scratch: string;
let server: Server;
let browser: Browser;
let base: string;

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'civic-site-'));
  const [dir, out] = [join(scratch, 'corpus'), join(scratch, 'out')];
  writeCorpus(dir, sampleFiles(), 'Add the corpus\n\nIt is a sample.');
  const files = Object.entries(sampleFiles()).map(([path, text]) => toSourceFile(path, Buffer.from(text)));
  const { corpus } = new CorpusBuilder().build(files, { generatedAt: () => '2026-10-01T00:00:00.000Z' });
  await writeSite(out, {
    corpus: corpus as NonNullable<typeof corpus>,
    history: await new GitHistory(dir).read(),
    health: allHealthy,
    providers: () => [],
    linkState: (_, url) => (url.endsWith('/1') ? 'dead' : 'reached'),
    pages: new Map(),
    name: 'Sample corpus',
    baseUrl: undefined,
    isLive: false,
    program: 'test',
  });
  server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname;
    response.setHeader('content-type', TYPES[extname(path)] ?? 'text/html; charset=utf-8');
    response.end(readFileSync(join(out, path)));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  server.close();
  rmSync(scratch, { recursive: true, force: true });
});

const PAGES = [
  'index.html',
  'skills/sample-address-change.html',
  'skills/sample-base.history.html',
  'paths/sample-portal.html',
  'values.html',
  'references.html',
  'graph.html',
  'changes.html',
  'search.html',
  'policy.html',
  'principles.html',
];

test.each<['en' | 'ar', number, 'light' | 'dark']>([
  ['en', 1280, 'light'],
  ['en', 390, 'dark'],
  ['ar', 1280, 'dark'],
  ['ar', 390, 'light'],
])(
  'pages in %s, %i pixels wide, %s: nothing for axe to say, nothing cut off, nothing from elsewhere',
  async (locale, width, colorScheme) => {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
    const foreign: string[] = [];
    page.on('request', (request) => request.url().startsWith(base) || foreign.push(request.url()));
    const found: string[] = [];
    for (const path of PAGES) {
      await page.goto(`${base}${locale === 'en' ? '' : 'ar/'}${path}`);
      await page.evaluate(axe);
      const violations = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
      );
      found.push(...violations.map(({ id, nodes }) => `${path}: ${id} ${nodes[0]?.html}`));
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      if (Number(overflow) > 0) found.push(`${path}: ${overflow} pixels too wide`);
      if (PICTURES) {
        mkdirSync(PICTURES, { recursive: true });
        const name = `site-${path.replaceAll('/', '-').replace('.html', '')}-${locale}-${width}.png`;
        await page.screenshot({ path: join(PICTURES, name), fullPage: true });
      }
    }
    await page.close();
    expect([found, foreign]).toEqual([[], []]);
  },
);

test('no page is wider than a phone, in any language', async () => {
  const page = await browser.newPage({ viewport: { width: 375, height: 800 } });
  const wide: string[] = [];
  for (const path of LOCALES.flatMap((locale) => PAGES.map((one) => localePath(locale, one)))) {
    await page.goto(`${base}${path}`);
    const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
    if (overflow > 0) wide.push(`${path}: ${overflow}`);
  }
  await page.close();
  expect(wide).toEqual([]);
});

test('a static copy is searched by its script, under its own policy', async () => {
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(`${base}index.html`);
  await page.fill('#q', 'ADDRESS change');
  await page.press('#q', 'Enter');
  await page.waitForFunction("document.getElementById('count')?.textContent !== ''");
  const titles = await page.locator('#results a').allTextContents();
  const count = await page.locator('#count').textContent();
  await page.close();
  expect([titles, count, errors]).toEqual([['Report a change of address (sample)'], '1 found', []]);
});
