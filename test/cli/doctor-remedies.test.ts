import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCommandHome } from '../support/command-home.ts';
import { root } from '../support/repository.ts';

interface Finding {
  readonly check: string;
  readonly level: string;
  readonly message: string;
  readonly fix: string | null;
}

async function findings(home: ReturnType<typeof openCommandHome>, check: string): Promise<Finding[]> {
  const { findings: all } = await home.json('doctor', '--cwd', home.home);
  return all.filter((one: Finding) => one.check === check && one.level !== 'ok');
}

test('the remedy for a variable that a server needs is an edit of its entry, which works', async () => {
  const home = openCommandHome();
  const script = home.write(
    'server.mjs',
    `if (!process.env.FOO_TOKEN) { console.error('Error: FOO_TOKEN environment variable is required'); process.exit(1); }
process.argv[2] = 'notes'; await import(${JSON.stringify(join(root, 'samples/servers/server.js'))});\n`,
  );
  const entry = { transport: 'stdio', command: process.execPath, args: [script] };
  const file = home.write('.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers: { foo: entry } } }));
  const before = process.env.FOO_TOKEN;
  process.env.FOO_TOKEN = 'of the shell';
  try {
    const [found] = await findings(home, 'servers');
    expect(found?.fix).toBe(
      `It does not get the variables of your shell: add \`"env": { "FOO_TOKEN": "VALUE" }\` to mcp.servers.foo in ${file}.`,
    );
    const [, member] = /`(.*)`/.exec(found?.fix ?? '') ?? [];
    writeFileSync(file, readFileSync(file, 'utf8').replace('"transport"', `${member}, "transport"`));
    expect(await findings(home, 'servers')).toEqual([]);
  } finally {
    if (before === undefined) delete process.env.FOO_TOKEN;
    else process.env.FOO_TOKEN = before;
  }
});
