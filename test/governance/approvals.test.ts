import { spawn } from 'node:child_process';
import { Client, type ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Approval } from '../../src/gateway/approval/approval.ts';
import { type RunningFixture, startModernFixture } from '../../src/proxy/testing/fixture-server.ts';
import { callTool, untilListed } from '../support/call-tool.ts';
import { openCommandHome } from '../support/command-home.ts';
import { commandLine, type RunningBindery, startBindery } from '../support/running-bindery.ts';

const home = openCommandHome();
let fixture: RunningFixture;
let bindery: RunningBindery;
beforeAll(async () => {
  fixture = await startModernFixture();
  home.write(
    '.bindery/config.json',
    JSON.stringify({
      version: 1,
      mcp: { servers: { s: { transport: 'http', url: fixture.url } } },
      // The client's own dialogue is one of them because the admin says so here.
      gateway: { approval: { expires_ms: 8_000, wait_ms: 6_000, surfaces: ['console', 'cli', 'client'] } },
    }),
  );
  home.write(
    'project_mcp.json',
    JSON.stringify({
      allowlist: { servers: ['s'], tools: { s: ['echo', 'fail'] }, operations: { echo: { approval_required: true } } },
    }),
  );
  bindery = await startBindery(home);
  await untilListed(bindery.url, 's__fail', {});
});
afterAll(async () => {
  await bindery.stop();
  await fixture.close();
});

/** A client of one era that can be asked, and answers as it is told; or one that cannot be asked. */
async function connect(era: '2025' | '2026', answer?: () => Promise<ElicitResult>): Promise<Client> {
  const client = new Client(
    { name: 'asked', version: '1' },
    {
      versionNegotiation: { mode: era === '2025' ? 'legacy' : 'auto' },
      capabilities: answer ? { elicitation: { form: {} } } : {},
    },
  );
  if (answer) client.setRequestHandler('elicitation/create', () => answer());
  await client.connect(new StreamableHTTPClientTransport(new URL(`${bindery.url}/mcp`)));
  return client;
}
const echo = (client: Client, text: string) => client.callTool({ name: 's__echo', arguments: { text } });
const codeOf = (result: Awaited<ReturnType<typeof echo>>) =>
  (result._meta?.['bindery/error'] as { code?: string } | undefined)?.code ?? 'ok';
async function pendingFor(text: string): Promise<Approval> {
  for (let count = 0; count < 200; count += 1) {
    const { body } = await bindery.api('GET', '/v1/approvals?status=pending');
    const found = (body as { items: Approval[] }).items.find(
      ({ arguments: args }) => (args as { text: string }).text === text,
    );
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`nobody was asked about ${text}`);
}
const never = () => new Promise<ElicitResult>(() => {});
const decideBy = {
  console: (id: string, decision: 'approve' | 'deny') =>
    bindery.api('POST', `/v1/approvals/${id}/decision`, { decision, reason: 'console says so' }),
  cli: (id: string, decision: 'approve' | 'deny') => home.run('approvals', decision, id, '--reason', 'cli says so'),
};

describe.each(['2025', '2026'] as const)('a client of %s', (era) => {
  describe.each(['console', 'cli'] as const)('decided by the %s', (via) => {
    test.each(['approve', 'deny'] as const)(
      'that cannot be asked is released at once: %s [gateway:V5] [gateway:V8]',
      async (decision) => {
        const client = await connect(era);
        const text = `${era} ${via} silent ${decision}`;
        const call = echo(client, text);
        const { id } = await pendingFor(text);
        await decideBy[via](id, decision);
        expect(codeOf(await call)).toBe(decision === 'approve' ? 'ok' : 'APPROVAL_DENIED');
        expect((await bindery.api('GET', `/v1/approvals/${id}`)).body).toMatchObject({
          status: decision === 'approve' ? 'used' : 'denied',
          decided_via: via,
        });
        await client.close();
      },
    );

    test('that is being asked itself follows the decision that was made elsewhere [gateway:V6] [gateway:V7]', async () => {
      const text = `${era} ${via} asked`;
      let wasAsked = 0;
      // The person at the client has the question open while another decides.
      const client = await connect(era, async () => {
        wasAsked += 1;
        if (era === '2025') return never();
        const { id } = await pendingFor(text);
        await decideBy[via](id, 'approve');
        return { action: 'cancel' };
      });
      const call = echo(client, text);
      if (era === '2025') await decideBy[via]((await pendingFor(text)).id, 'approve');
      expect([codeOf(await call), wasAsked]).toEqual(['ok', 1]);
      await client.close();
    });
  });

  test('decides itself, and a decision that comes later from elsewhere is refused [gateway:V5] [gateway:V6]', async () => {
    const text = `${era} own`;
    const client = await connect(era, async () => ({ action: 'accept', content: { decision: 'approve' } }));
    expect(codeOf(await echo(client, text))).toBe('ok');
    await client.close();
    const { body } = await bindery.api('GET', '/v1/approvals?status=used');
    const used = (body as { items: Approval[] }).items.find(
      ({ arguments: args }) => (args as { text: string }).text === text,
    ) as Approval;
    expect(used.decided_via).toBe('client');
    expect([
      (await decideBy.console(used.id, 'deny')).body,
      (await home.json('approvals', 'deny', used.id)).code,
    ]).toMatchObject([{ code: 'APPROVAL_NOT_PENDING', status: 409, approval_status: 'used' }, 'APPROVAL_NOT_PENDING']);
  });

  test('does not pass on an approval for other arguments, a used one, or an expired one [gateway:V1] [gateway:V2]', async () => {
    const client = await connect(era);
    const call = echo(client, `${era} first`);
    await decideBy.console((await pendingFor(`${era} first`)).id, 'approve');
    expect(codeOf(await call)).toBe('ok');
    // The same again, and another: both are new questions. Nobody answers, and then it is too late.
    const [again, other] = [echo(client, `${era} first`), echo(client, `${era} second`)];
    const ids = [(await pendingFor(`${era} first`)).id, (await pendingFor(`${era} second`)).id];
    expect([codeOf(await again), codeOf(await other)]).toEqual(['APPROVAL_PENDING', 'APPROVAL_PENDING']);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    const late = await Promise.all(ids.map((id) => decideBy.console(id, 'approve')));
    expect(late.map(({ body }) => (body as { code: string }).code)).toEqual([
      'APPROVAL_NOT_PENDING',
      'APPROVAL_NOT_PENDING',
    ]);
    await client.close();
  });
});

describe('a 2026 client that comes back with its question', () => {
  const FORMS = { capabilities: { elicitation: {} } };
  const yes = { bindery_approval: { action: 'accept', content: { decision: 'approve' } } };
  const ask = async (text: string) => {
    const { result } = await callTool(bindery.url, 's__echo', { text }, FORMS);
    return { result, approval: await pendingFor(text) };
  };
  const comeBack = async (text: string, requestState: string) =>
    (await callTool(bindery.url, 's__echo', { text }, { ...FORMS, params: { requestState, inputResponses: yes } }))
      .result;

  test('follows a decision that was made elsewhere meanwhile, also a no [gateway:V7]', async () => {
    const outcomes: unknown[] = [];
    for (const decision of ['approve', 'deny'] as const) {
      const { result, approval } = await ask(`elsewhere ${decision}`);
      await decideBy.console(approval.id, decision);
      const { _meta, content } = await comeBack(`elsewhere ${decision}`, result.requestState);
      outcomes.push([
        _meta['bindery/error']?.code,
        _meta['bindery/error']?.approval_id === approval.id,
        content[0].text,
      ]);
    }
    expect(outcomes).toEqual([
      [undefined, false, 'elsewhere approve'],
      ['APPROVAL_DENIED', true, expect.stringMatching(/^APPROVAL_DENIED: console says so\. /)],
    ]);
  });

  test('too late is told so, and is not asked again [gateway:V7] [gateway:V1]', async () => {
    const { result } = await ask('too late');
    await new Promise((resolve) => setTimeout(resolve, 8_100));
    expect((await comeBack('too late', result.requestState))._meta['bindery/error'].code).toBe('APPROVAL_EXPIRED');
  });
});

test('a client that shows no forms is not asked by one, and is told which approval it waits for [gateway:V8] [gateway:E1]', async () => {
  const { result } = await callTool(
    bindery.url,
    's__echo',
    { text: 'pages only' },
    { capabilities: { elicitation: { url: {} } } },
  );
  const { approval_id } = result._meta['bindery/error'];
  expect(result.content[0].text).toBe(
    `APPROVAL_PENDING: A person has to approve this call: ${approval_id}. On the gateway's machine: bindery approvals approve ${approval_id}, or in the console at ${bindery.url}/. Call again with the same arguments once it is approved.`,
  );
  const { body } = await bindery.api('GET', `/v1/approvals/${approval_id}`);
  expect(Object.keys(body)).toEqual(
    'id status server tool name arguments masked arguments_sha256 reason rule caller profile session client created_at expires_at decided_at decided_by decided_via decision_reason remember remember_allowed surfaces shown call_id'.split(
      ' ',
    ),
  );
});

test('a refusal for want of an approval is recorded with the approval, and a no with who gave it [gateway:U2] [gateway:U3]', async () => {
  const text = 'recorded';
  const FORMS = { capabilities: { elicitation: {} } };
  const { result } = await callTool(bindery.url, 's__echo', { text }, FORMS);
  const { id } = await pendingFor(text);
  await decideBy.console(id, 'deny');
  await callTool(bindery.url, 's__echo', { text }, { ...FORMS, params: { requestState: result.requestState } });
  const { body } = await bindery.api('GET', '/v1/audit?kind=call&limit=2');
  const items = (body as { items: object[] }).items.map((item) => item as Record<string, unknown>);
  expect(items.map(({ rule, approval_id, approver, outcome }) => [rule, approval_id, approver, outcome])).toEqual([
    [{ rule: 'approval_denied' }, id, 'admin', 'denied'],
    [{ rule: 'approval_pending' }, id, undefined, 'denied'],
  ]);
});

test('an approval of one caller is not another’s, and needs the admin’s word: a caller cannot approve itself [gateway:V2] [gateway:D5]', async () => {
  const { key } = await home.json('keys', 'create', 'other');
  const text = 'foreign';
  const mine = callTool(bindery.url, 's__echo', { text });
  const { id } = await pendingFor(text);
  expect(
    (await bindery.api('POST', `/v1/approvals/${id}/decision`, { decision: 'approve' }, `Bearer ${key}`)).status,
  ).toBe(403);
  const alone = await fetch(`${bindery.url}/v1/approvals/${id}/decision`, { method: 'POST', body: '{}' });
  expect([alone.status, alone.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  const theirs = callTool(bindery.url, 's__echo', { text }, { headers: { authorization: `Bearer ${key}` } });
  await decideBy.console(id, 'approve');
  expect((await mine).result.isError).toBeUndefined();
  expect((await theirs).result._meta['bindery/error'].code).toBe('APPROVAL_PENDING');
});

test('approvals watch shows each question and each decision as it comes [gateway:V5]', async () => {
  const child = spawn(process.execPath, commandLine('approvals', 'watch', '--json'), {
    env: { PATH: process.env.PATH ?? '', HOME: home.home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk;
  });
  // It says something as soon as it runs: there is always a question to show.
  const asking: Promise<unknown>[] = [];
  for (let count = 0; count < 100 && shown === ''; count += 1) {
    asking.push(callTool(bindery.url, 's__echo', { text: `before ${count}` }));
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const call = callTool(bindery.url, 's__echo', { text: 'watched' });
  const { id } = await pendingFor('watched');
  const until = async (status: string) => {
    for (
      let count = 0;
      count < 300 && !shown.split('\n').some((line) => line.includes(id) && line.includes(`"status":"${status}"`));
      count += 1
    )
      await new Promise((resolve) => setTimeout(resolve, 20));
    return shown.includes(`"id":"${id}","status":"${status}"`);
  };
  const asked = await until('pending');
  await decideBy.cli(id, 'approve');
  await call;
  expect([asked, await until('used')]).toEqual([true, true]);
  child.kill('SIGINT');
  await Promise.all(asking);
});
