import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool } from './call-tool.ts';
import { type OpenedConsole, open, openConsole } from './open-console.ts';

let opened: OpenedConsole;
beforeAll(async () => {
  opened = await openConsole();
});
afterAll(() => opened.close());

test('two browsers and a program decide the same call at once: one of them does, and all are told', async () => {
  const [one, other] = await Promise.all([opened.signIn(), opened.signIn()]);
  await Promise.all([open(one.page, opened.bindery, 'approvals'), open(other.page, opened.bindery, 'approvals')]);
  const answer = callTool(opened.bindery, 'notes__write_note', { name: 'shared', content: 'text' });
  const pages = [one.page, other.page];
  await Promise.all(pages.map((page) => page.getByRole('button', { name: 'Approve once' }).waitFor()));
  const { body } = await opened.bindery.api('GET', '/v1/approvals?status=pending');
  const [{ id }] = (body as { items: [{ id: string }] }).items;
  const decided = await Promise.all([
    // Whoever comes second finds no button any more.
    ...pages.map((page) =>
      page
        .getByRole('button', { name: 'Approve once' })
        .click({ timeout: 5_000 })
        .catch(() => {}),
    ),
    opened.bindery.api('POST', `/v1/approvals/${id}/decision`, { decision: 'deny', reason: 'the program was first' }),
  ]);
  const program = decided.at(-1) as { status: number };
  const text = JSON.stringify(await answer);
  expect([program.status === 200, text.includes('the program was first'), text.includes('wrote shared')]).toEqual(
    program.status === 200 ? [true, true, false] : [false, false, true],
  );
  await Promise.all(pages.map((page) => page.getByText('Nothing waits for a decision.').waitFor()));
});

test('a line says that the gateway is gone, and goes when it is back', async () => {
  const { page, context } = await opened.signIn();
  await open(page, opened.bindery, 'overview');
  await context.setOffline(true);
  await page.evaluate("dispatchEvent(new Event('offline'))");
  await page.getByText(/Connection to the gateway lost/).waitFor();
  await context.setOffline(false);
  await page.getByText(/Connection to the gateway lost/).waitFor({ state: 'detached' });
});
