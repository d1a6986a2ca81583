import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES, request } from '../../src/store/civic/testing/requests.ts';
import { SAMPLE_CORPUS } from '../../src/store/civic/testing/sample-corpus.ts';
import { writeFiles } from '../../src/store/civic/testing/write-room.ts';
import { HttpFixture } from '../fixtures/servers/http-server.ts';
import { root } from '../support/repository.ts';
import { type OpenedConsole, open, openConsole } from './open-console.ts';

const HOSTILE = '<img src=x onerror="globalThis.wasRun=1">\u202egnp.exe in\u200bvisible';
const HANDBOOK = join(root, 'samples', 'handbook');

/** A server that wants a sign-in, at an authorization server that takes no new clients. */
const locked: HttpFixture = new HttpFixture((reply) => {
  const { origin } = locked;
  if (reply.seen.path.startsWith('/.well-known/oauth-protected-resource'))
    reply.json({ resource: locked.url, authorization_servers: [origin] });
  else if (reply.seen.path.startsWith('/.well-known/oauth-authorization-server')) {
    const endpoints = { authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` };
    reply.json({ issuer: origin, ...endpoints, code_challenge_methods_supported: ['S256'] });
  } else {
    const metadata = `${origin}/.well-known/oauth-protected-resource`;
    reply.json({}, 401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` });
  }
});

let opened: OpenedConsole;
let page: Page;
beforeAll(async () => {
  await locked.listen();
  const corpus = { transport: 'http', url: locked.url };
  opened = await openConsole({ locked: corpus }, (home) => {
    writeFiles(join(home.dir, 'corpus'), SAMPLE_CORPUS);
    mkdirSync(join(home.dir, 'caches'));
    const at = (name: string) => join(home.dir, name);
    return ['--zones', join(root, 'samples', 'zones'), '--corpus', at('corpus'), '--caches', at('caches')];
  });
  ({ page } = await opened.signIn());
});
afterAll(async () => {
  await opened.close();
  await locked.close();
});
const button = (name: string | RegExp) => page.getByRole('button', { name });
const show = (hash: string) => open(page, opened.bindery, hash);
const submit = (type: keyof typeof ROUTES, changes: object) =>
  opened.bindery.api('POST', ROUTES[type], request(type, { submitted_at: new Date().toISOString(), ...changes }), '');

test('a held amendment is decided from its diff, its evidence and the rule that held it', async () => {
  const held = await submit('amendment', { rationale: 'My name is Anna Peeters and the form must be signed.' });
  const told = await submit('feedback', { body: 'The desk was kind.' });
  expect([held.status, told.status]).toEqual([202, 202]);
  await show('civic/review');
  await button('Personal data 1').click();
  const detail = page.getByRole('article');
  await detail.getByText('person_name').first().waitFor();
  await detail.getByText('+Bring the signed form.', { exact: true }).waitFor();
  expect([
    await detail.getByRole('link', { name: 'https://law.example.org/2' }).count(),
    await detail.getByText(/Anna Peeters/).count(),
  ]).toEqual([1, 3]);
  await detail.getByRole('button', { name: 'Release without what was found' }).click();
  await button('Personal data 0').waitFor();
  await button('Feedback 1').click();
  await page.getByRole('article').locator('dd').getByText('The desk was kind.').waitFor();
  await show('civic/review?state=decided');
  await page.getByRole('article').getByText('release').first().waitFor();
});

test('what the gateway works out for a case is shown, and hostile words in it stay words', async () => {
  const { body } = await opened.bindery.api('GET', '/api/review');
  const [{ queue_id }] = (body as { items: { queue_id: string }[] }).items as [{ queue_id: string }];
  const votes = { confirms: 2, rejects: 1, utc_days: 2, toward: [] };
  const conditions = [{ name: 'confirms', have: 2, need: 3, met: false }];
  await page.route(`**/api/review/${queue_id}/case`, (route) =>
    route.fulfill({
      json: {
        decisions: ['close'],
        change: { path: 'skills/x/canonical.md', diff: `-old\n+${HOSTILE}`, applies: false, problem: HOSTILE },
        protected: [{ field: 'supersedes', gate: 'maintainer', reason: HOSTILE }],
        amendment_votes: { ...votes, toward: [{ to: 'merged', conditions }] },
        evidence: [{ url: 'javascript:alert(1)', state: 'dead', host: 'foreign' }],
        findings: [{ rule: 'person_name', pointer: '/rationale', text: HOSTILE }],
        earlier: [{ queue_id: 'que_1', decision: 'close', decided_at: '2026-11-01T00:00:00Z', alike: [HOSTILE] }],
      },
    }),
  );
  await show(`civic/review/${queue_id}`);
  await page.reload();
  const detail = page.getByRole('article');
  await detail.getByText('confirms 2 / 3').waitFor();
  await detail.getByText('2 confirm, 1 reject, on 2 days.').waitFor();
  const found = await page.evaluate(`[
    globalThis.wasRun ?? 0,
    document.querySelectorAll('main img, main script, main a[href^="javascript"]').length,
    /[\\u202a-\\u202e\\u200b]/.test(document.body.innerText),
    document.querySelectorAll('main .hidden-character').length >= 8,
  ]`);
  expect(found).toEqual([0, 0, false, true]);
  await page.unroute(`**/api/review/${queue_id}/case`);
});

test('a form is seen in each of six locales, Arabic from right to left, in a frame of its own origin', async () => {
  await show('civic/forms?skill=sample-move');
  const frames = page.locator('main iframe');
  await expect.poll(() => frames.count()).toBe(6);
  const arabic = page.frameLocator('iframe[title="Form in العربية"]');
  await arabic.locator('form').waitFor();
  expect([
    await arabic.locator('form').getAttribute('dir'),
    await arabic.locator('legend').first().textContent(),
    await frames.first().getAttribute('sandbox'),
  ]).toEqual(['rtl', 'معلومات عنك', 'allow-scripts']);
});

test('links, skills and the changes of a corpus each have a page', async () => {
  await show('civic/links');
  await page.getByText('https://portal.example.org/start').waitFor();
  await page.getByText('None of the 2 sources was tried yet.').waitFor();
  const { body } = await opened.bindery.api('GET', '/api/paths');
  const tried = JSON.stringify(body).replace('"last_validated":null', '"last_validated":"2026-11-01T00:00:00.000Z"');
  await page.route('**/api/paths', (route) => route.fulfill({ contentType: 'application/json', body: tried }));
  await show('civic/skills');
  await show('civic/links');
  await page.getByText('No failure of the 2 sources was reported.').waitFor();
  await page.unroute('**/api/paths');
  await show('civic/skills/sample-move');
  await page.getByText('Bring the card.').first().waitFor();
  expect(await page.getByText('<VV').count()).toBe(0);
  await show('civic/changes');
  await page.getByText('No amendment was merged yet.').waitFor();
});

test('a cache is built with its progress, and a query shows what was left out and why', async () => {
  await show('context');
  await button('Build a cache').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Cache').fill('handbook');
  await dialog.getByLabel(/Folder of Markdown/).fill('/nowhere/at/all');
  await dialog.getByRole('button', { name: 'Build a cache' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel(/Folder of Markdown/).fill(HANDBOOK);
  await dialog.getByRole('button', { name: 'Build a cache' }).click();
  await dialog.getByText('Built 8 documents.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await show('context?cache=handbook&q=approve+a+tool+call&budget=300');
  const leftOut = page.getByRole('region', { name: 'Left out' });
  await leftOut
    .getByText(/needs \d+ tokens; \d+ were left/)
    .first()
    .waitFor();
  expect(
    await page
      .getByRole('group', { name: /drawn to scale/ })
      .getByRole('button')
      .count(),
  ).toBe(2);
});

test('a name shows its cascade, who signed it and what lint says', async () => {
  await show('names');
  await page.getByRole('link', { name: 'ai://acme' }).click();
  const detail = page.getByRole('article');
  await detail.getByText('outranked').first().waitFor();
  await detail.getByText('not signed').waitFor();
  await detail.getByText('· The gateway signs answers').waitFor();
  await detail.getByRole('heading', { name: 'Lint of this name' }).waitFor();
  expect(await detail.locator('svg .selected').count()).toBe(1);
});

test('a name that leads nowhere says why in a sentence, and what the resolver answered is folded', async () => {
  await page.route('**/codex/explain?*', (route) =>
    route.fulfill({ json: { identity: 'ai://x', zones: [], candidates: [], failure: { code: 'NO_MCP_RECORDS' } } }),
  );
  await show('names/ai%3A%2F%2Fx');
  const detail = page.getByRole('article');
  await detail.getByText('It leads to no MCP server').waitFor();
  expect(await detail.getByText('NO_MCP_RECORDS').isVisible()).toBe(false);
  await page.unroute('**/codex/explain?*');
});

test('labels of a row of fields stand on one line', async () => {
  await show('context');
  const tops = await page
    .locator('.filters label > span:first-child')
    .evaluateAll((labels) => labels.map((label) => Math.round(label.getBoundingClientRect().top)));
  expect([tops.length > 1, new Set(tops).size]).toEqual([true, 1]);
});

test('settings say where each value comes from, which nodes there are, and what doctor finds', async () => {
  await show('settings/config');
  await page.getByLabel('Filter').fill('context.caches');
  const row = page.getByRole('row', { name: /context\.caches/ });
  await row.getByText('flag of bindery up').waitFor();
  expect(await row.getByText('--caches').count()).toBe(1);
  await show('settings/nodes');
  await page.getByText('answers you now').waitFor();
  await show('settings/findings');
  await page.getByText('locked asks for a sign-in').waitFor();
  await page
    .getByRole('row', { name: /locked asks/ })
    .getByRole('button', { name: 'Copy' })
    .waitFor();
});

test('a sign-in that fails says at which step, and what to do', async () => {
  await show('servers/locked/sign-in');
  await button('Sign in').click();
  await page.getByText('Find who authorizes for it').waitFor();
  await page.getByText(/set oauth.client_id of the server/).waitFor();
  const steps = page.locator('.steps');
  expect([
    await steps.getByText(locked.origin, { exact: true }).count(),
    await steps.locator('.badge.failed').allTextContents(),
    await steps.getByText(/^GET .*oauth-authorization-server$/).count(),
    await steps.getByText('200 application/json').count(),
  ]).toEqual([1, ['Register this gateway as a client'], 1, 2]);
  await show('servers/notes');
  await page.getByRole('heading', { name: 'Health' }).waitFor();
});

test('a reader sees that something waits for others and changes nothing, by the page or beside it', async () => {
  const context = await opened.browser.newContext();
  const reader = await context.newPage();
  await open(reader, opened.bindery, 'civic/review');
  await reader.getByText('Sign in as admin to see and decide').waitFor();
  await open(reader, opened.bindery, 'context');
  expect(await reader.getByRole('button', { name: 'Build a cache' }).count()).toBe(0);
  await context.close();
  const { body } = await opened.bindery.api('GET', '/api/review');
  const [{ queue_id }] = (body as { items: { queue_id: string }[] }).items as [{ queue_id: string }];
  const entry = { transport: 'stdio', command: process.execPath };
  const asked: [string, string, object | undefined][] = [
    ['GET', '/api/review', undefined],
    ['POST', `/api/review/${queue_id}`, { decision: 'close' }],
    ['POST', '/v1/config/servers/test', { id: 'x', entry }],
    ['POST', '/v1/context/caches/x/build', { sources: HANDBOOK }],
  ];
  const created = await opened.bindery.api('POST', '/v1/keys', { name: 'k', scope: 'admin' });
  const key = `Bearer ${(created.body as { key: string }).key}`;
  const codes = (authorization: string) =>
    Promise.all(
      asked.map(async ([method, path, sent]) => {
        const { status, body: problem } = await opened.bindery.api(method, path, sent, authorization);
        return `${status} ${(problem as { code: string }).code}`;
      }),
    );
  const refused = ['maintainer_required', 'maintainer_required', 'ADMIN_REQUIRED', 'ADMIN_REQUIRED'];
  const expected = refused.map((code) => `401 ${code}`);
  expect([await codes(''), await codes(key)]).toEqual([expected, expected]);
});

test('another page cannot use the sign-in of a browser to decide or to start a program', async () => {
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const consoleKey = String(await page.evaluate("localStorage.getItem('bindery_console_key')"));
  const post = async (path: string, headers: Record<string, string>, body: object) => {
    const sent = { 'content-type': 'application/json', cookie, ...headers };
    const response = await fetch(`${opened.bindery.url}${path}`, {
      method: 'POST',
      headers: sent,
      body: JSON.stringify(body),
    });
    await response.body?.cancel();
    return response.status;
  };
  const entry = { transport: 'stdio', command: process.execPath, args: ['--version'] };
  const foreign = { origin: 'http://evil.example', 'bindery-console-key': consoleKey };
  const own = { origin: opened.bindery.url, 'bindery-console-key': consoleKey };
  expect([
    await post('/v1/config/servers/test', { origin: opened.bindery.url }, { id: 'x', entry }),
    await post('/v1/config/servers/test', foreign, { id: 'x', entry }),
    await post('/api/review/que_x', foreign, { decision: 'close' }),
    await post('/v1/config/servers/test', own, { id: 'x', entry }),
  ]).toEqual([401, 403, 403, 200]);
  expect(readFileSync(join(opened.home.dir, '.bindery', 'config.json'), 'utf8').includes('--version')).toBe(false);
});
