import { McpServer } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { callTool } from '../../../test/support/call-tool.ts';
import { openSession } from '../../../test/support/raw-client.ts';
import { until } from '../../../test/support/running-bindery.ts';
import { DEFAULT_SURFACES, SURFACES } from '../../contract/approval-surfaces.ts';
import type { Approval } from '../../gateway/approval/approval.ts';
import { signState } from '../../gateway/approval/request-state.ts';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import { HostRedactor } from '../../host/redact/host-redactor.ts';
import { type RunningFixture, startModernFixture } from '../testing/fixture-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const policyOf = (more: object = {}) =>
  JSON.stringify({
    allowlist: { servers: ['s'], operations: { run: { approval_required: true, remember: 'session', ...more } } },
  });
const [KEY, KEY_BEFORE] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const FORM = { elicitation: { form: {} } };
const APPROVE = { action: 'accept', content: { decision: 'approve' } };

let ran: object[] = [];
let fixture: RunningFixture;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  fixture = await startModernFixture(() => {
    const server = new McpServer({ name: 'runner', version: '1' });
    server.registerTool('run', { inputSchema: z.looseObject({}) }, async (args) => {
      ran.push(args);
      return { content: [{ type: 'text', text: 'ran' }] };
    });
    return server;
  });
});
afterAll(() => fixture.close());

const open = async (more: Partial<Parameters<typeof startTestGateway>[0]> = {}) => {
  ran = [];
  gateway = await startTestGateway({
    servers: [{ id: 's', transport: 'http', url: fixture.url }],
    policy: policyOf(),
    keys: [KEY, KEY_BEFORE],
    approvalWaitMs: 150,
    ...more,
  });
};
beforeEach(async () => {
  await open();
  return () => gateway.close();
});

type Result = Record<string, never> & {
  readonly _meta?: Record<string, { readonly code?: string; readonly approval_id?: string }>;
  readonly requestState?: string;
  readonly resultType?: string;
};
const codeOf = ({ _meta, resultType }: Result) => _meta?.['bindery/error']?.code ?? resultType ?? 'complete';

/** A call as a client of revision 2026-07-28 makes it. */
async function modern(
  args: object,
  more: { params?: object; caller?: string; capabilities?: object } = {},
): Promise<Result> {
  const { params = {}, caller = 'agent', capabilities = FORM } = more;
  const headers = { authorization: `Bearer ${caller}` };
  return (await callTool(new URL(gateway.url).origin, 's__run', args, { headers, capabilities, params })).result;
}

/** A call as a client of revision 2025-11-25 makes it, which says yes to whatever it is asked. */
async function legacy(args: object, capabilities: object = FORM): Promise<{ result: Result; asked: string[] }> {
  const session = await openSession(gateway.url, { capabilities });
  const asked: string[] = [];
  const { result } = await session.request(
    'tools/call',
    { name: 's__run', arguments: args },
    {
      onEarlier: ({ id, method, params }) => {
        asked.push(String(params?.message));
        if (method === 'elicitation/create') void session.send({ id, result: APPROVE });
      },
    },
  );
  return { result: result as Result, asked };
}

const pending = () => gateway.store.list({ status: 'pending' }, 100, 0);
const approve = (id: string) => gateway.approvals.decide(id, { decision: 'approve', by: 'admin', via: 'console' });

describe('a client that would answer its own question', () => {
  test('is not asked unless the admin lets it be, in either revision [gateway:V6] [gateway:V7] [gateway:V8]', async () => {
    const { result, asked } = await legacy({ n: 1 });
    const first = await modern({ n: 2 });
    const bold = await modern({ n: 2 }, { params: { inputResponses: { bindery_approval: APPROVE } } });
    expect([codeOf(result), asked, codeOf(first), first.requestState, codeOf(bold), ran]).toEqual([
      'APPROVAL_PENDING',
      [],
      'APPROVAL_PENDING',
      undefined,
      'APPROVAL_PENDING',
      [],
    ]);
    expect(pending().map(({ surfaces }) => surfaces)).toEqual([DEFAULT_SURFACES, DEFAULT_SURFACES]);
  });

  test('is asked if the admin allows it, and not if the policy then forbids it [gateway:P6] [gateway:V6] [gateway:V7]', async () => {
    gateway.setSurfaces(SURFACES);
    const { result } = await legacy({ n: 1 });
    const question = await modern({ n: 2 });
    expect([codeOf(result), codeOf(question), ran]).toEqual(['complete', 'input_required', [{ n: 1 }]]);
    gateway.setPolicy(policyOf({ surfaces: ['console', 'client'] }));
    expect(codeOf((await legacy({ n: 3 })).result)).toBe('complete');
    gateway.setPolicy(policyOf({ surfaces: ['console'] }));
    expect([codeOf((await legacy({ n: 4 })).result), codeOf(await modern({ n: 5 }))]).toEqual([
      'APPROVAL_PENDING',
      'APPROVAL_PENDING',
    ]);
  });

  test('cannot use a question from before its dialogue was taken away [gateway:V7]', async () => {
    gateway.setSurfaces(SURFACES);
    const { requestState } = await modern({ n: 1 });
    gateway.setSurfaces(DEFAULT_SURFACES);
    const again = await modern({ n: 1 }, { params: { requestState, inputResponses: { bindery_approval: APPROVE } } });
    expect([codeOf(again), ran]).toEqual(['APPROVAL_PENDING', []]);
  });

  test('with a remembered approval is asked again if its dialogue is no longer allowed [gateway:V9] [gateway:A10]', async () => {
    gateway.setSurfaces(SURFACES);
    const { requestState } = await modern({ n: 1 });
    const remembered = { action: 'accept', content: { decision: 'approve', remember: 'session' } };
    await modern({ n: 1 }, { params: { requestState, inputResponses: { bindery_approval: remembered } } });
    const during = codeOf(await modern({ n: 2 }));
    gateway.setSurfaces(DEFAULT_SURFACES);
    const after = codeOf(await modern({ n: 3 }));
    expect([during, after, ran]).toEqual(['complete', 'APPROVAL_PENDING', [{ n: 1 }, { n: 2 }]]);
  });

  test('that shows pages alone is asked by no form [gateway:V6] [gateway:V7]', async () => {
    gateway.setSurfaces(SURFACES);
    const pages = { elicitation: { url: {} } };
    const { result, asked } = await legacy({ n: 1 }, pages);
    expect([codeOf(result), asked, codeOf(await modern({ n: 2 }, { capabilities: pages }))]).toEqual([
      'APPROVAL_PENDING',
      [],
      'APPROVAL_PENDING',
    ]);
  });

  test('is refused at once if no surface may approve [gateway:P6]', async () => {
    gateway.setPolicy(policyOf({ surfaces: ['client'] }));
    expect([codeOf(await modern({ n: 1 })), pending()]).toEqual(['POLICY_DENIED', []]);
  });
});

describe('a state that a client carries [gateway:V7]', () => {
  const answered = (requestState: string | undefined) => ({
    params: { requestState, inputResponses: { bindery_approval: APPROVE } },
  });
  const stateOf = ({ id, caller, profile, server, tool, arguments_sha256 }: Approval) => ({
    approval: id,
    caller,
    profile,
    server,
    tool,
    arguments_sha256,
  });
  beforeEach(() => gateway.setSurfaces(SURFACES));

  test('is its caller’s alone, and of its profile [gateway:V7]', async () => {
    const { requestState } = await modern({ n: 1 });
    const codes = [
      codeOf(await modern({ n: 1 }, { ...answered(requestState), caller: 'another' })),
      codeOf(await modern({ n: 2 }, answered(requestState))),
    ];
    expect([codes, ran]).toEqual([['APPROVAL_MISMATCH', 'APPROVAL_MISMATCH'], []]);
    expect([codeOf(await modern({ n: 1 }, answered(requestState))), ran]).toEqual(['complete', [{ n: 1 }]]);
    const { requestState: state } = await modern({ n: 3 });
    const [question] = pending();
    const moved = signState({ ...stateOf(question as Approval), profile: 'other' }, KEY);
    expect([codeOf(await modern({ n: 3 }, answered(moved))), codeOf(await modern({ n: 3 }, answered(state)))]).toEqual([
      'APPROVAL_MISMATCH',
      'complete',
    ]);
  });

  test('counts if the current or the previous key signed it, and no other key [gateway:V7] [gateway:S2]', async () => {
    await modern({ n: 1 });
    const [question] = pending();
    const signedBy = (key: Uint8Array) => answered(signState(stateOf(question as Approval), key));
    const codes: string[] = [];
    for (const key of [Buffer.alloc(0), Buffer.alloc(32), Buffer.alloc(32, 9), KEY_BEFORE])
      codes.push(codeOf(await modern({ n: 1 }, signedBy(key))));
    expect([codes, ran]).toEqual([
      ['APPROVAL_MISMATCH', 'APPROVAL_MISMATCH', 'APPROVAL_MISMATCH', 'complete'],
      [{ n: 1 }],
    ]);
  });
});

test('a yes for some arguments lets them pass in any order of their members, and no others [gateway:V2]', async () => {
  await modern({ a: 1, b: { c: 2, d: [3, 4] } });
  await approve(pending()[0]?.id as string);
  const other = codeOf(await modern({ a: 1, b: { c: 2, d: [4, 3] } }));
  const same = codeOf(await modern({ b: { d: [3, 4], c: 2 }, a: 1 }));
  expect([other, same, ran]).toEqual(['APPROVAL_PENDING', 'complete', [{ b: { d: [3, 4], c: 2 }, a: 1 }]]);
});

test('the loser of a shared approval gives its place back [gateway:V1] [gateway:V2]', async () => {
  gateway.setPolicy(policyOf({ max_concurrency: 1 }));
  gateway.approvals.once('created', ({ id }) => setTimeout(() => approve(id), 50));
  const codes = (await Promise.all([modern({ n: 1 }), modern({ n: 1 })])).map(codeOf);
  expect(codes.sort()).toEqual(['APPROVAL_PENDING', 'complete']);
  gateway.approvals.once('created', ({ id }) => setTimeout(() => approve(id), 50));
  expect([codeOf(await modern({ n: 2 })), ran.length]).toEqual(['complete', 2]);
});

describe('a flood of questions', () => {
  test('of one caller is refused at the limit with its own code, joins equal ones, and does not affect other callers [gateway:V2] [gateway:E2]', async () => {
    await gateway.close();
    await open({ approvalWaitMs: 1 });
    const max = GATEWAY_LIMITS.approvalsPendingPerCallerMax;
    const ask = (count: number, caller = 'agent') => modern({ count }, { caller }).then(codeOf);
    const first = await Promise.all(Array.from({ length: max }, (_, count) => ask(count)));
    expect([new Set(first), pending().length]).toEqual([new Set(['APPROVAL_PENDING']), max]);
    const over = await modern({ count: max });
    expect([codeOf(over), await ask(0), await ask(max, 'another'), gateway.store.pendingCount()]).toEqual([
      'TOO_MANY_APPROVALS',
      'APPROVAL_PENDING',
      'APPROVAL_PENDING',
      max + 1,
    ]);
    expect(gateway.audit.find(({ rule }) => rule?.rule === 'too_many_approvals')).toMatchObject({
      phase: 'single',
      outcome: 'rate_limited',
      caller: 'agent',
    });
    await approve(pending()[0]?.id as string);
    expect(await ask(max)).toBe('APPROVAL_PENDING');
    expect(ran).toEqual([]);
  });
});

describe('a client that has left', () => {
  /** A call of a 2025 client that goes away once its question is asked. */
  async function leave(args: object) {
    const session = await openSession(gateway.url, { name: 'leaver' });
    const gone = new AbortController();
    const created = new Promise<Approval>((resolve) => gateway.approvals.once('created', resolve));
    const call = fetch(gateway.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': session.id,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 7,
        method: 'tools/call',
        params: { name: 's__run', arguments: args },
      }),
      signal: gone.signal,
    }).catch(() => 'gone');
    const { id } = await created;
    gone.abort();
    expect(await call).toBe('gone');
    return { id, session };
  }

  test('does not have its call run when it is approved later; the approval waits for the next such call [gateway:V8]', async () => {
    await gateway.close();
    await open({ approvalWaitMs: 60_000 });
    const { id, session } = await leave({ n: 1 });
    await until('nobody waits any more', () => gateway.approvals.waiting === 0);
    await approve(id);
    await until('the attempt is recorded', () => gateway.audit.length > 0);
    expect([ran, gateway.store.find(id)?.status, gateway.audit]).toMatchObject([
      [],
      'approved',
      [{ phase: 'single', approval_id: id, rule: { rule: 'approval_pending' } }],
    ]);
    const { result } = await session.request('tools/call', { name: 's__run', arguments: { n: 1 } });
    expect([codeOf(result as Result), ran, gateway.store.find(id)?.status]).toEqual(['complete', [{ n: 1 }], 'used']);
  });

  test('while its approved call waits for a place does not have it run either [gateway:V8]', async () => {
    await gateway.close();
    await open({ approvalWaitMs: 60_000, policy: policyOf({ max_concurrency: 1 }) });
    const limiter = gateway.gateway.ports.limiterOf('s');
    const place = { tool: 'run', concurrencyMax: 1 };
    await limiter.acquire(place, new AbortController().signal);
    const session = await openSession(gateway.url, {});
    const gone = new AbortController();
    gateway.approvals.once('created', ({ id }) => approve(id).then(() => setTimeout(() => gone.abort(), 50)));
    await fetch(gateway.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': session.id,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 's__run', arguments: {} } }),
      signal: gone.signal,
    }).catch(() => {});
    // The gateway is in this process: it hears of the closed connection before this is over.
    await new Promise((resolve) => setTimeout(resolve, 200));
    limiter.release(place, 'answered');
    await until('the attempt is recorded', () => gateway.audit.length > 0);
    expect([ran, gateway.audit, gateway.store.list({ status: 'approved' }, 10, 0).length]).toMatchObject([
      [],
      [{ phase: 'single', outcome: 'cancelled' }],
      1,
    ]);
    // The place is free again.
    const { result } = await session.request('tools/call', { name: 's__run', arguments: {} });
    expect([codeOf(result as Result), ran.length]).toEqual(['complete', 1]);
  });
});

test('of a server whose texts may not be kept, a question shows and keeps none of them', async () => {
  await gateway.close();
  const redactor = new HostRedactor();
  redactor.restrict('s', (args) => {
    const { report, ...kept } = args as { report: string };
    return { ...kept, members_not_kept: 1 };
  });
  await open({ redactor });
  const asked = new Promise<Approval>((resolve) => gateway.approvals.once('created', resolve));
  await callTool(gateway.url.replace(/\/mcp$/, ''), 's__run', { kind: 'concern', report: 'jan1@example.org' });
  const question = await asked;
  expect(JSON.stringify(question)).not.toContain('jan1');
  expect([question.arguments, question.masked]).toEqual([{ kind: 'concern', members_not_kept: 1 }, ['']]);
});
