import { expect, test } from 'vitest';
import { openCommandHome } from '../support/command-home.ts';

const home = openCommandHome();
const DATABASE = 'postgres://ada:hunter2@127.0.0.1:1/bindery';

test('flags of several nodes that do not fit together are refused, and the database that is not there, without its address [gateway:R4] [gateway:G3]', async () => {
  const refusalOf = async (...argv: string[]) => {
    const { stderr, exitCode } = await home.run(...argv);
    expect(stderr).not.toMatch(/hunter2|ada:/);
    const [, detail, code] = /^error: (?:.*?: )?(.*) \(([A-Z_]+)\)/.exec(stderr) ?? [];
    return [exitCode, code, detail];
  };
  const up = (...flags: string[]) => refusalOf('up', '--port', '0', ...flags);
  expect([
    await up('--advertise', 'http://node-1.example:7717'),
    await up('--db', 'registry.sqlite', '--advertise', 'http://node-1.example:7717'),
    await up('--db', DATABASE),
    await up('--db', DATABASE, '--node', 'one', '--workers', '2'),
    await up('--db', DATABASE, '--node', 'one', '--advertise', 'http://ada:hunter2@node-1.example'),
    await up('--db', DATABASE, '--node', 'one'),
    await up('--node', 'a/b'),
  ]).toEqual([
    [1, 'USAGE', '--advertise is for one of several nodes: add --db postgres://…, the database that they share'],
    [1, 'USAGE', '--advertise is for one of several nodes: add --db postgres://…, the database that they share'],
    [1, 'USAGE', 'with --db postgres://… each node needs a name of its own: add --node NAME'],
    [1, 'USAGE', 'with --db postgres://… a node is one process: start more nodes in place of --workers'],
    [1, 'USAGE', '--advertise is an address like http://10.0.0.7:7717, under which other nodes reach this one'],
    [1, 'STORE_UNAVAILABLE', 'The database cannot be reached.'],
    [1, 'USAGE', '--node is a name of letters, digits, ".", "_" and "-"'],
  ]);
});
