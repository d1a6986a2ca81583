import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wirings } from '../../src/cli/rooms.ts';
import { ERRORS } from '../../src/contract/errors.ts';
import { root } from '../support/repository.ts';

// Red here means: be deliberate. Programs that others wrote depend on these names; `vitest run -u test/tree/pins.test.ts` accepts a change.

const operations = wirings.flatMap(({ room }) => room.operations);

test('the package exports what it exported', async () => {
  const { exports, bin, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  await expect(JSON.stringify({ exports, bin, engines }, null, 2)).toMatchFileSnapshot('pins/package.txt');
});

test('error codes keep their numbers', async () => {
  const rows = Object.entries(ERRORS).map(([code, row]) => `${code} http=${row.http} exit=${row.exit}`);
  await expect(`${rows.join('\n')}\n`).toMatchFileSnapshot('pins/errors.txt');
});

test('routes, tools and commands keep their names', async () => {
  const lines = operations.flatMap(({ id, http, mcp, cli }) => [
    ...(http ? [`${id} ${http.method} ${http.path}`] : []),
    ...(mcp ? [`${id} tool ${mcp.tool}`] : []),
    ...(cli ? [`${id} bindery ${cli.command}`] : []),
  ]);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('pins/faces.txt');
});

test('ids, routes, tools and commands are unique', () => {
  const names = operations.flatMap(({ id, http, mcp, cli }) => [
    `id ${id}`,
    ...(http ? [`${http.method} ${http.path}`] : []),
    ...(mcp ? [`tool ${mcp.tool}`] : []),
    ...(cli ? [`command ${cli.command}`] : []),
  ]);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
