import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { createHost } from '../../src/host/create-host.ts';
import { CARELESS_ENTRIES, makeHostileProject } from '../support/hostile-project.ts';
import { type BinderyHome, createHome, listServers, startBindery, until } from '../support/running-bindery.ts';

const recorder = fileURLToPath(new URL('../../attack/servers/recording-server.ts', import.meta.url));
const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function openHome(config: object): Promise<BinderyHome & { readonly marker: string }> {
  const made = await createHome(config);
  ends.push(() => made.remove());
  const marker = await makeHostileProject(made.cwd);
  const PATH = [join(made.cwd, 'node_modules/.bin'), 'node_modules/.bin', made.env.PATH].join(delimiter);
  return { ...made, marker, env: { ...made.env, PATH } };
}

/** A server that notes where it runs. */
function placed(file: string, more: object = {}): object {
  const script = `pwd -P > '${file}'; exec '${process.execPath}' '${recorder}' '${file}.lines'`;
  return { transport: 'stdio', command: '/bin/sh', args: ['-c', script], ...more };
}

test("the gateway runs no code of the project through the person's own servers", async () => {
  const home = await openHome({ version: 1 });
  const own = join(home.dir, '.bindery');
  await writeFile(join(own, 'here.sh'), `#!/bin/sh\nexec '${process.execPath}' '${recorder}' '${own}/lines'\n`, {
    mode: 0o755,
  });
  await home.writeConfig({
    version: 1,
    mcp: {
      servers: {
        ...CARELESS_ENTRIES,
        placed: placed(join(own, 'placed')),
        named: placed(join(own, 'named'), { cwd: home.dir }),
        relative: placed(join(own, 'relative'), { cwd: '.' }),
        here: { transport: 'stdio', command: './here.sh' },
      },
    },
  });
  const bindery = await startBindery(home);
  ends.push(() => bindery.stop());
  const expected = {
    bare: 'error',
    here: 'running',
    named: 'running',
    npx: 'error',
    placed: 'running',
    relative: 'running',
    script: 'error',
  };
  await until(
    'every server has been tried',
    async () => {
      const items = await listServers(bindery);
      return Object.entries(expected).every(([name, state]) =>
        items.some(({ id, status }) => id === name && status === state),
      );
    },
    120_000,
  );
  const place = (name: string) => readFileSync(join(own, name), 'utf8').trim();
  expect([place('placed'), place('named'), place('relative')]).toEqual([
    join(home.dataDir, 'servers', 'placed'),
    home.dir,
    own,
  ]);
  expect(statSync(join(home.dataDir, 'servers', 'placed')).mode & 0o777).toBe(0o700);
  expect(existsSync(home.marker)).toBe(false);
});

test('the library runs no code of the project either, and tells servers of it as a root', async () => {
  const home = await openHome({ version: 1, mcp: { servers: { placed: placed('placed') } } });
  const own = join(home.dir, '.bindery');
  await home.writeConfig({
    version: 1,
    mcp: { servers: { ...CARELESS_ENTRIES, placed: placed(join(own, 'placed')) } },
  });
  const host = createHost({
    config: { file: join(own, 'config.json'), projectDir: home.cwd },
    servers: { coded: { transport: 'stdio', command: './run-server.sh' } },
    env: home.env,
  });
  ends.push(() => host.close());
  await host.connect();
  const states = host.status().map(({ id, state }) => [id, state]);
  expect(states).toEqual([
    ['bare', 'error'],
    ['coded', 'error'],
    ['npx', 'error'],
    ['placed', 'ready'],
    ['script', 'error'],
  ]);
  expect(readFileSync(join(own, 'placed'), 'utf8').trim()).toBe(join(own, 'servers', 'placed'));
  const hello = JSON.parse(readFileSync(join(own, 'placed.lines'), 'utf8').split('\n')[0] ?? '');
  expect(JSON.stringify(hello)).toContain('"roots"');
  expect(existsSync(home.marker)).toBe(false);
});

test('a server of the project that a person trusts starts in the project', async () => {
  const home = await openHome({ version: 1 });
  await mkdir(join(home.cwd, '.bindery'));
  const entry = placed(join(home.dir, 'placed'));
  await writeFile(join(home.cwd, '.bindery/config.json'), JSON.stringify({ mcp: { servers: { placed: entry } } }));
  const bindery = await startBindery(home, '--trust-project');
  ends.push(() => bindery.stop());
  await until('it runs', async () =>
    (await listServers(bindery)).some(({ id, status }) => id === 'placed' && status === 'running'),
  );
  expect(readFileSync(join(home.dir, 'placed'), 'utf8').trim()).toBe(home.cwd);
});
