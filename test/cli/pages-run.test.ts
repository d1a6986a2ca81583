import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { pageBlocks, shellLines } from '../support/page-blocks.ts';
import { type LineResult, PageRunner } from '../support/page-runner.ts';
import { openSession } from '../support/raw-client.ts';
import { root } from '../support/repository.ts';

/** Lines that are not run, by their beginning, and why. */
const NOT_RUN: readonly (readonly [string, string])[] = [
  ['npm install && npm start', 'test/tree/readme.test.ts starts the demo'],
  ['bindery mcp auth login', 'needs a person and a browser; test/host and test/identity sign in'],
  ['bindery mcp add sentinel ai://sentinel', 'the gateway would dial the endpoint of the example'],
  ['bindery up --host 0.0.0.0 --token "$BINDERY_TOKEN" --db', 'needs PostgreSQL; test/nodes starts such nodes'],
  ['bindery approvals watch', 'runs until Ctrl-C'],
  ['bindery demo oauth', 'runs until Ctrl-C; test/cli/demo.test.ts walks the demo'],
  ['bindery mcp test demo', 'needs the demo'],
];

/** Exit codes of commands that have something to say: a decision, a question that nobody answers here, a problem that was found. */
const MAY_SAY: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^bindery policy check\b/, [10, 11]],
  [/^bindery (doctor|restore)\b/, [1]],
];

const pages = ['README.md', ...readdirSync(join(root, 'docs', 'guides')).map((name) => `docs/guides/${name}`)];

let runner: PageRunner;
afterEach(() => runner.close());

/**
 * A call that waits for a person, for a line that decides about one; its id. A call that is answered instead is sent again: the server or
 * the policy of the page may not be ready yet.
 */
async function waitingApproval(url: string, path: string): Promise<string> {
  const session = await openSession(`${url}/mcp`);
  const params = { name: 'files__write_file', arguments: { path, content: '', password: 'Xk29-fTq7-LmZ4' } };
  let answer: unknown;
  let waits = false;
  for (let tries = 0; tries < 1_200; tries += 1) {
    if (!waits) {
      waits = true;
      void session
        .request('tools/call', params)
        .then(
          (answered) => {
            answer = answered;
          },
          (error) => {
            answer = error;
          },
        )
        .finally(() => {
          waits = false;
        });
    }
    const { items } = (await (await fetch(`${url}/v1/approvals?status=pending`)).json()) as {
      items: { id: string; arguments: unknown }[];
    };
    const found = items.find((item) => JSON.stringify(item.arguments).includes(path));
    if (found) return found.id;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no call waits for approval; the last answer: ${JSON.stringify(answer)}`);
}

/** Runs every line of a page; the results in their order. */
async function runPage(page: string) {
  runner = new PageRunner();
  await runner.open();
  const results: LineResult[] = [];
  let asked = 0;
  for (const block of pageBlocks(readFileSync(join(root, page), 'utf8'))) {
    runner.write(block);
    if (!['sh', 'bash'].includes(block.language)) continue;
    for (const written of shellLines(block.text)) {
      if (NOT_RUN.some(([start]) => written.startsWith(start))) continue;
      if (written.includes('# stop the gateway first')) await runner.stopGateway();
      if (/ ID\b/.test(written)) asked += 1;
      const id = / ID\b/.test(written) ? await waitingApproval(runner.url ?? '', `a${asked}.md`) : '';
      results.push(await runner.line(written.replace(/ ID\b/, ` ${id}`)));
    }
  }
  return results;
}

test.each(pages)('every command of %s works as it is written', async (page) => {
  const failed = (await runPage(page)).filter(({ line, exitCode }) => {
    const fine = MAY_SAY.find(([command]) => command.test(line))?.[1] ?? [];
    return ![0, ...fine].includes(exitCode ?? -1);
  });
  expect(failed).toEqual([]);
});

test('getting started, followed to its end, leaves the clients as they were, and the server that was added by hand', async () => {
  const results = await runPage('docs/guides/getting-started.md');
  const restored = results.findLast(({ line }) => line.startsWith('bindery restore'));
  expect([restored?.exitCode, restored?.output, runner.changedClients()]).toEqual([
    0,
    expect.stringContaining('what was changed since stays'),
    [],
  ]);
});

test('every line that is not run stands in a page', () => {
  runner = new PageRunner();
  const all = pages.map((page) => readFileSync(join(root, page), 'utf8')).join('\n');
  expect(NOT_RUN.filter(([start]) => !all.includes(`\n${start}`))).toEqual([]);
});
