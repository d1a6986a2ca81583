import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc, { type Arbitrary } from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ALL_SETTINGS as SETTINGS } from '../../src/cli/all-settings.ts';
import { BindConfig } from '../../src/cli/rooms/bind-config.ts';
import { CATALOG_SETTINGS } from '../../src/cli/rooms/catalog-deps.ts';
import { CivicConfig } from '../../src/cli/rooms/civic-config.ts';
import { ContextConfig } from '../../src/cli/rooms/context-config.ts';
import type { Surface } from '../../src/contract/approval-surfaces.ts';
import { GATEWAY_LIMITS } from '../../src/gateway/limits.ts';
import { parseLayer } from '../../src/host/config/config-layer.ts';
import { mergeServers } from '../../src/host/config/configured-servers.ts';
import { GATEWAY_KEYS, gatewaySettings, ProfileSettings, surfacesOf } from '../../src/host/config/gateway-settings.ts';
import { mergeSettings } from '../../src/host/config/merge-settings.ts';
import { ServerEntry } from '../../src/host/config/server-entry.ts';
import { defaultOf, shapeOf } from '../../src/host/config/settings/setting.ts';
import { toServerSpec } from '../../src/host/config/to-server-spec.ts';
import { loadRules, PermissionSettings } from '../../src/host/permissions/permission-rules.ts';
import { judge } from '../../src/host/permissions/permissions.ts';
import { isTrusted } from '../../src/host/trust/trust-store.ts';
import { PROXY_LIMITS } from '../../src/proxy/limits.ts';
import { configuredProfiles } from '../../src/runtime/config/configured-profiles.ts';
import { root, sourceFiles } from '../support/repository.ts';

/** config.json as a whole, from the schemas that read its parts. */
const Config = z.object({
  version: z.number(),
  mcp: z.object({ token_store: z.enum(['file', 'keychain']), servers: z.record(z.string(), ServerEntry) }),
  permissions: PermissionSettings,
  gateway: z.object({ ...GATEWAY_KEYS, profiles: z.record(z.string(), ProfileSettings) }),
  catalog: z.object(shapeOf(CATALOG_SETTINGS)),
  context: ContextConfig,
  bind: BindConfig,
  civic: CivicConfig,
});

const paths = new Set(SETTINGS.map(({ path }) => path));

function unwrapped(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return unwrapped(schema.unwrap());
  return schema instanceof z.ZodPipe ? unwrapped(schema.def.in) : (schema as z.ZodType);
}

/** The keys of a schema down to those that have a record, or that hold no others. */
function keysOf(schema: unknown, path: string): string[] {
  const inner = unwrapped(schema);
  if (paths.has(path)) return [path];
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  if (inner instanceof z.ZodRecord) return keysOf(inner.def.valueType, at('*'));
  if (!(inner instanceof z.ZodObject)) return [path];
  return Object.entries(inner.shape).flatMap(([name, member]) => keysOf(member, at(name)));
}

test('every key of config.json has one record in the settings table, and every record is of a key', () => {
  expect(keysOf(Config, '').sort()).toEqual(SETTINGS.map(({ path }) => path).sort());
  expect(paths.size).toBe(SETTINGS.length);
  const sections = sourceFiles('src').flatMap((file) =>
    [...readFileSync(`${root}/${file}`, 'utf8').matchAll(/readConfigSection\(\w+, '(\w+)'/g)].map(([, name]) => name),
  );
  expect(sections.filter((name) => !Object.hasOwn(Config.shape, name as string))).toEqual([]);
});

test('every record has a line of documentation, and a default that its own schema accepts', () => {
  const bad = SETTINGS.filter((setting) => {
    const unset = defaultOf(setting);
    const isValid = unset === undefined || setting.schema.safeParse(unset).success;
    return !isValid || !/^\S[^\n]{10,130}\.$/.test(setting.summary);
  });
  expect(bad.map(({ path }) => path)).toEqual([]);
});

test('the defaults that the records say in words are those that the gateway uses', () => {
  const wordsOf = (key: string) => SETTINGS.find(({ path }) => path === `mcp.servers.*.${key}`)?.unset;
  const { concurrencyMax, stdioConcurrencyMax, queueMax } = PROXY_LIMITS;
  expect([wordsOf('max_concurrency'), wordsOf('queue_max')]).toEqual([
    `${concurrencyMax}; ${stdioConcurrencyMax} over stdio`,
    String(queueMax),
  ]);
});

const word = fc.constantFrom('a', 'b', 'c');

/** Values of a schema, and now and then one of another kind. */
function valuesOf(schema: unknown, path: string): Arbitrary<unknown> {
  const inner = unwrapped(schema);
  const any = path === '' ? [] : [{ weight: 1, arbitrary: fc.constantFrom<unknown>('odd', 7, true, null, [], {}) }];
  return fc.oneof({ weight: 40, arbitrary: plainValuesOf(inner, path) }, ...any);
}

function plainValuesOf(schema: z.ZodType, path: string): Arbitrary<unknown> {
  if (path === 'gateway.profiles.*.policy') return fc.constantFrom({ servers: ['a'] }, { servers: ['a', 'b'] });
  if (path === 'mcp.servers.*') return entries;
  if (path === 'permissions.projects') {
    return fc.constantFrom({}, { '/project': { allow: ['a/*'] } }, { '/other': { allow: ['*/*'] } });
  }
  if (path.startsWith('permissions.')) return fc.array(fc.constantFrom('a/*', '*/x', 'b/y', '*/*'), { maxLength: 3 });
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options);
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodNumber)
    return fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 2 ** 31 }));
  if (schema instanceof z.ZodArray)
    return fc.uniqueArray(plainValuesOf(unwrapped(schema.element), `${path}[]`), { maxLength: 3 });
  if (schema instanceof z.ZodRecord) {
    const names = path === 'gateway.profiles' ? fc.constantFrom('default', 'dev', 'ci') : word;
    return fc.dictionary(names, valuesOf(schema.def.valueType, `${path}.*`), { maxKeys: 3 });
  }
  if (!(schema instanceof z.ZodObject)) return word;
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const members = Object.entries(schema.shape).map(([name, member]) => [name, valuesOf(member, at(name))]);
  return fc.record(Object.fromEntries(members) as Record<string, Arbitrary<unknown>>, { requiredKeys: [] });
}

const guards = { pin_definitions: fc.boolean(), quarantine: fc.constantFrom('on', 'off'), enabled: fc.boolean() };
const entries = fc.oneof(
  fc.record(
    { transport: fc.constant('stdio'), command: word, cwd: word, ...guards },
    { requiredKeys: ['transport', 'command'] },
  ),
  fc.record(
    { transport: fc.constant('http'), url: fc.constantFrom('https://a/', 'https://b/'), ...guards },
    { requiredKeys: ['transport', 'url'] },
  ),
);

const config = valuesOf(Config, '') as Arbitrary<Record<string, unknown>>;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const EXPOSURES = ['search', 'auto', 'all'];
const JUDGED = ['deny', 'ask', 'allow'];
const all: Surface[] = ['console', 'cli', 'webhook', 'client'];
const places = { env: {}, projectDir: '/project', serversDir: '/data/servers' };

/** What is in force with these files, as the gateway and the host use it. */
function inForce(person: object, project: object | undefined) {
  const layers = [
    parseLayer('global', '/home/config.json', JSON.stringify(person)),
    ...(project === undefined ? [] : [parseLayer('project', '/project/.bindery/config.json', JSON.stringify(project))]),
  ];
  const { settings } = gatewaySettings(layers);
  const { rules } = loadRules(layers, '/project');
  const servers = mergeServers(layers).filter((server) => server.enabled && isTrusted(server, []));
  const calls = ['a/x', 'a/y', 'b/x', 'b/y'].flatMap((target) =>
    [true, false].map((readOnly) => ({ target, readOnly })),
  );
  return {
    settings,
    profiles: configuredProfiles(settings, undefined, quiet),
    answerBytesMax: settings.output_bytes_max ?? GATEWAY_LIMITS.answerBytesMax,
    specs: servers.flatMap(({ entry, ...named }) =>
      entry ? [{ spec: toServerSpec({ ...named, entry }, places).spec, entry }] : [],
    ),
    judged: (['minimal', 'trusted', 'full-access'] as const).flatMap((mode) =>
      calls.map(({ target, readOnly }) => {
        const [server = '', tool = ''] = target.split('/');
        return JUDGED.indexOf(judge({ server, tool, readOnly, destructive: false, declared: true }, rules, mode));
      }),
    ),
  };
}

type InForce = ReturnType<typeof inForce>;

/** Everything in which the first gives more than the second. */
function moreThan(given: InForce, without: InForce): string[] {
  const more: string[] = [];
  const check = (what: string, holds: boolean) => void (holds || more.push(what));
  const within = (a: readonly unknown[], b: readonly unknown[]) => a.every((item) => b.includes(item));
  const atMost = (a = Number.POSITIVE_INFINITY, b = Number.POSITIVE_INFINITY) => a <= b;
  for (const profile of given.profiles) {
    const own = without.profiles.find(({ name }) => name === profile.name);
    if (!own) {
      more.push(`profile ${profile.name}`);
      continue;
    }
    const [mine, theirs] = [profile.search, own.search];
    check(
      'servers',
      own.servers === undefined || (profile.servers !== undefined && within(profile.servers, own.servers)),
    );
    check('exposure', EXPOSURES.indexOf(mine?.exposure ?? '') <= EXPOSURES.indexOf(theirs?.exposure ?? ''));
    check('budget', atMost(mine?.budgetTokens, theirs?.budgetTokens));
    check('pinned', within(mine?.pinned ?? [], theirs?.pinned ?? []));
    check('names', profile.names === own.names);
    check('resources', own.promotesResources === true || profile.promotesResources !== true);
    check(
      'policies',
      own.policies.every((policy) => profile.policies.some((one) => isDeepStrictEqual(one, policy))),
    );
    for (const ofKey of [null, all]) {
      const surfaces = ({ settings }: InForce) => surfacesOf(settings, profile.name, ofKey);
      check('surfaces', within(surfaces(given), surfaces(without)));
    }
  }
  const [mine, theirs] = [given.settings, without.settings];
  check('calls of a client', atMost(mine.limits?.client_per_minute, theirs.limits?.client_per_minute));
  check('calls of a server', atMost(mine.limits?.server_per_minute, theirs.limits?.server_per_minute));
  check('output', given.answerBytesMax <= without.answerBytesMax);
  check('pins', mine.pin_definitions || !theirs.pin_definitions);
  const rank = ['off', 'registered', 'on'];
  check('quarantine', rank.indexOf(mine.quarantine) >= rank.indexOf(theirs.quarantine));
  for (const key of ['approval', 'audit', 'auth', 'search'] as const)
    check(key, isDeepStrictEqual(mine[key], theirs[key]));
  check(
    'servers that start',
    given.specs.every((one) => without.specs.some((other) => isDeepStrictEqual(one, other))),
  );
  check(
    'permissions',
    given.judged.every((judged, index) => judged <= (without.judged[index] ?? -1)),
  );
  return more;
}

test('no file of a project gives more than there is without it', () => {
  fc.assert(
    fc.property(config, config, (person, project) => {
      expect(moreThan(inForce(person, project), inForce(person, undefined))).toEqual([]);
    }),
    { numRuns: 3_000 },
  );
});

test('what only the person may set is as they set it, whatever a project says', () => {
  const valueAt = (value: unknown, names: readonly string[]): unknown =>
    names.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined | null)?.[name], value);
  const fixed = SETTINGS.filter(({ path, project }) => project.direction === 'global_only' && !path.includes('*'));
  fc.assert(
    fc.property(config, config, (person, project) => {
      const merged = mergeSettings('', person, project);
      for (const { path } of fixed) {
        const names = path.split('.');
        expect([path, valueAt(merged, names)]).toEqual([path, valueAt(person, names)]);
      }
    }),
    { numRuns: 500 },
  );
});

test('a server of the project needs trust, whatever else its file says', () => {
  fc.assert(
    fc.property(config, config, (person, project) => {
      const layers = [
        parseLayer('global', '/home/config.json', JSON.stringify(person)),
        parseLayer('project', '/project/.bindery/config.json', JSON.stringify(project)),
      ];
      const started = mergeServers(layers).filter((server) => isTrusted(server, []));
      expect(started.filter(({ source }) => source === 'project')).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
