import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { McpServer, ProtocolError } from '@modelcontextprotocol/server';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type RunningFixture, startModernFixture } from '../../src/proxy/testing/fixture-server.ts';
import { commandLine, untilKnown } from '../support/running-bindery.ts';
import { violations } from './axe.ts';
import { type OpenedConsole, open, openConsole } from './open-console.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let fixture: RunningFixture;
let opened: OpenedConsole;
let page: Page;
let called: unknown;
beforeAll(async () => {
  fixture = await startModernFixture(() => {
    const server = new McpServer({ name: 'form', version: '1' }, { capabilities: { tools: {} } });
    const inputSchema = z.object({
      title: z.string().min(2).max(40).describe('What it is called.'),
      limit: z.number().int().min(1).max(50).default(10),
      tags: z.array(z.string()).optional(),
      options: z.object({ deep: z.boolean() }).optional(),
      day: z.iso.date().optional(),
      size: z.enum(['small', 'large']).optional(),
    });
    server.registerTool('order', { description: 'Orders.', inputSchema }, async (input) => {
      called = input;
      return { content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] };
    });
    const order = server.server;
    server.registerTool('refuse', { description: 'Answers with a JSON-RPC error.' }, async () => ({ content: [] }));
    const answer = Reflect.get(order, '_requestHandlers') as Map<string, (...given: never[]) => unknown>;
    const usual = answer.get('tools/call');
    answer.set('tools/call', (...given) => {
      const [request] = given as { params?: { name?: string } }[];
      if (request?.params?.name !== 'refuse') return usual?.(...given);
      throw new ProtocolError(-32_050, 'The ledger is closed.', { code: 'POLICY_DENIED' });
    });
    return server;
  });
  opened = await openConsole({ form: { transport: 'http', url: fixture.url } });
  await untilKnown(opened.bindery, 'form');
  ({ page } = await opened.signIn());
});
afterAll(async () => {
  await opened.close();
  await fixture.close();
});
const form = () => page.locator('form.call-form');
const call = () => form().getByRole('button', { name: 'Call', exact: true }).click();

test('each field of a call says its type, range, default and format', async () => {
  await open(page, opened.bindery, 'tools/form__order');
  const facts = await form().locator('.facts-line').allInnerTexts();
  expect(facts).toEqual([
    'required · text · 2 to 40 characters',
    'whole number · 1 to 50 · default 10',
    'list, each a text',
    'object, as JSON: { … }',
    expect.stringMatching(/^text · format date/),
    'one of these',
  ]);
  expect(await violations(page)).toEqual([]);
});

test('a call with a mistake is not made, and the field is named', async () => {
  await open(page, opened.bindery, 'tools/form__order');
  await call();
  await form().getByRole('alert').getByText('Not called: title is required.').waitFor();
  await form()
    .getByLabel(/^title/)
    .fill('Chair');
  await form()
    .getByLabel(/^limit/)
    .fill('70');
  await form()
    .getByLabel(/^options/)
    .fill('{deep: yes}');
  await call();
  const told = form().getByRole('alert');
  await told.getByText('limit must be at most 50').waitFor();
  await told.getByText(/options is no JSON/).waitFor();
  expect([called, await form().locator('[aria-invalid=true]').count()]).toEqual([undefined, 2]);
  expect(await violations(page)).toEqual([]);
});

test('a call sends what was given, shows the picture it got, and stands under the last calls at once', async () => {
  await open(page, opened.bindery, 'tools/form__order');
  await page.reload();
  await page.getByText('It was not called yet.').waitFor();
  await form()
    .getByLabel(/^title/)
    .fill('Chair');
  await form().getByLabel('tags, entry 1', { exact: true }).fill('oak');
  await form().getByRole('button', { name: 'Add an entry' }).click();
  await form().getByLabel('tags, entry 2', { exact: true }).fill('');
  await form().getByRole('button', { name: 'Add an entry' }).click();
  await form().getByLabel('tags, entry 3', { exact: true }).fill('old');
  await form().getByRole('button', { name: 'Remove entry 2 of tags' }).click();
  await form()
    .getByLabel(/^options/)
    .fill('{"deep": true}');
  await form().getByLabel(/^size/).selectOption('large');
  await call();
  await form().getByText('It answered').waitFor();
  expect(called).toEqual({
    title: 'Chair',
    limit: 10,
    tags: ['oak', 'old'],
    options: { deep: true },
    size: 'large',
  });
  const picture = form().getByRole('img', { name: /Picture/ });
  await expect.poll(() => picture.getAttribute('width')).toBe('1');
  expect(await form().getByText(PIXEL.slice(0, 20)).count()).toBe(0);
  await page.locator('.badge.ok').getByText('ok', { exact: true }).waitFor();
  expect(await page.getByText('It was not called yet.').count()).toBe(0);
});

test('an error that the server answered with is its own, with its message, here and for the command', async () => {
  await open(page, opened.bindery, 'tools/form__refuse');
  await call();
  const told = await form().getByRole('alert').innerText();
  expect([told.includes('The ledger is closed.'), told.includes('UPSTREAM_ERROR'), told.includes('GATEWAY')]).toEqual([
    ...[true, true, false],
  ]);
  const { cwd, env } = opened.home;
  const command = commandLine('tools', 'call', 'form__refuse');
  const failed = await promisify(execFile)(process.execPath, command, { cwd, env }).catch((thrown: unknown) => thrown);
  expect(failed).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /The ledger is closed\.[\s\S]*UPSTREAM_ERROR|UPSTREAM_ERROR[\s\S]*The ledger is closed/,
    ),
  });
});
