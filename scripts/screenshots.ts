// `npm run screenshots`: starts the demo and takes a picture of every page into docs/images/, wide and narrow, light and dark.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { launchChromium } from '../test/support/chromium.ts';
import { smallPng } from './demo/small-png.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUT = join(ROOT, process.argv[2] ?? 'docs/images');
const PORT = '7727';
const BASE = `http://127.0.0.1:${PORT}`;

/** Each page in the state that shows most of it. */
const PAGES: Readonly<Record<string, string>> = {
  overview: '#/overview',
  approvals: '#/approvals',
  servers: '#/servers',
  server: '#/servers/weather',
  'add-server': '#/servers/add/new',
  tools: '#/tools',
  tool: '#/tools/notes__read_note',
  find: '#/tools/find?q=find+a+word+in+my+notes',
  audit: '#/audit',
  call: '#/audit?outcome=tool_error',
  verify: '#/audit/verify',
  policy: '#/policy',
  'policy-edit': '#/policy/edit',
  context: '#/context?cache=handbook&q=approve+a+tool+call&budget=600',
  names: '#/names',
  civic: '#/civic',
  'civic-skill': '#/civic/skills/sample-address-change',
  'civic-review': '#/civic/review',
  'civic-forms': '#/civic/forms?skill=sample-address-change',
  'civic-links': '#/civic/links',
  settings: '#/settings/keys',
  'settings-config': '#/settings/config',
  'settings-findings': '#/settings/findings',
};

/** Only to look at, not in docs/images/: `npm run screenshots -- FOLDER all`. */
const ALSO: Readonly<Record<string, string>> = {
  decided: '#/approvals/decided',
  'server-tools': '#/servers/notes/tools',
  'server-changes': '#/servers/weather/changes',
  'server-sign-in': '#/servers/weather/sign-in',
  'server-log': '#/servers/notes/log',
  'server-config': '#/servers/notes/config',
  'policy-check': '#/policy/check',
  'civic-changes': '#/civic/changes',
  'settings-users': '#/settings/users',
  'settings-nodes': '#/settings/nodes',
  'settings-gateway': '#/settings/gateway',
  'sign-in': '#/sign-in',
};
const isAll = process.argv[3] === 'all';

const folder = mkdtempSync(join(tmpdir(), 'bindery-screenshots-'));
mkdirSync(OUT, { recursive: true });
const demo = await startDemo();
const browser = await launchChromium();
try {
  for (const [width, height, theme] of [
    [1440, 900, 'light'],
    [1440, 900, 'dark'],
    [390, 844, 'light'],
    ...(isAll ? ([[390, 844, 'dark']] as const) : []),
  ] as const) {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    await page.goto(await newLink());
    await page.waitForSelector('.sidebar');
    for (const [name, hash] of Object.entries(isAll ? { ...PAGES, ...ALSO } : PAGES)) {
      if (theme === 'dark' && !isAll && name !== 'overview' && name !== 'approvals') continue;
      await page.goto(`${BASE}/${hash}`);
      await settle(page, name);
      const file = join(OUT, `${name}-${width}${theme === 'dark' ? '-dark' : ''}.png`);
      writeFileSync(file, smallPng(await page.screenshot()));
    }
    await context.close();
  }
} finally {
  await browser.close();
  const ended = once(demo, 'exit');
  demo.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

async function settle(page: Page, name: string): Promise<void> {
  await page.locator('.skeleton, .chart-space').first().waitFor({ state: 'detached' });
  if (name === 'verify') {
    await page.getByRole('button', { name: 'Verify in this browser' }).click();
    await page.getByText('every hash and link holds').waitFor();
  }
  if (name === 'overview' || name === 'servers') await page.getByText('tool error: forecast').waitFor();
  if (name === 'call') await page.locator('.rows-body a').first().click();
  if (name === 'add-server') {
    await page.locator('textarea').fill(`${BASE}/civic/mcp`);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('public-corpus');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText(/\d+ tools/).waitFor();
  }
  if (name === 'civic-forms') await page.frameLocator('iframe[title="Form in English"]').locator('form').waitFor();
  // Hide the folders of this machine.
  await page.evaluate(maskFolders([folder, ROOT.replace(/\/$/, '')]));
  // Charts draw one frame after their data.
  await page.mouse.move(0, 0);
  // An approval can be decided once it has been on the screen for half a second.
  if (name === 'approvals') await page.locator('button.danger:enabled').first().waitFor();
  await page.waitForTimeout(400);
}

/** A script for the page: the folders of this run are shown as a home. */
function maskFolders(folders: readonly string[]): string {
  return `{
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode())
      for (const one of ${JSON.stringify(folders)})
        if (node.nodeValue.includes(one)) node.nodeValue = node.nodeValue.replaceAll(one, '~');
  }`;
}

async function newLink(): Promise<string> {
  const token = readFileSync(join(folder, 'data', 'admin.token'), 'utf8').trim();
  const response = await fetch(`${BASE}/console/link`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  return ((await response.json()) as { url: string }).url;
}

/** Starts the demo of `npm start` in another folder. */
async function startDemo(): Promise<ChildProcess> {
  const env = { ...process.env, BINDERY_SAMPLE_DIR: folder };
  const node = (...args: string[]) =>
    spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const cache = join(folder, 'caches', 'handbook');
  const built = node('bin/context.js', 'build', '--sources', 'samples/handbook', '--cache', cache);
  await new Promise((resolve) => built.on('exit', resolve));
  const serving = ['--zones', 'samples/zones', '--corpus', 'samples/corpus', '--providers', 'samples/providers.yaml'];
  const child = node('scripts/demo.ts', 'up', '--port', PORT, '--caches', join(folder, 'caches'), ...serving);
  for (let tries = 0; tries < 300; tries += 1) {
    const waiting = await fetch(`${BASE}/v1/approvals?status=pending`)
      .then((response) => response.json() as Promise<{ total: number }>)
      .catch(() => ({ total: 0 }));
    if (waiting.total > 0) return child;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill('SIGTERM');
  throw new Error('the demo did not start');
}
