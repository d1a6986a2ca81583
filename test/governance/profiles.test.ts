import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wirings } from '../../src/cli/rooms.ts';
import type { AnyOperation } from '../../src/contract/operation.ts';
import type { Approval } from '../../src/gateway/approval/approval.ts';
import { type RunningFixture, startModernFixture } from '../../src/proxy/testing/fixture-server.ts';
import { openCommandHome } from '../support/command-home.ts';
import { openSession } from '../support/raw-client.ts';
import { type RunningBindery, startBindery, until, untilKnownTo } from '../support/running-bindery.ts';

/*
 * Two profiles with a server each: `alpha` is of the profile `work`, `omega` of the profile `home`. What a key that is bound to `work` gets
 * must name alpha and never omega.
 */

const home = openCommandHome();
let fixture: RunningFixture;
let bindery: RunningBindery;
let keys: Record<'read' | 'admin' | 'both', string>;
let own: { approval: Approval; call: string };
let foreign: typeof own;
let remembered: Record<'alpha' | 'omega', string>;

const request = async (method: string, path: string, key: string, body?: object) => {
  const response = await fetch(`${bindery.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, text, code: /"code":"(\w+)"/.exec(text)?.[1] };
};
const json = async (path: string) => JSON.parse((await request('GET', path, bindery.admin())).text);
const keyFor = async (...flags: string[]) => (await home.json('keys', 'create', 'k', ...flags)).key as string;

/** Has a tool allowed for a session; the id of what is remembered then. */
async function allowForSession(profile: string, server: string): Promise<string> {
  const session = await openSession(`${bindery.url}/mcp/${profile}`, {
    headers: { authorization: 'Bearer the-token' },
  });
  const call = { name: `${server}__fail`, arguments: { for: 'session' } };
  await session.request('tools/call', call);
  const { items } = (await json('/v1/approvals?status=pending')) as { items: Approval[] };
  const asked = items.find((item) => item.server === server) as Approval;
  await request('POST', `/v1/approvals/${asked.id}/decision`, bindery.admin(), {
    decision: 'approve',
    remember: 'session',
  });
  await session.request('tools/call', call);
  const all = (await json('/v1/remembered-approvals')) as { items: { id: string; server: string }[] };
  return all.items.find((item) => item.server === server)?.id as string;
}

/** A call that is done and one that waits for a person, in a profile. */
async function use(profile: string, server: string) {
  const session = await openSession(`${bindery.url}/mcp/${profile}`, {
    headers: { authorization: 'Bearer the-token' },
  });
  await session.request('tools/call', { name: `${server}__echo`, arguments: { text: server } });
  await session.request('tools/call', { name: `${server}__fail`, arguments: {} });
  const { items: approvals } = (await json('/v1/approvals')) as { items: Approval[] };
  const { items: calls } = (await json('/v1/audit?tool=echo')) as { items: { server: string; call_id: string }[] };
  const approval = approvals.find((item) => item.server === server) as Approval;
  return { approval, call: calls.find((item) => item.server === server)?.call_id as string };
}

beforeAll(async () => {
  fixture = await startModernFixture();
  const entry = { transport: 'http', url: fixture.url };
  const profiles = { work: { servers: ['alpha'] }, home: { servers: ['omega'] } };
  home.write(
    '.bindery/config.json',
    JSON.stringify({
      version: 1,
      mcp: { servers: { alpha: entry, omega: entry } },
      gateway: { exposure: 'all', profiles, approval: { wait_ms: 100 } },
    }),
  );
  const operations = { fail: { approval_required: true, remember: 'session' } };
  home.write('project_mcp.json', JSON.stringify({ allowlist: { servers: ['alpha', 'omega'], operations } }));
  bindery = await startBindery(home, '--token', 'the-token');
  await untilKnownTo(`Bearer ${bindery.admin()}`, bindery, 'alpha', 'omega');
  keys = {
    read: await keyFor('--scope', 'read', '--profile', 'work'),
    admin: await keyFor('--scope', 'admin', '--profile', 'work'),
    both: await keyFor('--scope', 'read', '--profile', 'work', '--profile', 'home'),
  };
  remembered = { alpha: await allowForSession('work', 'alpha'), omega: await allowForSession('home', 'omega') };
  [own, foreign] = [await use('work', 'alpha'), await use('home', 'omega')];
});
afterAll(async () => {
  await bindery.stop();
  await fixture.close();
});

const guarded = wirings
  .flatMap(({ room }) => room.operations as readonly AnyOperation[])
  .filter(({ http }) => http !== false && http.path.startsWith('/v1/') && http.access !== 'open');
const faceOf = (id: string) => {
  const http = guarded.find((operation) => operation.id === id)?.http;
  if (!http) throw new Error(`${id} is not an operation of the admin API`);
  return http;
};

/** What a key that is bound to a profile gets of each operation. A new one must be put here. */
const REFUSED = [
  'catalog.search',
  'catalog.show',
  'context.build_cache',
  'context.inspect_cache',
  'context.list_caches',
  'context.resolve',
  'context.search',
  'gateway.accept_server',
  'gateway.findings',
  'gateway.nodes',
  'gateway.test_entry',
  'host.config-explain',
  'gateway.accept_tool',
  'gateway.add_server',
  'gateway.audit_export',
  'gateway.audit_verify',
  'gateway.call_tool',
  'gateway.clear_user_credential',
  'gateway.create_key',
  'gateway.definition_history',
  'gateway.enable',
  'gateway.keys',
  'gateway.login',
  'gateway.policy',
  'gateway.policy_preview',
  'gateway.policy_reload',
  'gateway.policy_save',
  'gateway.policy_source',
  'gateway.reconnect',
  'gateway.register',
  'gateway.remove',
  'gateway.remove_server',
  'gateway.revoke_key',
  'gateway.server',
  'gateway.servers',
  'gateway.sign_in',
  'gateway.test',
  'gateway.tool_changes',
  'gateway.trust',
  'gateway.user_credentials',
];
/** Parameters of the path and body; of what is one’s own, and of what is another’s with the refusal. */
const PER_PROFILE: Record<string, { own: () => object; foreign?: () => object; refusal?: string }> = {
  'gateway.approval': {
    own: () => ({ id: own.approval.id }),
    foreign: () => ({ id: foreign.approval.id }),
    refusal: 'APPROVAL_NOT_FOUND',
  },
  'gateway.approvals': { own: () => ({}) },
  'gateway.audit_call': {
    own: () => ({ call_id: own.call }),
    foreign: () => ({ call_id: foreign.call }),
    refusal: 'CALL_NOT_FOUND',
  },
  'gateway.audit_search': { own: () => ({}) },
  'gateway.audit_summary': { own: () => ({}) },
  'gateway.confirm_approval': {
    own: () => ({ id: own.approval.id }),
    foreign: () => ({ id: foreign.approval.id }),
    refusal: 'APPROVAL_NOT_FOUND',
  },
  'gateway.decide_approval': {
    own: () => ({ id: own.approval.id, decision: 'deny' }),
    foreign: () => ({ id: foreign.approval.id, decision: 'deny' }),
    refusal: 'APPROVAL_NOT_FOUND',
  },
  'gateway.left_approvals': { own: () => ({}) },
  'gateway.remembered_approvals': { own: () => ({}) },
  'gateway.revoke_remembered_approval': {
    own: () => ({ id: remembered.alpha }),
    foreign: () => ({ id: remembered.omega }),
    refusal: 'APPROVAL_NOT_FOUND',
  },
  'gateway.reveal_arguments': {
    own: () => ({ id: own.approval.id }),
    foreign: () => ({ id: foreign.approval.id }),
    refusal: 'APPROVAL_NOT_FOUND',
  },
  // A stream; see below.
  'gateway.events': { own: () => ({}) },
  'gateway.find_tools': {
    own: () => ({ query: 'echo' }),
    foreign: () => ({ query: 'echo', profile: 'home' }),
    refusal: 'PROFILE_BOUND',
  },
  'gateway.policy_check': {
    own: () => ({ server: 'alpha', tool: 'echo' }),
    foreign: () => ({ server: 'omega', tool: 'echo', profile: 'home' }),
    refusal: 'PROFILE_BOUND',
  },
  // It says who asks, and nothing of others.
  'gateway.session': { own: () => ({}) },
  'gateway.tool_cost': { own: () => ({}), foreign: () => ({ profile: 'home' }), refusal: 'PROFILE_BOUND' },
  'gateway.tools': { own: () => ({}), foreign: () => ({ profile: 'home' }), refusal: 'PROFILE_BOUND' },
};

/** Sends an operation its input: names of the path first, then the query or the body. */
function send(id: string, input: object, key: string) {
  const { method, path } = faceOf(id);
  const rest = new Map(Object.entries(input) as [string, string][]);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name) ?? 'x';
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const isRead = method === 'GET' || method === 'DELETE';
  const query = isRead && rest.size > 0 ? `?${new URLSearchParams([...rest])}` : '';
  return request(method, `${filled}${query}`, key, isRead ? undefined : Object.fromEntries(rest));
}

test('every operation of the admin API says how a key of a profile is bound [gateway:D5]', () => {
  expect(guarded.map(({ id }) => id).sort()).toEqual([...REFUSED, ...Object.keys(PER_PROFILE)].sort());
  expect(
    guarded
      .filter(({ http }) => http !== false && http.perProfile)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(Object.keys(PER_PROFILE).sort());
});

test('a key of a profile gets no decision about a server outside of it, known or not [gateway:D5]', async () => {
  const check = (server: string, key: string) => send('gateway.policy_check', { server, tool: 'echo' }, key);
  for (const server of ['omega', 'none']) {
    const { code, text } = await check(server, keys.read);
    expect([server, code]).toEqual([server, 'SERVER_NOT_FOUND']);
    expect(text).not.toMatch(/"(rule|file|pointer|decision)"/);
  }
  expect((await check('alpha', keys.read)).text).toContain('"decision":');
  expect((await check('omega', bindery.admin())).text).toContain('"decision":');
});

test('what is no part of a profile is refused, to its admin too [gateway:D5]', async () => {
  const served = REFUSED.filter((id) => id.startsWith('gateway.'));
  for (const id of served) {
    expect([id, (await send(id, {}, keys.admin)).code]).toEqual([id, 'PROFILE_BOUND']);
    const expected = guarded.find((one) => one.id === id)?.hints.readOnly ? 'PROFILE_BOUND' : 'SCOPE_MISSING';
    expect([id, (await send(id, {}, keys.read)).code]).toEqual([id, expected]);
  }
  expect((await request('GET', '/metrics', keys.read)).code).toBe('PROFILE_BOUND');
});

describe('a key of a profile', () => {
  const others = Object.entries(PER_PROFILE).filter(
    ([id]) =>
      ![
        'gateway.events',
        'gateway.session',
        'gateway.decide_approval',
        'gateway.reveal_arguments',
        'gateway.revoke_remembered_approval',
      ].includes(id),
  );

  test.each(others)(
    'sees its own and nothing else: %s [gateway:D5]',
    async (id, { own: mine, foreign: theirs, refusal }) => {
      for (const key of [keys.read, keys.admin]) {
        const { status, text } = await send(id, mine(), key);
        const shown = id === 'gateway.confirm_approval' ? own.approval.id : 'alpha';
        expect([status, text.includes(shown), text.includes('omega'), text.includes(foreign.approval.id)]).toEqual([
          200,
          true,
          false,
          false,
        ]);
        if (theirs) expect((await send(id, theirs(), key)).code).toBe(refusal);
      }
      expect((await send(id, mine(), bindery.admin())).status).toBe(200);
    },
  );

  test('that is bound to two profiles sees both [gateway:D5]', async () => {
    const texts = [await request('GET', '/v1/approvals', keys.both), await request('GET', '/v1/audit', keys.both)];
    expect(texts.map(({ text }) => [text.includes('alpha'), text.includes('omega')])).toEqual([
      [true, true],
      [true, true],
    ]);
    expect((await request('GET', '/v1/tools?profile=home', keys.both)).text).not.toContain('alpha');
  });

  test.each(['gateway.reveal_arguments', 'gateway.revoke_remembered_approval', 'gateway.decide_approval'])(
    'does what its profile asks, with the scope admin: %s [gateway:D5]',
    async (id) => {
      const { own: mine, foreign: theirs } = PER_PROFILE[id] as { own: () => object; foreign: () => object };
      expect([
        (await send(id, mine(), keys.read)).code,
        (await send(id, theirs(), keys.admin)).code,
        (await json(`/v1/approvals/${foreign.approval.id}`)).status,
        (await send(id, mine(), keys.admin)).status,
      ]).toEqual(['SCOPE_MISSING', 'APPROVAL_NOT_FOUND', 'pending', 200]);
    },
  );

  test('hears of its own, from now on and of what it missed [gateway:D5]', async () => {
    const listen = async (lastEventId?: string) => {
      const leave = new AbortController();
      const headers = {
        authorization: `Bearer ${keys.read}`,
        ...(lastEventId ? { 'last-event-id': lastEventId } : {}),
      };
      const { body } = await fetch(`${bindery.url}/v1/events`, { headers, signal: leave.signal });
      const heard = { text: '' };
      void (async () => {
        for await (const chunk of body as ReadableStream<Uint8Array>) heard.text += Buffer.from(chunk).toString();
      })().catch(() => {});
      return { heard, leave: () => leave.abort() };
    };
    const { heard, leave } = await listen();
    await use('home', 'omega');
    await use('work', 'alpha');
    await until('the calls are told', () => heard.text.includes('audit.appended') && heard.text.includes('approval.'));
    leave();
    const again = await listen('0');
    await until('what was missed is told', () => again.heard.text.includes('approval.created'));
    again.leave();
    expect([heard.text, again.heard.text].map((text) => [text.includes('alpha'), text.includes('omega')])).toEqual([
      [true, false],
      [true, false],
    ]);
  });
});

/** What shows what callers did or asked for. A new operation that does must be put here. */
const SHOWS_CALLERS = [
  'gateway.approval',
  'gateway.approvals',
  'gateway.audit_call',
  'gateway.audit_export',
  'gateway.audit_search',
  'gateway.audit_summary',
  'gateway.audit_verify',
  'gateway.confirm_approval',
  'gateway.definition_history',
  'gateway.events',
  'gateway.findings',
  'gateway.keys',
  'gateway.left_approvals',
  'gateway.remembered_approvals',
  'gateway.sign_in',
  'gateway.user_credentials',
  'host.config-explain',
];

test('the token of all callers calls, and reads nothing of what callers did [gateway:D5]', async () => {
  const marked = guarded.filter(({ http }) => http !== false && http.showsCallers).map(({ id }) => id);
  expect(marked.sort()).toEqual(SHOWS_CALLERS);
  for (const id of SHOWS_CALLERS) {
    const { status, code } = await send(id, PER_PROFILE[id]?.own() ?? {}, 'the-token');
    expect([id, status, code]).toEqual([id, 403, 'SCOPE_MISSING']);
  }
  expect([
    (await send('gateway.decide_approval', { id: foreign.approval.id, decision: 'approve' }, 'the-token')).code,
    (await send('gateway.tools', {}, 'the-token')).status,
  ]).toEqual(['ADMIN_REQUIRED', 200]);
});
