import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLayer, type Scope } from '../config/config-layer.ts';
import { type ConfiguredServer, serversOf } from '../config/configured-servers.ts';
import { ServerEntry } from '../config/server-entry.ts';
import { entryDigest } from './entry-digest.ts';
import { isTrusted, type TrustEntry, TrustStore, trustOf, untrustedReason } from './trust-store.ts';

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

  test('[host:M6] changes with an unknown key, and with an invalid entry', () => {
    expect(entryDigest('a', { ...stdio, later: 1 })).not.toBe(entryDigest('a', stdio));
    expect(entryDigest('a', { command: 1 })).not.toBe(entryDigest('a', { command: 2 }));
  });
});

describe('trust', () => {
  test('[host:H7] [host:X26] a server of the project is trusted by its definition; an edit asks again, disabling does not', async () => {
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

  test('[host:M6] any valid id can be trusted', async () => {
    const { store } = await openTrust();
    await store.trust([server('__proto__', stdio), server('constructor', stdio)]);
    expect((await store.list()).map(({ id }) => id)).toEqual(['__proto__', 'constructor']);
  });

  test('[host:X26] the state of a server names the problem with its trust, and the reason the remedy', () => {
    const trusted = (more: Partial<TrustEntry>): TrustEntry[] => [
      { id: 'z', sha256: entryDigest('z', stdio), covers: 'entry', trusted_at: '' },
      { id: 'a', sha256: entryDigest('a', stdio), covers: 'entry', trusted_at: '', ...more },
    ];
    const [own, global] = [server('a', stdio), server('a', stdio, 'global')];
    const seen = [trusted({}), trusted({ sha256: 'x' }), trusted({ covers: undefined }), trusted({ id: 'b' })].map(
      (list) => [trustOf(own, list), isTrusted(own, list), isTrusted(global, list), untrustedReason(global, list)],
    );
    expect(seen).toEqual([
      ['trusted', true, true, undefined],
      ['changed', false, true, undefined],
      ['outdated', false, true, undefined],
      ['untrusted', false, true, undefined],
    ]);
    const next = '; look at it with `bindery mcp trust --list`, then run `bindery mcp trust` for it';
    expect([
      untrustedReason(own, trusted({})),
      untrustedReason(own, trusted({ sha256: 'x' })),
      untrustedReason(own, trusted({ covers: 'launch' })),
      untrustedReason(own, []),
    ]).toEqual([
      undefined,
      `untrusted: the project changed its definition since it was trusted${next}`,
      `untrusted: an older version of Bindery trusted it without looking at every key of its entry${next}`,
      `untrusted: the project defines this server${next}`,
    ]);
  });

  test('[host:M6] over any sequence a store behaves like a list per project', async () => {
    const step = fc.record({
      project: fc.constantFrom('/p/one', '/p/two', '__proto__'),
      trusts: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
      revokes: fc.constantFrom(undefined, 'a', 'b', 'toString'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        const { file } = await openTrust();
        await writeFile(file, '{"version":1,"projects":{},"later":7}');
        const model = new Map<string, Set<string>>();
        for (const { project, trusts, revokes } of steps) {
          const store = new TrustStore(file, project, clock);
          const own = model.get(project) ?? new Set();
          model.set(project, own);
          await store.trust(trusts.map((id) => server(id, stdio)));
          for (const id of trusts) own.add(id);
          if (revokes !== undefined) expect(await store.revoke(revokes)).toBe(own.delete(revokes));
          expect((await store.list()).map(({ id }) => id)).toEqual([...own].sort());
        }
        const { version, projects, later } = JSON.parse(await readFile(file, 'utf8'));
        const left = [...model].filter(([, own]) => own.size > 0).map(([project]) => project);
        expect([version, Object.keys(projects).sort(), later]).toEqual([1, left.sort(), 7]);
      }),
      { numRuns: 25 },
    );
  });

  test.each([
    'no json',
    '[]',
    '{"version":1}',
    '{"version":1,"projects":{"/p/one":[]}}',
    '{"version":1,"projects":{"/p/one":{"a":{"trusted_at":"x"}}}}',
    '{"version":1,"projects":{"/p/one":{"a":{"sha256":7,"trusted_at":"x"}}}}',
  ])('[host:M6] a file such as %s trusts nothing, whatever else it holds', async (text) => {
    const { store, file } = await openTrust();
    await writeFile(file, text);
    const refused = {
      code: 'CONFIG_INVALID',
      detail: `${file} is damaged or has another version`,
      next: expect.stringContaining('delete it'),
    };
    await expect(store.list()).rejects.toMatchObject(refused);
    await expect(store.revoke('a')).rejects.toMatchObject(refused);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  test('[host:M6] writability is checked without writing', async () => {
    const { store, file } = await openTrust();
    await store.ensureWritable();
    expect(await readdir(dirname(file))).toEqual([]);
    const taken = new TrustStore(join(file, 'trust.json'), '/p', clock);
    await writeFile(file, '');
    await expect(taken.ensureWritable()).rejects.toMatchObject({ code: 'CONFIG_UNWRITABLE' });
    const deep = join(dirname(file), 'deep', 'trust.json');
    await mkdir(dirname(dirname(deep)), { recursive: true });
    await new TrustStore(deep, '/p', clock).ensureWritable();
    expect((await stat(dirname(deep))).mode & 0o777).toBe(0o700);
  });
});
