// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how config files spell variables.
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openHostCommands } from '../support/host-commands.ts';

const stdio = { transport: 'stdio', command: 'x' };

async function withProject(servers: object) {
  const commands = await openHostCommands();
  await mkdir(join(commands.project, '.bindery'));
  await writeFile(commands.projectFile, JSON.stringify({ version: 1, mcp: { servers } }));
  return commands;
}

test('[host:M6] every key is shown with its value, so that nothing is run or sent that was not seen', async () => {
  const { run } = await withProject({
    a: {
      transport: 'http',
      url: 'https://a.example/mcp?tenant=7&api_key=hunter22',
      headers: { 'X-Tenant': 'prod', Authorization: 'Bearer hunter23' },
      oauth: { client_id: 'c', client_secret: 'hunter24', resource: false },
      ...{ expand_env: true, sharing: 'shared', tool_timeout_max_ms: 9, include_tools: ['a*'], later_key: { b: 1 } },
    },
    b: { ...stdio, cwd: 'sub', env: { PATH: '.', MY_TOKEN: '${MY_TOKEN}' }, expand_env: true },
  });
  const ofA = [
    'headers: X-Tenant=prod, Authorization=Bearer ***[credential, 8 characters]',
    'tool_timeout_max_ms: 9',
    'oauth: {client_id: c, client_secret: ***[secret, 8 characters], resource: false}',
    'include_tools: [a*]',
    'expand_env: true',
    'sharing: shared',
    'later_key: {b: 1}',
  ];
  expect((await run('mcp', 'trust', '--list')).stdout.split('\n')).toEqual([
    `a\tuntrusted\thttps://a.example/mcp?tenant=7&api_key=***[password, 8 characters] (${ofA.join('; ')})`,
    'b\tuntrusted\tx (env: PATH=., MY_TOKEN=${MY_TOKEN}; cwd: sub; expand_env: true)',
    '',
  ]);
});

test('[host:M6] an edit of any key asks again; trust of a version that left keys out does too, and says why', async () => {
  const { run, json, projectFile, globalFile } = await withProject({ a: stdio });
  const state = async () => (await json('mcp', 'trust', '--list')).items[0].trust;
  await run('mcp', 'trust', 'a');
  const trustFile = join(globalFile, '..', 'trust.json');
  const trusted = JSON.parse(await readFile(trustFile, 'utf8'));
  const older = structuredClone(trusted);
  for (const records of Object.values<Record<string, { covers?: string }>>(older.projects)) delete records.a?.covers;
  const states = [await state()];
  await writeFile(projectFile, JSON.stringify({ mcp: { servers: { a: { ...stdio, sharing: 'shared' } } } }));
  states.push(await state());
  await writeFile(projectFile, JSON.stringify({ mcp: { servers: { a: { ...stdio, enabled: false } } } }));
  states.push(await state());
  await writeFile(trustFile, JSON.stringify(older));
  states.push(await state());
  expect(states).toEqual(['trusted', 'changed', 'trusted', 'outdated']);
  await writeFile(projectFile, JSON.stringify({ mcp: { servers: { a: stdio } } }));
  expect((await json('mcp', 'test', 'a')).error).toBe(
    'untrusted: an older version of Bindery trusted it without looking at every key of its entry; look at it with `bindery mcp trust --list`, then run `bindery mcp trust` for it',
  );
});

test('[host:C1] a relative path that is typed for the own config is written as the one that was meant', async () => {
  const { run, globalFile } = await openHostCommands();
  await run('mcp', 'add', 'a', '--command', './run', '--cwd', 'src', '--scope', 'global');
  expect(JSON.parse(await readFile(globalFile, 'utf8')).mcp.servers.a).toMatchObject({
    command: resolve('run'),
    cwd: resolve('src'),
  });
  const { stderr } = await run(
    'mcp',
    'add',
    'b',
    '--scope',
    'global',
    '--',
    'node',
    './package.json',
    '..',
    './none',
    'README.md',
  );
  expect(JSON.parse(await readFile(globalFile, 'utf8')).mcp.servers.b.args).toEqual([
    resolve('package.json'),
    resolve('..'),
    './none',
    'README.md',
  ]);
  expect(stderr).toBe(
    'warning: README.md is a file of this folder, but the server does not start here: write ./README.md, or add --cwd .\n',
  );
  await run('mcp', 'add', 'c', '--scope', 'global', '--cwd', 'src', '--', 'node', './index.js');
  expect(JSON.parse(await readFile(globalFile, 'utf8')).mcp.servers.c.args).toEqual(['./index.js']);
});

test('[host:C1] a working directory that does not exist is refused, and nothing is written', async () => {
  const { run, globalFile, projectFile } = await openHostCommands();
  for (const scope of ['global', 'project']) {
    for (const folder of ['no-such-folder', resolve('package.json')]) {
      const { stderr, exitCode } = await run('mcp', 'add', 'a', '--scope', scope, '--cwd', folder, '--', 'node');
      expect([stderr, exitCode]).toEqual([
        expect.stringMatching(/: --cwd: there is no folder \S+ \(INVALID_ARGUMENTS\)/),
        1,
      ]);
    }
  }
  expect([existsSync(globalFile), existsSync(projectFile)]).toEqual([false, false]);
});
