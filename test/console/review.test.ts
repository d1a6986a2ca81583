import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES, request } from '../../src/store/civic/testing/requests.ts';
import { SAMPLE_CORPUS } from '../../src/store/civic/testing/sample-corpus.ts';
import { writeFiles } from '../../src/store/civic/testing/write-room.ts';
import { type OpenedConsole, open, openConsole } from './open-console.ts';

let opened: OpenedConsole;
let ada: Page;
let ben: Page;
beforeAll(async () => {
  opened = await openConsole({}, (home) => {
    writeFiles(join(home.dir, 'corpus'), SAMPLE_CORPUS);
    return ['--corpus', join(home.dir, 'corpus'), '--trusted-proxy', '127.0.0.0/8'];
  });
  const pages = await Promise.all([opened.signIn(), opened.signIn()]);
  [ada, ben] = pages.map(({ page }) => page) as [Page, Page];
  await feedback('The first desk was kind.');
  await feedback('The second desk was slow.');
  await feedback('The third desk was closed.');
  const held = await submit('amendment', { rationale: 'My name is Anna Peeters and the form must be signed.' });
  expect(held.status).toBe(202);
});
afterAll(() => opened.close());

const submit = (type: keyof typeof ROUTES, changes: object) =>
  opened.bindery.api('POST', ROUTES[type], request(type, { submitted_at: new Date().toISOString(), ...changes }), '');

async function feedback(body: string): Promise<void> {
  expect((await submit('feedback', { body })).status).toBe(202);
}

interface Entry {
  readonly queue_id: string;
  readonly class: string;
  readonly claimed_by?: string;
}

async function waiting(): Promise<readonly Entry[]> {
  const { body } = await opened.bindery.api('GET', '/api/review');
  return (body as { items: Entry[] }).items;
}

async function firstOf(name: string): Promise<string> {
  return (await waiting()).find((item) => item.class === name)?.queue_id as string;
}

test('a reviewer claims an item, another sees that and takes it over, and gives it back', async () => {
  const id = await firstOf('feedback_triage');
  await Promise.all([ada, ben].map((page) => open(page, opened.bindery, `civic/review/${id}`)));
  await ada.getByLabel('Your name').fill('Ada');
  await ada.getByRole('button', { name: 'Claim' }).click();
  await ada.getByRole('article').getByText('You look at it until').waitFor();
  // Nobody reloads: the other page asks by itself.
  await ben.getByRole('article').getByText('Ada looks at it until').waitFor();
  await ben.getByRole('list', { name: 'Review' }).getByText('Ada looks at it').waitFor();
  await ben.getByLabel('Your name').fill('Ben');
  await ben.getByRole('button', { name: 'Take over' }).click();
  await ada.getByRole('article').getByText('Ben looks at it until').waitFor();
  await ben.getByRole('button', { name: 'Give back' }).click();
  await ada.getByRole('button', { name: 'Claim' }).waitFor();
  expect((await waiting()).filter(({ claimed_by }) => claimed_by !== undefined)).toEqual([]);
});

test('several items are decided with one reason, each with its own result, and one that was decided meanwhile says so', async () => {
  await open(ada, opened.bindery, 'civic/review');
  await ada.getByRole('button', { name: 'Feedback 3' }).click();
  await ada.getByRole('button', { name: 'Choose all 3' }).click();
  await ada.getByRole('button', { name: 'Close (3)' }).click();
  const dialog = ada.getByRole('dialog', { name: 'Close (3)' });
  await dialog.getByLabel(/One reason for all senders/).fill('Thank you; the desk was told.');
  // The other reviewer is faster with one of them.
  const first = await firstOf('feedback_triage');
  const decided = await opened.bindery.api('POST', `/api/review/${first}`, { decision: 'close' });
  expect(decided.status).toBe(200);
  await dialog.getByRole('button', { name: 'Close (3)' }).click();
  const results = ada.getByRole('region', { name: 'What became of it' });
  await results.getByText('already_decided').waitFor();
  expect([await results.getByText('Done: Close').count(), await results.getByText('Refused').count()]).toEqual([2, 1]);
  expect((await waiting()).map((item) => item.class)).toEqual(['ner_hold']);
});

test('a decision is taken back where it was made, and the other reviewer has the item again', async () => {
  await open(ben, opened.bindery, 'civic/review');
  await ada.getByRole('region', { name: 'What became of it' }).getByRole('button', { name: 'Undo' }).first().click();
  await ada.getByRole('region', { name: 'What became of it' }).getByText('Waits again').waitFor();
  await ben.getByRole('button', { name: 'Feedback 1' }).waitFor();
  const id = await firstOf('ner_hold');
  await open(ben, opened.bindery, `civic/review/${id}`);
  await open(ada, opened.bindery, `civic/review/${id}`);
  await ben.getByRole('article').getByRole('button', { name: 'Reject' }).click();
  await ben.getByText('Done: Reject').waitFor();
  // What is open at the other's shows the decision, and can take it back there too.
  await ada.getByRole('article').getByRole('button', { name: 'Undo' }).click();
  await ada.getByRole('article').getByRole('button', { name: 'Reject' }).waitFor();
  await ben.getByRole('button', { name: 'Personal data 1' }).waitFor();
});

test('items without a decision in common cannot be decided together, and whoever has not signed in sees none', async () => {
  await open(ada, opened.bindery, 'civic/review');
  await ada.getByRole('button', { name: 'All 2' }).first().click();
  await ada.getByRole('button', { name: 'Choose all 2' }).click();
  await ada.getByText('They have no decision in common.').waitFor();
  const context = await opened.browser.newContext();
  const reader = await context.newPage();
  await open(reader, opened.bindery, 'civic/review');
  await reader.getByText('Sign in as admin to see and decide').waitFor();
  expect(await reader.getByRole('main').getByRole('button').count()).toBe(0);
  await context.close();
});

test('a burst of concerns is read page by page, and only what was read is released', async () => {
  const { url } = opened.bindery;
  const listed = async () => {
    const response = await fetch(`${url}/api/concerns?target_type=skill&target_id=sample-move`);
    return ((await response.json()) as { total: number }).total;
  };
  // So many are listed at once; the others wait together.
  for (let n = 0; n < 60 + 70; n++) {
    const sent = request('concern', {
      submitted_at: new Date().toISOString(),
      report: `Window ${n} of the desk is shut.`,
    });
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${n}` };
    const { status } = await fetch(`${url}${ROUTES.concern}`, { method: 'POST', headers, body: JSON.stringify(sent) });
    expect(status).toBe(202);
  }
  const before = await listed();
  const items = (await opened.bindery.api('GET', '/api/review')).body as { items: (Entry & { reason?: string })[] };
  const id = items.items.find(({ reason }) => reason === 'concern_burst')?.queue_id as string;
  await open(ada, opened.bindery, `civic/review/${id}`);
  const article = ada.getByRole('article');
  await article.getByText('Concerns 1 to 50 of 70').waitFor();
  await article.getByRole('button', { name: 'Show more' }).click();
  await article.getByText('Concerns 1 to 70 of 70').waitFor();
  await article.getByText('Window 129 of the desk is shut.').waitFor();
  await article.getByRole('button', { name: 'Release' }).click();
  await ada.getByText('Done: Release').waitFor();
  expect([before, await listed()]).toEqual([60, 130]);
});
