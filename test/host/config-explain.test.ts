import { beforeEach, expect, test } from 'vitest';
import { openCommandHome } from '../support/command-home.ts';

let home: ReturnType<typeof openCommandHome>;
let person: string;
let project: string;
beforeEach(() => {
  home = openCommandHome();
  project = home.write('project/.bindery/config.json', '{}');
});
const write = (ofPerson: object, ofProject: object) => {
  person = home.write('.bindery/config.json', JSON.stringify(ofPerson));
  home.write('project/.bindery/config.json', JSON.stringify(ofProject));
};
const run = (...argv: string[]) => home.run('config', 'explain', ...argv, '--cwd', `${home.home}/project`);
const explain = async (...argv: string[]) => {
  const { stdout } = await run(...argv, '--json');
  return (JSON.parse(stdout) as { settings: Record<string, unknown>[] }).settings;
};

test('a setting is explained with its value, where that comes from, and who may set it', async () => {
  write(
    { gateway: { output_bytes_max: 5_000, limits: { client_per_minute: 9 }, profiles: { dev: { servers: ['a'] } } } },
    {
      gateway: {
        output_bytes_max: 1_000,
        limits: { client_per_minute: 90 },
        exposure: 'all',
        approval: { wait_ms: 5 },
        profiles: { dev: { exposure: 'search' } },
      },
      permissions: { deny: ['a/*'] },
    },
  );
  const keys = [
    'gateway.output_bytes_max',
    'gateway.limits.client_per_minute',
    'gateway.exposure',
    'gateway.approval.wait_ms',
    'gateway.profiles.dev.exposure',
    'gateway.profiles.dev.servers',
    'permissions.deny',
    'bind.zones',
  ];
  const explained = await Promise.all(keys.map(async (key) => (await explain(key))[0]));
  const note = 'what the project says has no effect: only your own config may set this';
  expect(explained).toMatchObject([
    { key: keys[0], value: 1_000, source: 'project', file: project, set_by: 'project_narrows', default: 8_388_608 },
    { value: 9, source: 'person', file: person, default: 'no limit' },
    { value: 'auto', source: 'default', file: null, flag: '--exposure' },
    { value: 50_000, source: 'default', set_by: 'person', notes: [note] },
    { value: 'search', source: 'project' },
    { value: ['a'], source: 'person' },
    { value: ['a/*'], source: 'project' },
    { value: null, source: 'default', default: 'zones of the data directory, if it exists' },
  ]);
  const { stdout } = await run('gateway.output_bytes_max');
  expect(stdout).toBe(
    `gateway.output_bytes_max\nLargest answer of a call, in bytes; a larger one is refused.\nvalue\t1000\nfrom\tthe project's config (${project})\ndefault\t8388608\nset by\tyou; a project narrows it\n`,
  );
});

test('a flag takes the place of the files', async () => {
  write({ gateway: { exposure: 'all' }, civic: { trusted_proxies: ['10.0.0.0/8'] } }, {});
  expect([
    ...(await explain('gateway.exposure', '--exposure', 'search')),
    ...(await explain('civic.trusted_proxies', '--trusted-proxy', '127.0.0.0/8')),
  ]).toMatchObject([
    { value: 'search', source: 'flag', file: null },
    { value: ['127.0.0.0/8'], source: 'flag' },
  ]);
});

test('without a key there is a table of everything that is set or has a default; a section has its part', async () => {
  write(
    { mcp: { servers: { notes: { transport: 'stdio', command: 'notes' } } }, gateway: { audit: { fsync: 'odd' } } },
    {},
  );
  const { stdout } = await run();
  const lines = stdout.trimEnd().split('\n');
  expect(lines.filter((line) => /^KEY|servers|fsync/.test(line))).toEqual([
    'KEY\tVALUE\tFROM\tWHO MAY SET IT',
    'mcp.servers.notes.transport\t"stdio"\tyour config\tyou; a project, once you trust it',
    'mcp.servers.notes.command\t"notes"\tyour config\tyou; a project, once you trust it',
    // A value that makes no sense counts as the strict one.
    'gateway.audit.fsync\ttrue\tdefault\tyou',
  ]);
  expect((await explain('gateway.search')).map(({ key }) => key)).toEqual([
    'gateway.search.semantic',
    'gateway.search.learn',
  ]);
  expect((await explain('gateway.audit.fsync'))[0]?.notes).toEqual([expect.stringContaining('is not valid')]);
});

test('secrets are masked, their names are not', async () => {
  const entry = {
    transport: 'stdio',
    command: 'notes',
    args: ['--token', 'hunter2-hunter2'],
    env: { NOTES_KEY: 'hunter2-hunter2' },
  };
  const web = {
    transport: 'http',
    url: 'https://me:hunter2-hunter2@notes.example/mcp',
    headers: { 'X-Key': 'hunter2' },
  };
  write(
    {
      mcp: { servers: { notes: entry, web } },
      gateway: { auth: { token: 'hunter2' } },
      bind: { registrar_keys: ['hunter2'] },
      civic: { maintainer_token: 'hunter2' },
    },
    {},
  );
  const { stdout } = await run('--json');
  expect(stdout).not.toContain('hunter2');
  expect(stdout).toContain('NOTES_KEY');
});

test('an unknown key is refused, with the keys that come closest', async () => {
  write({}, {});
  const [misspelt, unplaced] = [await run('gateway.exposer'), await run('heads_file')];
  expect([misspelt.exitCode, misspelt.stderr, unplaced.exitCode, unplaced.stderr]).toEqual([
    1,
    expect.stringContaining('Did you mean gateway.exposure?'),
    1,
    expect.stringContaining('Did you mean gateway.audit.heads_file?'),
  ]);
});
