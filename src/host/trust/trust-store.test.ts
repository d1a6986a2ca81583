import { createHash } from 'node:crypto';
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseLayer, type Scope } from '../config/config-layer.ts';
import { type ConfiguredServer, serversOf } from '../config/configured-servers.ts';
import { ServerEntry } from '../config/server-entry.ts';
import { entryDigest } from './entry-digest.ts';
import { isTrusted, TrustStore } from './trust-store.ts';

const clock = { now: () => Date.UTC(2026, 10, 15, 12, 0, 0, 7) };
const stdio = { transport: 'stdio', command: 'npx', args: ['-y', 'thing'], env: { B: '2', A: '1' } };

function server(id: string, raw: object, scope: Scope = 'project'): ConfiguredServer {
  const text = JSON.stringify({ mcp: { servers: { [id]: raw } } });
  return serversOf(parseLayer(scope, '/f', text))[0] as ConfiguredServer;
}

async function openTrust(project = '/p/one') {
  const file = join(await mkdtemp(join(tmpdir(), 'bindery-trust-')), 'trust.json');
  return { file, store: new TrustStore(file, project, clock), other: new TrustStore(file, '/p/two', clock) };
}

/** A value of each key that differs from what its absence means. */
const CHANGES: Readonly<Record<string, unknown>> = {
  transport: 'sse',
  command: 'sh',
  args: ['-y'],
  cwd: '/',
  env: { A: '2' },
  url: 'https://x/other',
  identity: 'ai://x',
  identity_keys: [`ed25519:${Buffer.alloc(32, 'k').toString('base64')}`],
  headers: { A: 'b' },
  request_timeout_ms: 5,
  startup_timeout_ms: 5,
  tool_timeout_max_ms: 5,
  oauth: { client_id: 'x' },
  credentials: 'per_user',
  include_tools: ['a'],
  exclude_tools: ['a'],
  required: true,
  expand_env: true,
  keep_alive: true,
  idle_stop_ms: 5,
  sharing: 'shared',
  max_concurrency: 5,
  queue_max: 5,
  health_check: '/health',
  pin_definitions: true,
  quarantine: 'on',
  breaker: { failures: 9 },
  tool_breakers: ['a'],
};

describe('the digest', () => {
  test('[host:M6] is SHA-256 over the canonical entry with its defaults', () => {
    const canonical =
      '{"args":["-y","thing"],"command":"npx","credentials":"shared","env":{"A":"1","B":"2"},"expand_env":false,' +
      '"headers":{},"keep_alive":false,"pin_definitions":false,"request_timeout_ms":30000,"required":false,' +
      '"sharing":"auto","startup_timeout_ms":60000,"tool_breakers":[],"tool_timeout_max_ms":600000,"transport":"stdio"}';
    const digest = createHash('sha256').update(canonical).digest('hex');
    const written = { ...stdio, enabled: false, sharing: 'auto', request_timeout_ms: 30_000 };
    expect([entryDigest('a', stdio), entryDigest('a', written)]).toEqual([digest, digest]);
  });

  test.each(Object.keys(ServerEntry.shape).filter((key) => key !== 'enabled'))('[host:M6] changes with %s', (key) => {
    const http = { transport: 'http', url: 'https://x/' };
    for (const base of [stdio, http, { transport: 'http', identity: 'ai://y' }]) {
      expect(entryDigest('a', { ...base, [key]: CHANGES[key] })).not.toBe(entryDigest('a', base));
    }
  });

  test('[host:M6] changes with a key that this version does not know, and with an entry that is invalid', () => {
    expect(entryDigest('a', { ...stdio, later: 1 })).not.toBe(entryDigest('a', stdio));
    expect(entryDigest('a', { command: 1 })).not.toBe(entryDigest('a', { command: 2 }));
  });
});

describe('trust', () => {
  test('[host:H7] [host:X26] a server of the project is trusted by its definition; an edit asks again, a switch does not', async () => {
    const { store } = await openTrust();
    await store.trust([server('a', stdio)]);
    const trusted = await store.list();
    const states = [
      server('a', stdio),
      server('a', { ...stdio, enabled: false }),
      server('a', { ...stdio, request_timeout_ms: 9 }),
      server('a', { ...stdio, args: ['-y', 'other'] }),
      server('b', stdio),
      server('b', stdio, 'global'),
      server('c', { transport: 'http', url: 'https://c/' }),
    ].map((one) => isTrusted(one, trusted));
    expect(states).toEqual([true, true, false, false, false, true, false]);
  });

  test('[host:M6] the file has the documented shape, is private, and keeps projects apart', async () => {
    const { store, other, file } = await openTrust();
    await store.trust([server('a', stdio)]);
    await other.trust([server('a', { ...stdio, command: 'sh' })]);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      version: 1,
      projects: {
        '/p/one': { a: { sha256: entryDigest('a', stdio), covers: 'entry', trusted_at: '2026-11-15T12:00:00.007Z' } },
        '/p/two': {
          a: {
            sha256: entryDigest('a', { ...stdio, command: 'sh' }),
            covers: 'entry',
            trusted_at: '2026-11-15T12:00:00.007Z',
          },
        },
      },
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect([await store.revoke('a'), await store.revoke('a'), await store.list()]).toEqual([true, false, []]);
    expect(await other.list()).toHaveLength(1);
  });

  test('[host:M6] a damaged file trusts nothing and is not overwritten', async () => {
    const { store, file } = await openTrust();
    await writeFile(file, '{"version":2}');
    await expect(store.list()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(store.trust([server('a', stdio)])).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(await readFile(file, 'utf8')).toBe('{"version":2}');
  });

  test('[host:M6] any id that is allowed can be trusted', async () => {
    const { store } = await openTrust();
    await store.trust([server('__proto__', stdio), server('constructor', stdio)]);
    expect((await store.list()).map(({ id }) => id)).toEqual(['__proto__', 'constructor']);
  });
});
