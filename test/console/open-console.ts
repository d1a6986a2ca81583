import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { launchChromium } from '../support/chromium.ts';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  until,
  untilKnownTo,
} from '../support/running-bindery.ts';

const SAMPLE_SERVER = fileURLToPath(new URL('../../samples/servers/server.js', import.meta.url));

export const POLICY = {
  allowlist: {
    servers: ['*'],
    tools: { notes: ['list_notes', 'read_note', 'search_notes', 'write_note'] },
    operations: {
      'notes/write_note': { approval_required: true, reason: 'A person looks first.', remember: 'session' },
    },
  },
};

export function sampleServer(name: string) {
  return { transport: 'stdio', command: process.execPath, args: [SAMPLE_SERVER, name] };
}

export interface OpenedConsole {
  readonly home: BinderyHome;
  readonly bindery: RunningBindery;
  readonly browser: Browser;
  readonly policyFile: string;
  /** A browser of its own that signed in. */
  signIn(options?: Parameters<Browser['newContext']>[0]): Promise<{ context: BrowserContext; page: Page }>;
  close(): Promise<void>;
}

/** A gateway with real servers behind it, and a real browser before it; `prepare` writes what the flags name. Calls wait for a person for `waitMs`; `gateway` has more settings. */
export async function openConsole(
  more: Readonly<Record<string, object>> = {},
  prepare: (home: BinderyHome) => readonly string[] = () => [],
  waitMs = 20_000,
  gateway: Readonly<Record<string, unknown>> = {},
): Promise<OpenedConsole> {
  const names = ['notes', 'weather', 'printer'];
  const servers = { ...Object.fromEntries(names.map((name) => [name, sampleServer(name)])), ...more };
  const home = await createHome({
    version: 1,
    mcp: { servers },
    gateway: { approval: { wait_ms: waitMs }, ...gateway },
  });
  const policyFile = join(home.cwd, 'project_mcp.json');
  writeFileSync(policyFile, JSON.stringify(POLICY, null, 2));
  const [bindery, browser] = await Promise.all([startBindery(home, ...prepare(home)), launchChromium()]);
  await untilKnownTo(`Bearer ${bindery.admin()}`, bindery, ...names);
  return {
    home,
    bindery,
    browser,
    policyFile,
    signIn: async (options) => {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
      const page = await context.newPage();
      const { body } = await bindery.api('POST', '/console/link');
      await page.goto((body as { url: string }).url);
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      return { context, page };
    },
    close: async () => {
      await browser.close();
      await bindery.stop();
      await home.remove();
    },
  };
}

/** Opens a page of the console and waits until what it loads is there. */
export async function open(page: Page, { url }: RunningBindery, hash: string): Promise<void> {
  await page.goto(`${url}/#/${hash}`);
  await page.getByRole('main').locator('h1').first().waitFor();
  await page.locator('main .skeleton, main .chart-space').first().waitFor({ state: 'detached' });
}

/** For thousands of lines, screen by screen. */
const READ_MS_MAX = 120_000;

/** Reads on until all arguments have been on the screen; `look` lets time pass where the clock stands still. */
export async function readThrough(place: Locator, look: () => Promise<unknown> = async () => {}): Promise<void> {
  const step = async () => {
    await look();
    if ((await place.getByRole('button', { name: /^Approve/ }).count()) > 0) return true;
    const readOn = place.getByRole('button', { name: /^Read on: / });
    await readOn.click({ timeout: 1_000 }).catch(() => {});
    return false;
  };
  await until('all arguments were on the screen', step, READ_MS_MAX);
}
