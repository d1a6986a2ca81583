import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { runProgram } from './program.ts';

async function run(...argv: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const exitCode = await runProgram(argv, { stdout, stderr }, new AbortController().signal, (program) => {
    const group = program.command('garden');
    group.command('plant').option('--seed <name>');
    group.command('water');
  });
  stdout.end();
  stderr.end();
  return { exitCode, stdout: await text(stdout), stderr: await text(stderr) };
}

test.each([
  [['garden', 'weed', '--all'], "unknown command 'garden weed'", 'It has: plant, water.'],
  [['garden', '--all'], "unknown option 'garden --all'", 'It has: plant, water.'],
  [['garden', 'plnt'], "unknown command 'garden plnt'", 'Did you mean `bindery garden plant`?'],
  [['gardn', 'plant'], "unknown command 'gardn'", 'Did you mean `bindery garden`?'],
  [['garden', 'plant', '--sed', 'x'], "unknown option '--sed'", 'Did you mean --seed?'],
  [['garden', 'water', 'roses'], expect.stringContaining('too many arguments'), 'Run the command with --help.'],
])('%j is refused with what could have been meant', async (argv, detail, next) => {
  const { exitCode, stdout, stderr } = await run(...argv);
  const [, said, hint] = /^error: The command line is not valid: (.*) \(USAGE\)\nnext: (.*)\n$/.exec(stderr) ?? [];
  expect([exitCode, stdout, said, hint]).toEqual([1, '', detail, next]);
});

test('a group without a verb lists its commands, and how to learn more', async () => {
  const { exitCode, stdout, stderr } = await run('garden');
  expect([exitCode, stdout.includes('water'), stderr]).toEqual([0, true, '']);
  expect(stdout).toContain('Help for one command: bindery help garden COMMAND');
});

test('the help of the program lists what a person needs first, and then the rest', async () => {
  const names = ['context', 'up', 'keys', 'init', 'garden', 'mcp'];
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  await runProgram(['--help'], { stdout, stderr }, new AbortController().signal, (program) => {
    for (const name of names) program.command(name);
  });
  stdout.end();
  const listed = [...(await text(stdout)).matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name);
  expect(listed).toEqual(['init', 'mcp', 'up', 'keys', 'context', 'garden']);
});

test.each([[['garden', 'weed', '--json']], [['gardn', '--json']]])('%j is refused as JSON', async (argv) => {
  const { exitCode, stdout, stderr } = await run(...argv);
  expect([exitCode, JSON.parse(stdout), stderr]).toEqual([1, expect.objectContaining({ code: 'USAGE' }), '']);
});
