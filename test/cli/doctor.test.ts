import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../support/repository.ts';
import { Transcript, withoutColour } from '../support/transcript.ts';

/** Holds the usual port, or finds it held: what the doctor says of it must not depend on what else runs here. */
let holder: Server;
beforeAll(async () => {
  holder = createServer();
  await new Promise<void>((done) => {
    holder.once('error', () => done());
    holder.listen(7717, '127.0.0.1', () => done());
  });
});
afterAll(() => void holder.close());

const config = (servers: object, more: object = {}) =>
  JSON.stringify({ version: 1, mcp: { servers }, ...more }, null, 2);
const WORKING = {
  transport: 'stdio',
  command: process.execPath,
  args: [join(root, 'node_modules/@modelcontextprotocol/server-memory/dist/index.js')],
};
const FAR_PAST = 1_000_000_000_000;

/** Set-ups that do not work, each in one way. */
const BROKEN: Readonly<Record<string, (person: Transcript) => void>> = {
  'nothing is there yet': () => {},
  'the data directory is a file': (person) => person.write('.bindery', 'x'),
  'others can read the data directory': (person) => {
    chmodSync(join(person.write('.bindery/admin.token', 'secret', 0o644), '..'), 0o755);
  },
  'others can read tokens and keys': (person) => {
    const docs = { transport: 'http', url: 'http://127.0.0.1:1/mcp', headers: { 'X-Key': 'abc' } };
    const file = person.write('.bindery/config.json', config({ docs }), 0o644);
    person.write('.bindery/mcp-auth.json', JSON.stringify({ version: 1, servers: {} }), 0o640);
    chmodSync(join(file, '..'), 0o711);
  },
  'others can write the data directory and the config': (person) => {
    const file = person.write('.bindery/config.json', '{}');
    chmodSync(file, 0o666);
    chmodSync(join(file, '..'), 0o777);
  },
  'a gateway was killed': (person) => {
    person.write('.bindery/gateway.json', '{"url":"http://127.0.0.1:1","pid":1,"cwd":"/"}');
    chmodSync(join(person.home, '.bindery'), 0o700);
  },
  'the config is no JSON': (person) => person.write('.bindery/config.json', '{\n  "mcp": {\n    "servers" {}\n'),
  'a server has no address': (person) => person.write('.bindery/config.json', config({ docs: { transport: 'http' } })),
  'a header names a variable': (person) =>
    person.write(
      '.bindery/config.json',
      config({ docs: { transport: 'http', url: 'http://127.0.0.1:1/mcp', headers: { Authorization: `\${TOK}` } } }),
    ),
  'a program is missing': (person) =>
    person.write('.bindery/config.json', config({ notes: { transport: 'stdio', command: 'no-such-program-here' } })),
  'a variable is not set': (person) =>
    person.write(
      '.bindery/config.json',
      config({
        notes: { transport: 'stdio', command: 'node', env: { KEY: `\${NO_SUCH_VARIABLE}` }, expand_env: true },
      }),
    ),
  'the policy has an error': (person) =>
    person.write('project_mcp.json', '{\n  "allowlist": {\n    "servers": "all"\n  }\n}\n'),
  'the policy names a server that is not there': (person) => {
    person.write('.bindery/config.json', config({ memory: WORKING }));
    person.write(
      'project_mcp.json',
      '{\n  "allowlist": {\n    "servers": ["memry"],\n    "tools": { "memory": ["read_graph"] }\n  }\n}\n',
    );
  },
  'a token has expired': (person) =>
    person.write(
      '.bindery/mcp-auth.json',
      JSON.stringify({ version: 1, servers: { docs: { access_token: 'x', expires_at: FAR_PAST } } }),
      0o600,
    ),
  'the folder of a server is missing': (person) =>
    person.write('.bindery/config.json', config({ notes: { transport: 'stdio', command: 'node', cwd: '/nope/here' } })),
  'the policy permits nothing': (person) => person.write('project_mcp.json', '{ "allowlist": { "servers": [] } }\n'),
  'a client has an old entry and a server twice': (person) => {
    person.write('.bindery/config.json', config({ notes: WORKING }));
    const bindery = { command: '/old/node', args: ['/old/bindery.js', 'stdio'] };
    person.write('.cursor/mcp.json', JSON.stringify({ mcpServers: { bindery, notes: { command: 'node' } } }));
  },
  'settings are misspelt': (person) =>
    person.write(
      '.bindery/config.json',
      '{\n  "gateway": { "port": "21183", "exposure": "some" },\n  "gatway": {},\n  "mcp": { "server": {} },\n  "bind": 7,\n  "notes": ""\n}\n',
    ),
  'files of the data directory are damaged': (person) => {
    for (const name of ['audit-0.db', 'registry.db', 'session.key', 'trust.json', 'credentials.key']) {
      person.write(`.bindery/${name}`, `damaged${'x'.repeat(4096)}`, 0o600);
    }
    chmodSync(join(person.home, '.bindery'), 0o700);
  },
  'the config is empty': (person) => person.write('.bindery/config.json', ''),
  'a server ends at once': (person) => {
    const script = person.write('server.js', "console.error('DATABASE_URL is not set');\nprocess.exit(3);\n");
    person.write('.bindery/config.json', config({ notes: { transport: 'stdio', command: 'node', args: [script] } }));
  },
  'the config is a folder': (person) => person.write('.bindery/config.json/x', ''),
  'the config is a link to nothing': (person) => {
    mkdirSync(join(person.home, '.bindery'), { mode: 0o700 });
    symlinkSync('nowhere', join(person.home, '.bindery', 'config.json'));
  },
  'names and keys are misspelt': (person) => {
    const gateway = { profiles: { work: { servers: ['note', 'elsewhere'] } } };
    const mcp = { servers: { notes: WORKING } };
    person.write('.bindery/config.json', `${JSON.stringify({ mcp, gateway }, null, 2)}\n`);
    person.write('project_mcp.json', '{ "alowlist": { "servers": ["notes"] } }\n');
  },
  'a client has a broken file': (person) => person.write('.cursor/mcp.json', '{\n  "mcpServers": [\n'),
};

test.each(Object.keys(BROKEN))('doctor: %s', async (name) => {
  const texts: string[] = [];
  for (const colour of [false, true]) {
    const person = new Transcript(colour);
    try {
      BROKEN[name]?.(person);
      await person.type('doctor', '--cwd', person.home);
      await person.type('doctor', '--fix', '--cwd', person.home);
      texts.push(person.text.replaceAll(/Node \d+\.\d+\.\d+/g, 'Node VERSION'));
    } finally {
      rmSync(person.home, { recursive: true, force: true });
    }
  }
  const [plain, coloured] = texts as [string, string];
  await expect(plain).toMatchFileSnapshot(`golden/doctor/${name.replaceAll(' ', '-')}.txt`);
  expect(withoutColour(coloured)).toBe(plain);
  await expect(coloured).toMatchFileSnapshot(`golden/doctor/${name.replaceAll(' ', '-')}.colour.txt`);
});

test('every gateway that runs with this data directory is listed', async () => {
  const person = new Transcript(false);
  const first = await person.serve();
  const second = await person.serve('--beside');
  try {
    await person.type('doctor', '--cwd', person.home, '--json');
    const { findings } = JSON.parse(person.text.split('\n')[1] ?? '');
    const messages = findings.flatMap((one: { check: string; message: string }) =>
      one.check === 'gateway' ? [one.message] : [],
    );
    expect(messages).toEqual([
      `process ${process.pid} serves http://127.0.0.1:PORT`,
      `process ${process.pid} serves http://127.0.0.1:PORT (beside the other)`,
    ]);
  } finally {
    await second.stop();
    await first.stop();
    rmSync(person.home, { recursive: true, force: true });
  }
});

test('a config folder beside the data directory, and the policy in it, are for their owner alone to write', async () => {
  const person = new Transcript(false);
  const policy = person.write('.config/bindery/project_mcp.json', '{ "allowlist": { "servers": [] } }\n');
  chmodSync(policy, 0o664);
  chmodSync(join(policy, '..'), 0o775);
  const layout = process.env.BINDERY_LAYOUT;
  process.env.BINDERY_LAYOUT = 'xdg';
  try {
    await person.type('doctor', '--fix', '--cwd', person.home);
  } finally {
    if (layout === undefined) delete process.env.BINDERY_LAYOUT;
    else process.env.BINDERY_LAYOUT = layout;
  }
  expect([statSync(policy).mode & 0o777, statSync(join(policy, '..')).mode & 0o777]).toEqual([0o644, 0o755]);
  rmSync(person.home, { recursive: true, force: true });
});

test('what is safe is mended, and is well afterwards', async () => {
  const person = new Transcript(false);
  const token = person.write('.bindery/admin.token', 'secret', 0o644);
  person.write('.bindery/gateway.json', '{"url":"http://127.0.0.1:1","pid":1,"cwd":"/"}');
  await person.type('doctor', '--fix', '--cwd', person.home);
  expect([statSync(token).mode & 0o777, statSync(join(person.home, '.bindery')).mode & 0o777]).toEqual([0o600, 0o700]);
  rmSync(person.home, { recursive: true, force: true });
});
