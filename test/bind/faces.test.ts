import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mcp, newKeyPem, url, zoneText } from '../../src/bind/testing/zones.ts';
import { run } from '../../src/cli/main.ts';
import { root } from '../support/repository.ts';

const folder = mkdtempSync(join(tmpdir(), 'bindery-faces-'));
const zones = join(folder, 'zones');
const config = join(folder, 'config.json');
const stop = new AbortController();
let base = '';
let served: Promise<number>;
let client: Client;

beforeAll(async () => {
  cpSync(join(root, 'samples', 'zones'), zones, { recursive: true });
  writeFileSync(join(zones, 'loop.json'), zoneText('loop', [{ type: 'CASCADE', value: 'loop' }]));
  writeFileSync(join(zones, 'private.json'), zoneText('private', [mcp('https://10.0.0.7/mcp')]));
  process.env.BINDERY_CONFIG_PATH = config;
  process.env.BINDERY_DATA_DIR = folder;
  writeFileSync(
    config,
    JSON.stringify({
      bind: { registrar_keys: ['registrar-secret'] },
      gateway: { profiles: { bind: { names: 'bare', servers: ['bind'] } } },
    }),
  );
  const ready = new Promise<string>((resolve) => {
    const stdout = into((text) => resolve(text));
    served = run(['up', '--zones', zones, '--port', '0', '--json'], { stdout, stderr: into(() => {}) }, stop.signal);
  });
  base = JSON.parse(await ready).url;
  client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp/bind`)));
});

afterAll(async () => {
  await client?.close();
  stop.abort();
  await served;
  rmSync(folder, { recursive: true, force: true });
});

function into(take: (text: string) => void): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      take(String(chunk));
      done();
    },
  });
}

async function command(...argv: string[]) {
  let [stdout, stderr] = ['', ''];
  const streams = {
    stdout: into((text) => {
      stdout += text;
    }),
    stderr: into((text) => {
      stderr += text;
    }),
  };
  const exit = await run(['bind', ...argv, '--zones', zones], streams, new AbortController().signal);
  return { exit, stdout, stderr };
}

const http = async (path: string) => (await fetch(`${base}${path}`)).text();

async function tool(name: string, input: Record<string, unknown>) {
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: input });
  return { text: (content as { text: string }[])[0]?.text as string, isError: isError ?? false, structuredContent };
}

/** A problem without the id of its request, which is another each time. */
const withoutId = (text: string) => ({ ...JSON.parse(text), request_id: undefined });

describe('one operation has three faces', () => {
  test.each(['sentinel', 'acme', 'atlas'])(
    '[bind:S6] [bind:A14] %s: the same bytes by HTTP, tool and command',
    async (name) => {
      const [raw, descriptor] = [
        await http(`/codex/resolve?identity=${name}`),
        await http(`/codex/resolve?identity=${name}&mode=mcp&caps=search`),
      ];
      expect([
        (await tool('resolve_identity', { identity: name, mode: 'raw' })).text,
        (await command('resolve', name, '--json')).stdout.trimEnd(),
      ]).toEqual([raw, raw]);
      expect([
        (await tool('collapse_mcp', { identity: name, caps: ['search'] })).text,
        (await tool('resolve_identity', { identity: name, caps: ['search'] })).text,
        (await command('resolve', name, '--mode', 'mcp', '--caps', 'search', '--json')).stdout.trimEnd(),
        await http(`/codex/resolve/mcp/${name}?caps=search`),
      ]).toEqual(Array(4).fill(descriptor));
    },
  );

  test.each([
    ['INVALID_IDENTITY', 'ac.me'],
    ['PROTECTED', 'root'],
    ['IDENTITY_NOT_FOUND', 'nobody'],
    ['NO_MCP_RECORDS', 'paper'],
    ['CASCADE_FAILED', 'loop'],
    ['INVALID_ENDPOINT', 'private'],
  ])('[bind:A17] %s: the same problem by HTTP, tool and command', async (code, name) => {
    const problem = withoutId(await http(`/codex/resolve?identity=${name}&mode=mcp`));
    const called = await tool('collapse_mcp', { identity: name });
    const printed = await command('resolve', name, '--mode', 'mcp', '--json');
    expect([problem.code, called.isError, printed.exit]).toEqual([code, true, 1]);
    expect([withoutId(called.text), { ...(called.structuredContent as object), request_id: undefined }]).toEqual([
      problem,
      problem,
    ]);
    expect(withoutId(printed.stdout)).toEqual(problem);
  });

  test('[bind:N3] the tools are read-only, and whatever changes something is none', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['collapse_mcp', true],
      ['explain_collapse', true],
      ['list_identities', true],
      ['resolve_identity', true],
      ['validate_zone', true],
    ]);
  });

  test('[bind:N4] explain says of every candidate why it won or lost, by tool and command alike', async () => {
    const explained = await tool('explain_collapse', { identity: 'acme', caps: ['search'] });
    const printed = await command('explain', 'acme', '--caps', 'search', '--json');
    expect(printed).toEqual({ exit: 0, stdout: `${explained.text}\n`, stderr: '' });
    const { candidates } = JSON.parse(explained.text);
    expect(candidates.map(({ endpoint, verdict }: Record<string, string>) => [endpoint, verdict])).toEqual([
      ['https://sentinel.example.com/mcp', 'selected'],
      ['https://standby.sentinel.example.com/mcp', 'outranked'],
      ['https://acme.example/mcp', 'capabilities_not_requested'],
    ]);
    const failed = await command('explain', 'loop');
    expect([failed.exit, failed.stdout.split('\n')[0]]).toEqual([1, 'ai://loop: CASCADE_FAILED (cycle)']);
  });

  test('lint and list work on what is stored and on what is not', async () => {
    expect(JSON.parse((await tool('validate_zone', { zone: { identity: 'x', records: [] } })).text)).toMatchObject({
      ok: false,
      checked: 1,
    });
    expect((await command('lint', 'sentinel')).stdout).toBe('1 checked, 0 errors, 0 warnings\n');
    const all = await command('lint');
    expect([all.exit, all.stdout.includes('cascade_cycle')]).toEqual([1, true]);
    expect(JSON.parse((await tool('list_identities', { prefix: 'a' })).text)).toEqual({
      identities: ['ai://acme', 'ai://atlas'],
      total: 2,
    });
  });
});

describe('commands', () => {
  const file = (name: string, value: unknown) => {
    writeFileSync(join(folder, name), JSON.stringify(value));
    return join(folder, name);
  };

  test('[bind:A20] put stores a zone for a registrar, and the server has it within a second', async () => {
    const zone = JSON.parse(zoneText('fresh', [mcp(url('fresh'))]));
    const path = file('fresh.json', zone);
    const refused = await command('put', path, '--json');
    expect([refused.exit, JSON.parse(refused.stdout).code]).toEqual([1, 'REGISTRAR_KEY_REQUIRED']);
    const stored = await command('put', path, '--registrar-key', 'registrar-secret', '--json');
    expect([stored.exit, JSON.parse(stored.stdout)]).toMatchObject([0, { created: true, warnings: [] }]);
    const end = performance.now() + 1000;
    let text = '';
    while (!text.includes(url('fresh')) && performance.now() < end) {
      text = await http('/codex/resolve/mcp/fresh');
      await sleep(20);
    }
    expect(JSON.parse(text).endpoint).toBe(url('fresh'));
    expect(JSON.parse(readFileSync(join(zones, 'fresh.json'), 'utf8'))).toEqual(zone);
    expect(JSON.parse(await http('/codex/log')).entries.map((entry: { seq: number }) => entry.seq)).toEqual([1]);
  });

  test('[bind:N5] [bind:A1] import and export exchange zones with the registry and with resolvers that count the other way', async () => {
    const server = {
      name: 'io.github.user/weather',
      description: 'Weather',
      version: '1.0.0',
      websiteUrl: 'https://weather.example/',
      remotes: [{ type: 'streamable-http', url: 'https://weather.example/mcp' }],
    };
    const key = ['--registrar-key', 'registrar-secret'];
    expect((await command('import', file('server.json', server), '--identity', 'weather', ...key)).exit).toBe(0);
    const exported = await command('export', 'weather', '--json');
    expect(JSON.parse(exported.stdout)).toEqual({ $schema: expect.any(String), ...server });
    const again = await command(
      'import',
      file('server.json', { ...server, version: '1.1.0' }),
      '--identity',
      'weather',
      ...key,
    );
    const other = await command(
      'import',
      file('other.json', { ...server, name: 'a/b' }),
      '--identity',
      'weather',
      ...key,
      '--json',
    );
    expect([again.exit, JSON.parse(other.stdout).code]).toEqual([0, 'IF_MATCH_REQUIRED']);
    const origin = JSON.parse(zoneText('origin', [mcp(url('first'), 0), { type: 'MCP', value: url('last') }]));
    const asc = ['--identity', 'origin', '--priority-order', 'asc', ...key];
    expect((await command('import', file('origin.json', origin), ...asc)).exit).toBe(0);
    const resolved = await command('resolve', 'origin', '--mode', 'mcp', '--json');
    expect(JSON.parse(resolved.stdout).endpoint).toBe(url('first'));
  });

  test('[bind:N2] verify checks a signed descriptor against the own keys, a key set or one key', async () => {
    writeFileSync(join(folder, 'signing.pem'), newKeyPem());
    const before = readFileSync(config, 'utf8');
    writeFileSync(config, JSON.stringify({ bind: { signing_key_file: 'signing.pem' } }));
    const signed = JSON.parse((await command('resolve', 'sentinel', '--mode', 'mcp', '--json')).stdout);
    const exits = [
      (await command('verify', file('signed.json', signed))).exit,
      (await command('verify', file('forged.json', { ...signed, endpoint: url('evil') }))).exit,
      (
        await command(
          'verify',
          file('signed.json', signed),
          '--key',
          `ed25519:${Buffer.alloc(32, 1).toString('base64')}`,
        )
      ).exit,
      (await command('verify', file('signed.json', signed), '--jwks', file('jwks.json', { keys: [] }), '--json')).exit,
    ];
    writeFileSync(config, JSON.stringify({ bind: { signing_key_file: 'gone.pem' } }));
    const broken = await command('resolve', 'sentinel');
    writeFileSync(config, before);
    expect([exits, broken.exit, broken.stderr.includes('SIGNING_KEY_INVALID')]).toEqual([[0, 1, 1, 1], 1, true]);
  });

  test('private endpoints are served where that is allowed', async () => {
    const allowed = await command('resolve', 'private', '--mode', 'mcp', '--json', '--allow-private-endpoints');
    expect(JSON.parse(allowed.stdout).endpoint).toBe('https://10.0.0.7/mcp');
  });

  test('errors say what to do next', async () => {
    const { exit, stderr } = await command('resolve', 'nobody');
    expect([exit, stderr]).toEqual([
      1,
      'error: There is no such identity (IDENTITY_NOT_FOUND)\nnext: Check the spelling, or publish a zone of this name.\n',
    ]);
    const missing = await command('put', join(folder, 'gone.json'));
    expect([missing.exit, missing.stderr.includes('cannot be read')]).toEqual([1, true]);
  });
});
