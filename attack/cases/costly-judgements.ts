import assert from 'node:assert/strict';
import { openSession } from '../../test/support/raw-client.ts';
import { type RunningBindery, untilKnown } from '../../test/support/running-bindery.ts';
import type { AttackCase, AttackTarget, RecordingServer } from '../attack-case.ts';
import { besideOthers } from '../beside-others.ts';

/** A gateway with a good server `notes` and another one, and optionally a policy for both. */
async function start(target: AttackTarget, shifty: RecordingServer, allowlist?: object): Promise<RunningBindery> {
  const { home, recordingServer, write, up } = target;
  await home.writeConfig({ version: 1, mcp: { servers: { notes: recordingServer().entry, shifty: shifty.entry } } });
  const flags = allowlist
    ? ['--policy', await write('policy.json', JSON.stringify({ version: '1.0', allowlist }))]
    : [];
  const bindery = await up(...flags);
  await untilKnown(bindery, 'notes', 'shifty');
  return bindery;
}

/** The outcome of a call, as text. */
async function call(bindery: RunningBindery, name: string, args: unknown): Promise<string> {
  const session = await openSession(bindery.mcpUrl, { name: 'attacker' });
  const { result, error } = await session.request('tools/call', { name, arguments: args as object });
  return JSON.stringify(result ?? error);
}

/** The arguments in the newest record of a call to the server. */
async function recorded(bindery: RunningBindery): Promise<{ unchecked?: string; arguments?: unknown }> {
  const { body } = await bindery.api('GET', '/v1/audit?kind=call&limit=200');
  const items = (body as { items: { name?: string; phase: string; unchecked?: string }[] }).items;
  const own = items.filter(({ name, phase }) => name?.startsWith('shifty__') && phase !== 'end');
  return own.at(0) ?? {};
}

const tool = (name: string, inputSchema: object) => ({ name, description: `Tool ${name}`, inputSchema });
const values = (count: number) => Array.from({ length: count }, (_, at) => `v${at}`);
const list = (count: number, of: number) => Array.from({ length: count }, (_, at) => `v${at % of}`);

/** Two paths into each member: with sixty levels, no machine can follow all of them. */
const TWO_WAYS = {
  type: 'object',
  anyOf: ['x', 'y'].map((name) => ({ allOf: [{ properties: { a: { $ref: '#' } } }, { required: [name] }] })),
};
const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });

const SCHEMAS = [
  tool('alternatives', {
    type: 'object',
    properties: { a: { items: { anyOf: values(3_000).map((value) => ({ const: value })) } } },
  }),
  tool('different', { type: 'object', properties: { a: { uniqueItems: true, items: { type: 'string' } } } }),
  tool('ways', TWO_WAYS),
  tool('runaway', { type: 'object', properties: { a: { pattern: '^([a-z0-9]+-?)+$' } } }),
  tool('ahead', { type: 'object', properties: { a: { pattern: '^(?=(a+)+$)' } } }),
];

export const attacks: readonly AttackCase[] = [
  {
    id: 'pattern-runaway',
    title:
      'a pattern of policy that runs away elsewhere judges in one pass; one that needs a backtracking engine is refused',
    async run(target) {
      const server = target.recordingServer();
      const properties = { text: { type: 'string', pattern: '^([a-z0-9]+-?)+$' } };
      const operations = { 'shifty/write': { arguments: { type: 'object', properties } } };
      const allowlist = { servers: ['*'], operations };
      const bindery = await start(target, server, allowlist);
      await besideOthers(bindery, async () => {
        for (const length of [45, 100_000, 1_000_000]) {
          assert.match(await call(bindery, 'shifty__write', { text: `${'a'.repeat(length)}!` }), /POLICY_DENIED/);
        }
        assert.deepEqual(await server.calls(), []);
        assert.match(await call(bindery, 'shifty__write', { text: 'a'.repeat(100_000) }), /aaaa/);
      });
      properties.text.pattern = '^(?=(a+)+$)';
      const file = await target.write('ahead.json', JSON.stringify({ version: '1.0', allowlist }));
      const lint = await target.command(['policy', 'lint', file]);
      assert.notEqual(lint.exitCode, 0);
      assert.match(lint.stdout + lint.stderr, /unsupported_pattern.*lookahead/s);
    },
  },
  {
    id: 'schema-costly',
    title:
      'schemas that would take minutes are left to their server, which the record says; a policy that needs them denies',
    async run(target) {
      const server = target.recordingServer({ tools: SCHEMAS });
      const bindery = await start(target, server);
      const byName = async (name: string, args: object) =>
        call(bindery, 'call_tool', { name: `shifty__${name}`, arguments: args });
      await besideOthers(bindery, async () => {
        for (const [name, args, unchecked] of [
          ['alternatives', { a: list(20_000, 3_000) }, 'steps'],
          ['different', { a: values(99_000) }, 'steps'],
          ['ways', nested(60), 'steps'],
          ['runaway', { a: 'a'.repeat(1_000_000) }, undefined],
          ['ahead', { a: `${'a'.repeat(45)}!` }, 'pattern'],
        ] as const) {
          const before = (await server.calls()).length;
          assert.doesNotMatch(await byName(name, args), /bindery\/error/, name);
          assert.deepEqual(
            [(await server.calls()).length, (await recorded(bindery)).unchecked],
            [before + 1, unchecked],
          );
        }
        assert.match(await byName('runaway', { a: `${'a'.repeat(1_000_000)}!` }), /INVALID_ARGUMENTS/);
      });
      await bindery.stop();

      const guarded = target.recordingServer({ tools: SCHEMAS });
      const operations = { 'shifty/ways': { arguments: TWO_WAYS } };
      const judged = await start(target, guarded, { servers: ['*'], operations });
      await besideOthers(judged, async () => {
        const answer = await call(judged, 'shifty__ways', nested(60));
        assert.match(answer, /POLICY_DENIED.*arguments_not_judged/s);
      });
      assert.deepEqual(await guarded.calls(), []);
    },
  },
  {
    id: 'paths-costly',
    title:
      'paths and addresses that would take seconds to judge are denied, one call or many at once; ordinary ones pass',
    async run(target) {
      const server = target.recordingServer();
      const { cwd } = target.home;
      const operations = {
        'shifty/write': { allowed_roots: [cwd], path_arguments: ['/path'] },
        'shifty/echo': { allowed_domains: ['a.org'] },
      };
      const bindery = await start(target, server, { servers: ['*'], operations });
      const paths = (part: string, times: number) => ({
        path: Array.from({ length: 999 }, (_, at) => `file://${cwd}/%252541\\b~/${part.repeat(times)}${at}`),
      });
      const costly = [
        ['shifty__write', paths('%2541/', 650)],
        ['shifty__write', paths('%2541/', 100)],
        ['shifty__write', paths('a/', 1_900)],
        ['shifty__echo', { text: '\u00e4 '.repeat(1_000_000) }],
        ['shifty__echo', { text: 'http://a.org '.repeat(250_000) }],
      ] as const;
      await besideOthers(bindery, async () => {
        for (const [name, args] of costly)
          assert.match(await call(bindery, name, args), /POLICY_DENIED.*arguments_not_judged/s);
        const many = Array.from({ length: 20 }, () => call(bindery, 'shifty__write', paths('%2541/', 100)));
        for (const answer of await Promise.all(many)) assert.match(answer, /arguments_not_judged/);
        const plain = { path: Array.from({ length: 999 }, (_, at) => `${cwd}/notes/${at}.md`) };
        assert.match(await call(bindery, 'shifty__write', plain), /998\.md/);
        assert.match(await call(bindery, 'shifty__echo', { text: 'word '.repeat(200_000) }), /word/);
      });
      assert.equal((await server.calls()).length, 2);
    },
  },
  {
    id: 'arguments-members',
    title: 'arguments of 330,000 members, or nested without end, are refused by the bound that they exceed',
    async run(target) {
      const server = target.recordingServer();
      const operations = {
        'shifty/write': { approval_required: true, allowed_roots: ['/tmp'], allowed_domains: ['a.org'] },
      };
      const bindery = await start(target, server, { servers: ['*'], operations });
      const members = Object.fromEntries(Array.from({ length: 330_000 }, (_, at) => [`m${at}`, 1]));
      const deep = nested(2_000);
      await besideOthers(bindery, async () => {
        for (const name of ['shifty__write', 'shifty__echo', 'shifty__none', 'call_tool', 'find_tools']) {
          const wrap = (args: object) => (name === 'call_tool' ? { name: 'shifty__write', arguments: args } : args);
          for (const [args, bound] of [
            [members, 'argumentMembersMax'],
            [{ a: Array.from({ length: 330_000 }, () => 1) }, 'argumentItemsMax'],
          ] as const) {
            const answer = await call(bindery, name, wrap(args));
            assert.match(answer, new RegExp(`ARGUMENTS_TOO_LARGE.*${bound}`), name);
          }
        }
        assert.match(await call(bindery, 'shifty__echo', { deep }), /ARGUMENTS_TOO_LARGE.*argumentDepthMax/);
        for (const [path, body] of [
          ['/v1/policy/check', { server: 'shifty', tool: 'write', arguments: members }],
          ['/v1/tools/find', { query: 'echo', ...members }],
        ] as const) {
          const answers = await Promise.all([1, 2, 3].map(() => bindery.api('POST', path, body, '')));
          for (const { status } of answers) assert.equal(status, 413, path);
        }
      });
      assert.deepEqual(await server.calls(), []);
      assert.equal((await recorded(bindery)).arguments, undefined);
    },
  },
  {
    id: 'unknown-names',
    title: 'calls of tools that do not exist cost little, however many tools there are and however long the names are',
    async run(target) {
      const { bindery, large } = await startLarge(target);
      await besideOthers(bindery, async () => {
        for (const length of [0, 100, 10_000]) {
          const names = Array.from(
            { length: 64 },
            (_, at) => `large1__colect_report_of_team_${at}${'x'.repeat(length)}`,
          );
          const direct = await Promise.all(names.slice(0, 32).map((name) => call(bindery, name, {})));
          const found = await Promise.all(names.slice(32).map((name) => call(bindery, 'call_tool', { name })));
          for (const answer of direct) assert.match(answer, /Unknown tool/);
          for (const answer of found) assert.match(answer, /UNKNOWN_TOOL.*nearest names are large/);
        }
      });
      assert.deepEqual((await Promise.all(large.map((server) => server.calls()))).flat(), []);
    },
  },
  {
    id: 'heavy-requests',
    title: 'large calls and long searches of many connections leave room for others in between',
    async run(target) {
      const { bindery } = await startLarge(target);
      const members = Object.fromEntries(Array.from({ length: 19_990 }, (_, at) => [`k${at}`, 1]));
      const queries = Array.from({ length: 20 }, (_, query) =>
        values(400)
          .map((word) => `${word}x${query}`)
          .join(' '),
      );
      await besideOthers(bindery, async () => {
        const calls = await Promise.all(
          Array.from({ length: 8 }, () => call(bindery, 'large1__collect_report_of_team_1_0', members)),
        );
        for (const answer of calls) assert.match(answer, /k19989/);
        const searches = await Promise.all(Array.from({ length: 8 }, () => call(bindery, 'find_tools', { queries })));
        for (const answer of searches) assert.match(answer, /structuredContent/);
      });
    },
  },
];

/** A gateway with the server `notes` and 2,000 tools of four others. */
async function startLarge({ home, recordingServer, up }: AttackTarget) {
  const large = [1, 2, 3, 4].map((part) => recordingServer({ tools: manyTools(part) }));
  const servers = Object.fromEntries(large.map(({ entry }, at) => [`large${at + 1}`, entry]));
  await home.writeConfig({ version: 1, mcp: { servers: { notes: recordingServer().entry, ...servers } } });
  const bindery = await up();
  await untilKnown(bindery, 'notes', ...Object.keys(servers));
  return { bindery, large };
}

/** A quarter of a catalogue of 2,000 tools, whose names look alike. */
function manyTools(part: number): object[] {
  return Array.from({ length: 500 }, (_, at) => tool(`collect_report_of_team_${part}_${at}`, { type: 'object' }));
}
