import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDenied } from './decide.ts';
import { lintPolicy } from './lint-policy.ts';
import type { KnownTools } from './name-doubts.ts';
import { parsePolicy } from './parse-policy.ts';

interface Allowlist {
  readonly servers: readonly string[];
  readonly tools?: Readonly<Record<string, readonly string[]>>;
  readonly forbidden?: readonly string[];
  readonly allowed_operations?: readonly string[];
  readonly operations?: Readonly<Record<string, object>>;
}

const text = (allowlist: Allowlist, indent = 0) => JSON.stringify({ allowlist }, null, indent);
const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');
/** What the parser says of a file is not the linter's. */
const OF_PARSER = ['legacy_key', 'duplicate_entry', 'glob_has_no_effect'];

/** Whether anything that a key may name passes the policy itself, on servers that there are as far as somebody can say. */
function naiveCanPass(allowlist: Allowlist, key: string, known: KnownTools | undefined): boolean {
  const { operations, ...lists } = allowlist;
  const layer = { layer: 'file', file: null, policy: parsePolicy(text(lists)) } as const;
  const passes = (server: string, tool: string) => !isDenied([layer], { server, tool });
  const listed = allowlist.servers.filter((server) => server !== '*');
  const hasList = (server: string) => Object.hasOwn(allowlist.tools ?? {}, server);
  const cuts = [...key].flatMap((sign, at) => (sign === '/' ? [at] : []));
  if (cuts.some((at) => passes(key.slice(0, at), key.slice(at + 1)))) return true;
  if (listed.some((server) => passes(server, key) && (hasList(server) || known?.get(server)?.has(key)))) return true;
  if (cuts.length > 0) return false;
  if (allowlist.servers.includes('*')) return passes('*', key);
  const isUnseen = (server: string) => known?.get(server) === undefined;
  return allowlist.tools === undefined && listed.some((server) => isUnseen(server) && passes(server, key));
}

/** The findings a second time, each rule by itself: where, what, and the beginning of the message. */
function naiveFindings(allowlist: Allowlist, known: KnownTools | undefined): string[] {
  const { servers, tools = {}, forbidden = [], operations = {} } = allowlist;
  const found: (readonly [pointer: string, code: string, message: string])[] = [];
  const misnamed = new Map<string, string>();
  const ids = [...servers, ...Object.keys(tools)].filter((id) => id !== '');
  const publicName = (pointer: string, name: string, meant: string | undefined) => {
    if (meant !== undefined)
      misnamed.set(pointer, `${name} is the name that clients see, and matches no tool: write ${meant}`);
  };
  const ofAny = (name: string) => {
    const id = ids.find((one) => name.startsWith(`${one}__`));
    return id === undefined ? undefined : `${id}/${name.slice(id.length + 2)}`;
  };
  for (const [server, names] of Object.entries(tools))
    for (const [at, name] of names.entries())
      publicName(
        `/tools/${escaped(server)}/${at}`,
        name,
        name.startsWith(`${server}__`) ? name.slice(server.length + 2) : undefined,
      );
  for (const [at, name] of forbidden.entries()) publicName(`/forbidden/${at}`, name, ofAny(name));
  for (const key of Object.keys(operations)) publicName(`/operations/${escaped(key)}`, key, ofAny(key));

  if (servers.every((server) => tools[server]?.length === 0))
    found.push(['/servers', 'permits_nothing', 'no tool of any server is allowed: every call is denied']);
  for (const server of Object.keys(tools))
    if (!servers.includes(server) && !servers.includes('*'))
      found.push([
        `/tools/${escaped(server)}`,
        'tools_for_unlisted_server',
        `${server} is not in servers: these tools stay denied`,
      ]);
  for (const key of Object.keys(operations)) {
    const pointer = `/operations/${escaped(key)}`;
    if (naiveCanPass(allowlist, key, known)) continue;
    const message = naiveCanPass(allowlist, key, undefined)
      ? `no server has a tool ${key}: the rule has no effect`
      : `${key} is in no list of allowed tools: it stays denied`;
    found.push([pointer, 'operation_never_allowed', message]);
  }
  found.push(...notNamed(operations), ...(known ? naiveUnknown(allowlist, known) : []));
  return [
    ...[...misnamed].map(([pointer, message]) => `${pointer} unknown_tool ${message}`),
    ...found.filter(([pointer]) => !misnamed.has(pointer)).map((one) => one.join(' ')),
  ].sort();
}

/** Rules for paths or addresses that say nothing of which arguments they are for. */
function notNamed(operations: Readonly<Record<string, object>>) {
  return Object.entries(operations).flatMap(([key, rule]) =>
    [
      ['allowed_roots', 'path_arguments', 'every string counts as a path'] as const,
      ['allowed_domains', 'url_arguments', 'every string is searched for addresses'] as const,
    ]
      .filter(([name, places]) => name in rule && !(places in rule))
      .map(([name, places, message]) => {
        const pointer = `/operations/${escaped(key)}/${name}`;
        return [pointer, 'arguments_not_named', `${message}: add ${places}`] as const;
      }),
  );
}

/** Names that no server has. */
function naiveUnknown(allowlist: Allowlist, known: KnownTools) {
  const { servers, tools = {}, forbidden = [], operations = {} } = allowlist;
  const found: (readonly [pointer: string, code: string, message: string])[] = [];
  const names = new Set(
    [...known].flatMap(([server, seen]) => [...(seen ?? [])].flatMap((t) => [t, `${server}/${t}`])),
  );
  const isSeen = (server: string) => known.get(server) !== undefined;
  for (const [at, server] of servers.entries())
    if (server !== '*' && !known.has(server))
      found.push([`/servers/${at}`, 'unknown_server', `no server is called ${server}`]);
  for (const [server, list] of Object.entries(tools))
    for (const [at, tool] of list.entries())
      if (tool !== '*' && known.get(server)?.has(tool) === false)
        found.push([`/tools/${escaped(server)}/${at}`, 'unknown_tool', `${server} has no tool ${tool}`]);
  for (const [at, name] of forbidden.entries())
    if (servers.every(isSeen) && !names.has(name))
      found.push([`/forbidden/${at}`, 'unknown_tool', `no server has a tool ${name}`]);
  for (const key of Object.keys(operations)) {
    const named = [...known.keys()].filter((server) => key.startsWith(`${server}/`));
    const others = servers.includes('*') ? [...known.keys()] : servers;
    const isDecided = (named.length > 0 ? named : others).every(isSeen);
    if (isDecided && !names.has(key) && naiveCanPass(allowlist, key, known))
      found.push([`/operations/${escaped(key)}`, 'unknown_tool', `no server has a tool ${key}`]);
  }
  return found;
}

const server = fc.constantFrom('s', 'r', 's/b');
const tool = fc.constantFrom('a', 'b', 'b/c', 'c', 's__a', 'r__b', '__a');
const entry = fc.oneof(
  tool,
  fc.tuple(server, tool).map(([one, other]) => `${one}/${other}`),
);
const list = (item: fc.Arbitrary<string>) => fc.uniqueArray(item, { maxLength: 3 });
const [roots, domains] = [{ allowed_roots: ['/srv'] }, { allowed_domains: ['a.example'] }];
const rule = fc.constantFrom<object>(
  { approval_required: true },
  { ...roots, ...domains },
  { ...roots, path_arguments: ['/path'] },
  { ...domains, url_arguments: ['/url'] },
);
const allowlists = fc.record(
  {
    servers: list(fc.oneof(server, fc.constant('*'))),
    tools: fc.dictionary(server, list(fc.oneof(tool, fc.constant('*'))), {
      minKeys: 1,
      maxKeys: 2,
      noNullPrototype: true,
    }),
    forbidden: list(entry),
    allowed_operations: fc.uniqueArray(entry, { minLength: 3, maxLength: 12 }),
    operations: fc.dictionary(entry, rule, { maxKeys: 3, noNullPrototype: true }),
  },
  { requiredKeys: ['servers', 'operations'] },
) as fc.Arbitrary<Allowlist>;
const catalogues = fc
  .array(fc.tuple(server, fc.option(list(tool), { freq: 4, nil: undefined })), { minLength: 1, maxLength: 3 })
  .map((entries): KnownTools => new Map(entries.map(([id, tools]) => [id, tools && new Set(tools)])));

test('lint finds what a naive reader finds, whatever tools are known, in the order of the file [gateway:P10]', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      allowlists,
      fc.option(catalogues, { freq: 4, nil: undefined }),
      fc.constantFrom(0, 1),
      (allowlist, known, indent) => {
        const { ok, findings } = lintPolicy(parsePolicy(text(allowlist, indent)), known);
        expect(ok).toBe(true);
        const own = findings.filter(({ code }) => !OF_PARSER.includes(code));
        for (const { code } of own) seen.add(code);
        const said = own.map(
          ({ pointer, code, message }) =>
            `${pointer.replace('/allowlist', '')} ${code} ${message.replace(/\. Did you mean .*$/, '')}`,
        );
        expect(said.sort()).toEqual(naiveFindings(allowlist, known));
        expect(findings.map(({ line, pointer }) => [line, pointer])).toEqual(
          findings
            .map(({ line, pointer }) => [line, pointer] as const)
            .sort(([a, one], [b, other]) => a - b || Number(one > other) - Number(one < other)),
        );
      },
    ),
    { numRuns: 4_000 },
  );
  expect([...seen].sort()).toEqual([
    'arguments_not_named',
    'operation_never_allowed',
    'permits_nothing',
    'tools_for_unlisted_server',
    'unknown_server',
    'unknown_tool',
  ]);
});

test('each unknown name is reported with the one that was probably meant [gateway:P10]', () => {
  const known: KnownTools = new Map([
    ['files', new Set(['read_file', 'write_file'])],
    ['mail', new Set(['send_mail'])],
  ]);
  const allowlist = {
    servers: ['files', 'mali'],
    tools: { files: ['raed_file', 'read_file'] },
    forbidden: ['files/wirte_file'],
    operations: { 'files/read_fil': {}, raed_file: {}, 'files/raed_file': {} },
  };
  const messages = (names: KnownTools | undefined) =>
    lintPolicy(parsePolicy(text(allowlist)), names).findings.map(({ message }) => message);
  expect(messages(known)).toEqual([
    'no server has a tool files/raed_file. Did you mean files/read_file?',
    'files/read_fil is in no list of allowed tools: it stays denied',
    'no server is called mali. Did you mean mail?',
    'files has no tool raed_file. Did you mean read_file?',
  ]);
});

test('a policy with an error is not ok, and one with warnings is', () => {
  const of = (policy: string) => {
    const { ok, findings } = lintPolicy(parsePolicy(policy), undefined);
    return [ok, findings.map(({ level }) => level)];
  };
  expect([
    of('{"other":1,"allowlist":{"servers":["s"]}}'),
    of('{"other":1,"allowlist":{"servers":[1]}}'),
    of('{"allowlist":{"servers":["s"]}}'),
  ]).toEqual([
    [true, ['warning']],
    [false, ['error', 'warning']],
    [true, []],
  ]);
});
