import { McpServer } from '@modelcontextprotocol/server';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type RunningFixture, startModernFixture } from '../../src/proxy/testing/fixture-server.ts';
import { untilKnown } from '../support/running-bindery.ts';
import { callTool } from './call-tool.ts';
import { type OpenedConsole, open, openConsole } from './open-console.ts';

const SCRIPT = '<img src=x onerror="globalThis.wasRun=1"><script>globalThis.wasRun=1</script>';
const BIDI = 'safe\u202egnp.exe\u2066';
const ZERO_WIDTH = 'in\u200bvis\u2060ible\u{e0041}';
const HUGE = 'long '.repeat(40_000);
const TEXT = `${SCRIPT} ${BIDI} ${ZERO_WIDTH} [click](javascript:alert(1)) ${HUGE}`;

let fixture: RunningFixture;
let opened: OpenedConsole;
let page: Page;
beforeAll(async () => {
  fixture = await startModernFixture(() => {
    const server = new McpServer({ name: `${SCRIPT}${BIDI}`, version: ZERO_WIDTH }, { capabilities: { tools: {} } });
    const inputSchema = z.object({ text: z.string().describe(`${SCRIPT} ${BIDI}`) });
    server.registerTool('evil', { title: SCRIPT, description: TEXT, inputSchema }, async () => ({
      content: [{ type: 'text', text: TEXT }],
    }));
    return server;
  });
  opened = await openConsole({ evil: { transport: 'http', url: fixture.url } });
  await untilKnown(opened.bindery, 'evil');
  ({ page } = await opened.signIn());
});
afterAll(async () => {
  await opened.close();
  await fixture.close();
});

/** Nothing of the text became an element, and what is not seen is shown. */
async function expectHarmless(): Promise<void> {
  const found = await page.evaluate(`[
    globalThis.wasRun ?? 0,
    document.querySelectorAll('main img, main script, dialog img, dialog script, main a[href^="javascript"]').length,
    /[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\u2060]/.test(document.body.innerText),
  ]`);
  expect(found).toEqual([0, 0, false]);
}

test.each(['tools', 'tools/evil__evil', 'servers/evil', 'servers/evil/tools', 'policy', 'tools/find?q=evil'])(
  'texts of a hostile server stay texts at %s',
  async (hash) => {
    await open(page, opened.bindery, hash);
    await page.getByRole('main').getByText('evil').filter({ visible: true }).first().waitFor();
    await expectHarmless();
  },
);

test('what a hostile server answers, and what an agent wrote into arguments, stays text', async () => {
  await open(page, opened.bindery, 'tools/evil__evil');
  await page.getByText('U+202E').first().waitFor();
  await page
    .getByRole('button', { name: /show all/ })
    .first()
    .waitFor();
  await page.getByRole('main').locator('form').getByRole('textbox').fill(`${SCRIPT} ${BIDI}`);
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await page.getByText('It answered').waitFor();
  await expectHarmless();
  await open(page, opened.bindery, 'approvals');
  const answer = callTool(opened.bindery, 'notes__write_note', { name: SCRIPT, content: `${BIDI} ${ZERO_WIDTH}` });
  await page.getByRole('article').waitFor();
  await expectHarmless();
  await page.getByRole('button', { name: 'Show the exact bytes' }).click();
  await page.getByText('This look is recorded.').waitFor();
  await expectHarmless();
  await page.getByRole('button', { name: 'Approve once' }).click();
  await answer;
  await open(page, opened.bindery, 'audit?server=notes');
  await page.getByRole('table', { name: 'Calls' }).getByText('notes / write_note').first().click();
  await page.getByRole('dialog').getByText('Records as stored').waitFor();
  await expectHarmless();
});
