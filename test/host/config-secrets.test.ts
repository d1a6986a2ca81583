import { mkdir, mkdtemp, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { createLog } from '../../src/cli/log.ts';
import { permissionQuestion } from '../../src/cli/shell/ask-permission.ts';
import { Shell } from '../../src/cli/shell/shell.ts';
import { createHost } from '../../src/host/index.ts';
import { HttpFixture } from '../fixtures/servers/http-server.ts';
import { openHostCommands } from '../support/host-commands.ts';

/** One secret for each place where people put them. */
const PLANTED = {
  env: 'planted-env-4f1c',
  header: 'planted-header-9a2b',
  argument: 'planted-argument-77aa',
  password: 'planted-password-c0de',
  query: 'planted-query-51de',
  clientSecret: 'planted-client-secret-8',
  accessToken: 'planted-access-token-6',
  refreshToken: 'planted-refresh-token-5',
  callArgument: 'planted-call-argument-3',
};

const server = await new HttpFixture(({ seen, response }) => {
  // A server that repeats whatever it was sent, in an error.
  response.writeHead(500, { 'content-type': 'text/plain' }).end(`failed: ${seen.path} ${JSON.stringify(seen.headers)}`);
}).listen();
afterAll(() => server.close());

const leaky = `
process.stderr.write('starting with ' + JSON.stringify(process.env) + ' ' + process.argv.join(' ') + '\\n');
process.exit(1);
`;

function servers() {
  const url = new URL(server.url);
  url.password = PLANTED.password;
  url.username = 'ann';
  url.searchParams.set('api_key', PLANTED.query);
  return {
    web: {
      transport: 'http' as const,
      url: url.href,
      headers: { 'X-Api-Key': PLANTED.header },
      oauth: { client_id: 'public', client_secret: PLANTED.clientSecret },
    },
    tokened: { transport: 'http' as const, url: server.url },
    local: {
      transport: 'stdio' as const,
      command: process.execPath,
      args: ['-e', leaky, '--', '--token', PLANTED.argument],
      env: { SERVICE_PASSWORD: PLANTED.env },
    },
  };
}

const TOKENS = {
  version: 1,
  servers: {
    tokened: { access_token: PLANTED.accessToken, refresh_token: PLANTED.refreshToken, url: server.url },
  },
};

test('[host:H10] [host:X22] nothing that a host writes, shows or asks holds a secret', async () => {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'bindery-secrets-')));
  const file = join(dir, 'config.json');
  await writeFile(file, JSON.stringify({ version: 1, mcp: { servers: servers() } }));
  await writeFile(join(dir, 'mcp-auth.json'), JSON.stringify(TOKENS));
  const everything: string[] = [];
  const host = createHost({
    config: { file, projectDir: dir },
    log: createLog((line) => everything.push(line), 'debug'),
    prompt: async (request) => {
      everything.push(permissionQuestion(request));
      return { decision: 'deny' };
    },
  });
  const output = new PassThrough();
  output.on('data', (chunk) => everything.push(String(chunk)));
  const input = new PassThrough();
  const shell = new Shell({ input, output, terminal: false });
  try {
    await host.connect();
    await new Promise((resolve) => setTimeout(resolve, 300));
    everything.push(JSON.stringify(host.status()), host.stderrOf('local') ?? '');
    const reading = { server: 'web', uri: `x://${PLANTED.callArgument}?password=${PLANTED.callArgument}` };
    const read = host.tools().find(({ name }) => name === 'mcp_prompt_get');
    const args = { server: 'web', name: 'p', arguments: { apiToken: PLANTED.callArgument } };
    everything.push(JSON.stringify(await read?.execute(args)));
    const resource = host.tools().find(({ name }) => name === 'mcp_resource_read');
    everything.push(
      JSON.stringify(await resource?.execute({ ...reading, uri: `https://u:${PLANTED.callArgument}@h/` })),
    );
    input.end('/mcp\n/mcp web\n/mcp local\n/mcp logs local\n/mcp tokened\n');
    await shell.run(host);
  } finally {
    await host.close();
  }
  const text = everything.join('\n');
  expect(text).toContain('web/mcp_prompt_get wants to run');
  expect(text).toContain('starting with');
  expect(Object.entries(PLANTED).filter(([, secret]) => text.includes(secret))).toEqual([]);
});

test('[host:H10] [host:X22] nothing that a command prints or logs holds a secret', async () => {
  const { run, dir, project, projectFile, log } = await openHostCommands();
  await mkdir(join(project, '.bindery'));
  await writeFile(projectFile, JSON.stringify({ version: 1, mcp: { servers: servers() } }));
  await mkdir(join(dir, '.bindery'));
  await writeFile(join(dir, '.bindery', 'mcp-auth.json'), JSON.stringify(TOKENS));
  const lines = [
    ...['mcp list', 'mcp list --json', 'mcp status', 'mcp status --json', 'mcp trust --all', 'mcp trust --list --json'],
    ...['mcp test web', 'mcp test web --json', 'mcp test local', 'mcp test local --json', 'mcp test tokened --json'],
    ...['mcp auth list', 'mcp auth list --json', 'mcp disable web', 'mcp logs web', 'mcp auth clear tokened'],
    `mcp auth set web --access-token ${PLANTED.accessToken} --json`,
  ];
  const printed: string[] = [];
  for (const line of lines) {
    const { stdout, stderr } = await run(...line.split(' '));
    printed.push(stdout, stderr);
  }
  const text = [...printed, JSON.stringify(log.lines)].join('\n');
  expect(text).toContain('web: failed: ');
  expect(Object.entries(PLANTED).filter(([, secret]) => text.includes(secret))).toEqual([]);
});

test('[host:H10] the only files that hold secrets are those whose purpose it is', async () => {
  const { run, dir } = await openHostCommands();
  await run('mcp', 'add', 'a', '--url', server.url, '--oauth-client-secret', PLANTED.clientSecret, '--scope', 'global');
  await run('mcp', 'auth', 'set', 'a', '--access-token', PLANTED.accessToken);
  await run('mcp', 'test', 'a');
  const holders: string[] = [];
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
    if (Object.values(PLANTED).some((secret) => text.includes(secret))) holders.push(entry.name);
  }
  expect(holders.sort()).toEqual(['config.json', 'mcp-auth.json']);
});
