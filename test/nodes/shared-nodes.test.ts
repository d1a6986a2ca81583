import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Approval } from '../../src/gateway/approval/approval.ts';
import { type RunningFixture, startModernFixture } from '../../src/proxy/testing/fixture-server.ts';
import { type CuttableWay, startPostgres, type TestPostgres } from '../../src/store/postgres/testing/start-postgres.ts';
import { callHeaders, callTool, untilListed } from '../support/call-tool.ts';
import { openCommandHome } from '../support/command-home.ts';
import { type RunningBindery, startBindery } from '../support/running-bindery.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const homes = [openCommandHome(), openCommandHome()] as const;
let postgres: TestPostgres;
let fixture: RunningFixture;
let way: CuttableWay;
let a: RunningBindery;
let b: RunningBindery;
let hooks: Awaited<ReturnType<typeof startWebhookReceiver>>;
let isOver = false;
let databaseUrl = '';

beforeAll(async () => {
  postgres = await startPostgres();
  fixture = await startModernFixture();
  const url = await postgres.newDatabase();
  databaseUrl = url;
  way = await postgres.cuttable(url);
  hooks = await startWebhookReceiver();
  const webhook = { url: hooks.url, secret_file: 'hook.secret', allow_private: true };
  for (const home of homes) {
    home.write('.bindery/hook.secret', 'shared by the nodes\n', 0o600);
    home.write(
      '.bindery/config.json',
      JSON.stringify({
        version: 1,
        mcp: { servers: { s: { transport: 'http', url: fixture.url } } },
        gateway: { approval: { wait_ms: 20_000 }, approvals: { webhooks: [webhook] } },
      }),
    );
    const operations = { echo: { approval_required: true }, slow: { rate_per_minute: 12 } };
    home.write('project_mcp.json', JSON.stringify({ allowlist: { servers: ['s', 'far'], operations } }));
  }
  a = await startBindery(homes[0], '--db', url, '--node', 'a');
  // Nodes share one key file.
  homes[1].write('.bindery/credentials.key', readFileSync(join(homes[0].dataDir, 'credentials.key')), 0o600);
  b = await startBindery(homes[1], '--db', way.url, '--node', 'b');
  for (const { url: gateway } of [a, b]) await untilListed(gateway, 's__fail', {});
});
afterAll(async () => {
  isOver = true;
  await Promise.all([a?.stop(), b?.stop()]);
  await fixture.close();
  await hooks.close();
  await way.close();
  await postgres.stop();
});

const echo = (at: RunningBindery, text: string) => callTool(at.url, 's__echo', { text });

/** The question about this text that is open; it is looked for until it is there. */
async function pendingAt(at: RunningBindery, text: string): Promise<Approval> {
  while (!isOver) {
    const { body } = await at.api('GET', '/v1/approvals?status=pending');
    const found = (body as { items: Approval[] }).items.find(
      ({ arguments: args }) => (args as { text: string }).text === text,
    );
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`nobody asked about ${text}`);
}

test('a call that waits at one node goes on when a person decides at another [gateway:V1] [gateway:V8]', async () => {
  const calls = [echo(a, 'yes'), echo(a, 'no')];
  const [yes, no] = [await pendingAt(b, 'yes'), await pendingAt(b, 'no')];
  await b.api('POST', `/v1/approvals/${yes.id}/decision`, { decision: 'approve' });
  await homes[1].run('approvals', 'deny', no.id);
  const codes = (await Promise.all(calls)).map(codeOf);
  const late = await a.api('POST', `/v1/approvals/${no.id}/decision`, { decision: 'approve' });
  expect([codes, late.status, (await b.api('GET', `/v1/approvals/${yes.id}`)).body]).toMatchObject([
    ['ok', 'APPROVAL_DENIED'],
    409,
    { status: 'used', decided_via: 'console' },
  ]);
});

test('of fifty equal calls at two nodes one approval lets one pass; the others ask anew [gateway:V1] [gateway:V2]', async () => {
  const calls = Array.from({ length: 50 }, (_, index) => echo(index % 2 ? a : b, 'raced'));
  const first = await pendingAt(a, 'raced');
  await b.api('POST', `/v1/approvals/${first.id}/decision`, { decision: 'approve' });
  // Who comes too late asks anew, and is told no until all are answered.
  const answers = Promise.all(calls);
  for (let isAnswered = false; !isAnswered; ) {
    const next = await Promise.race([pendingAt(a, 'raced'), answers.then(() => undefined)]);
    if (next) await a.api('POST', `/v1/approvals/${next.id}/decision`, { decision: 'deny' });
    isAnswered = next === undefined;
  }
  const codes = (await answers).map(codeOf);
  const count = (code: string) => codes.filter((one) => one === code).length;
  expect([count('ok'), count('APPROVAL_DENIED')]).toEqual([1, 49]);
});

test('without the database a call that needs an approval fails at once, others go on, and all is well afterwards [gateway:R14]', async () => {
  await way.cut();
  const asked = codeOf(await echo(b, 'cut off'));
  const plain = await callTool(b.url, 's__fail', {});
  await way.mend();
  let after = asked;
  while (after === 'STORE_UNAVAILABLE') {
    const call = echo(b, 'back again');
    const found = await Promise.race([pendingAt(a, 'back again'), call.then(() => undefined)]);
    if (found) await a.api('POST', `/v1/approvals/${found.id}/decision`, { decision: 'approve' });
    after = codeOf(await call);
  }
  expect([asked, plain.result.content[0].text, after]).toEqual(['STORE_UNAVAILABLE', 'no luck', 'ok']);
});

test('a rate limit holds for both nodes together [gateway:R9] [gateway:P7]', async () => {
  const calls = Array.from({ length: 40 }, (_, index) =>
    callTool((index % 2 ? a : b).url, 's__slow', { steps: 0, pauseMs: 0 }),
  );
  const codes = (await Promise.all(calls)).map(codeOf);
  const count = (code: string) => codes.filter((one) => one === code).length;
  expect([count('ok'), count('RATE_LIMITED')]).toEqual([12, 28]);
});

test('a server that registers at one node is used and removed at another [gateway:D1]', async () => {
  const manifest = { name: 'far', endpoint: fixture.url, transport: 'http' };
  const added = await a.api('POST', '/v1/servers', manifest);
  await untilListed(b.url, 'far__fail', {});
  const again = await b.api('POST', '/v1/servers', manifest);
  const removed = await b.api('DELETE', '/v1/servers/far');
  const left = async () => (await a.api('GET', '/v1/servers/far')).status;
  while ((await left()) !== 404) await new Promise((resolve) => setTimeout(resolve, 20));
  expect([added.status, again.status, removed.status, (await callTool(a.url, 'far__fail', {})).error?.code]).toEqual([
    201, 409, 200, -32602,
  ]);
});

test('a server that registers at one node is held at all of them, until a person accepts it at any; a stranger under its name is held again [gateway:L4]', async () => {
  const name = 'far';
  const manifest = { name, endpoint: fixture.url, transport: 'http' };
  await a.api('POST', '/v1/servers', manifest);
  const use = async (at: RunningBindery) => codeOf(await callTool(at.url, `${name}__fail`, {}));
  const both = async () => [await use(a), await use(b)];
  const untilBoth = async (wanted: string) => {
    for (let tries = 0; tries < 2_000; tries += 1) {
      if ((await both()).every((code) => code === wanted)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`the nodes do not agree on ${wanted}`);
  };
  await untilBoth('QUARANTINED');
  const { items } = (await b.api('GET', `/v1/tools/changes?server=${name}`)).body as {
    items: { original_name: string; definition_sha256: string }[];
  };
  const definitions = items.map(({ original_name: tool, definition_sha256: sha256 }) => ({ tool, sha256 }));
  const accepted = await b.api('POST', `/v1/servers/${name}/accept`, { definitions });
  await untilBoth('ok');
  await b.api('DELETE', `/v1/servers/${name}`);
  await untilBoth('rpc -32602');
  await b.api('POST', '/v1/servers', manifest);
  await untilBoth('QUARANTINED');
  // A command from afar is as good.
  const far = openCommandHome();
  const byCommand = await far.run('tools', 'accept', name, '--db', databaseUrl);
  await untilBoth('ok');
  expect([accepted.status, definitions.length, byCommand.exitCode]).toEqual([200, 4, 0]);
  await a.api('DELETE', `/v1/servers/${name}`);
});

test('the audit log is that of both nodes, and verifies wherever it is read [gateway:A23] [gateway:U5]', async () => {
  await Promise.all([callTool(a.url, 's__fail', {}), callTool(b.url, 's__fail', {})]);
  const chainsAt = async (at: RunningBindery) => {
    const { items } = (await at.api('GET', '/v1/audit?tool=fail&limit=1000')).body as { items: { chain: string }[] };
    return [...new Set(items.map(({ chain }) => chain))].sort();
  };
  const verified = (await b.api('POST', '/v1/audit/verify', {})).body as { ok: boolean; chains: { chain: string }[] };
  const [last] = ((await b.api('GET', '/v1/audit?limit=1')).body as { items: { call_id: string }[] }).items;
  const shown = await a.api('GET', `/v1/audit/${last?.call_id}`);
  const byCommand = await homes[0].json('audit', 'verify', '--db', databaseUrl);
  const inFiles = await homes[0].json('audit', 'verify');
  expect([
    await chainsAt(a),
    await chainsAt(b),
    verified.ok,
    shown.status,
    [byCommand.ok, inFiles.ok],
    chainNames(byCommand),
    new Set(chainNames(inFiles).map((name) => name.split('/')[0])),
  ]).toEqual([['a/0', 'b/0'], ['a/0', 'b/0'], true, 200, [true, true], chainNames(verified), new Set(['a'])]);
});

test('a key that a command makes beside one node opens another, until it is revoked [gateway:D5]', async () => {
  const { id, key } = await homes[1].json('keys', 'create', 'ci', '--scope', 'call');
  const statusOf = async () => {
    const headers = { ...callHeaders('s__fail'), authorization: `Bearer ${key}` };
    return (await fetch(`${a.url}/mcp`, { method: 'POST', headers, body: '{}' })).status;
  };
  while ((await statusOf()) === 401) await new Promise((resolve) => setTimeout(resolve, 20));
  await homes[1].run('keys', 'revoke', id);
  while ((await statusOf()) !== 401) await new Promise((resolve) => setTimeout(resolve, 20));
});

test('commands work on what all nodes share from any machine that reaches the database [gateway:V5]', async () => {
  const far = openCommandHome();
  const { id } = await far.json('keys', 'create', 'from afar', '--scope', 'read', '--db', databaseUrl);
  const keysAt = async () => (await homes[0].json('keys', 'list')).items.map((key: { id: string }) => key.id);
  while (!(await keysAt()).includes(id)) await new Promise((resolve) => setTimeout(resolve, 20));
  const call = echo(a, 'decided from afar');
  const asked = await pendingAt(b, 'decided from afar');
  const approved = await far.run('approvals', 'approve', asked.id, '--db', databaseUrl);
  const twice = await far.json('approvals', 'approve', asked.id, '--db', databaseUrl);
  const code = codeOf(await call);
  // Its file is a copy: what is decided there alone, nobody else would see.
  const alone = await far.json('approvals', 'deny', asked.id);
  expect([approved.exitCode, twice.code, code, alone.code]).toEqual([
    0,
    'APPROVAL_NOT_PENDING',
    'ok',
    'GATEWAY_NOT_RUNNING',
  ]);
});

test('what a command decides in the database itself it records itself, beside a gateway that runs [gateway:U1]', async () => {
  const call = echo(a, 'decided beside it');
  const { id } = await pendingAt(a, 'decided beside it');
  const revealed = await homes[0].run('approvals', 'show', id, '--raw', '--db', databaseUrl);
  await homes[0].run('approvals', 'deny', id, '--db', databaseUrl);
  expect([revealed.stdout, codeOf(await call)]).toEqual(['{"text":"decided beside it"}\n', 'APPROVAL_DENIED']);
  const { items } = await homes[0].json('audit', 'search', '--kind', 'admin');
  const actions = (items as { action: string; arguments: { id: string } }[])
    .filter(({ arguments: args }) => args.id === id)
    .map(({ action }) => action);
  expect(actions.sort()).toEqual(['gateway.deny', 'gateway.reveal_arguments']);
});

test('the exact arguments of a question are revealed at every node [gateway:R8]', async () => {
  const call = echo(a, 'revealed at b');
  const { id } = await pendingAt(b, 'revealed at b');
  const { body } = await b.api('POST', `/v1/approvals/${id}/arguments`, {});
  await b.api('POST', `/v1/approvals/${id}/decision`, { decision: 'approve' });
  expect([body, codeOf(await call)]).toMatchObject([{ text: '{"text":"revealed at b"}' }, 'ok']);
});

test('a node that comes with the name of another, and other files, does not start [gateway:U6]', async () => {
  const stranger = openCommandHome();
  stranger.write('.bindery/credentials.key', readFileSync(join(homes[0].dataDir, 'credentials.key')), 0o600);
  const failed = await startBindery(stranger, '--db', databaseUrl, '--node', 'a').catch(String);
  expect([failed, String(failed).includes('pg-pass-word')]).toEqual([
    expect.stringMatching(/ended with 1: .*error: .*\(NODE_NAME_TAKEN\)/s),
    false,
  ]);
});

test('the password of the database stands nowhere in what a node writes [gateway:R4]', async () => {
  const files = homes.flatMap(({ dataDir }) => filesOf(dataDir));
  const holding = files.filter((file) => readFileSync(file).includes('pg-pass-word'));
  expect([files.length > 4, holding, `${a.stderr()}${b.stderr()}`.includes('pg-pass-word')]).toEqual([true, [], false]);
});

const chainNames = ({ chains }: { chains: { chain: string }[] }) => chains.map(({ chain }) => chain);

// biome-ignore lint/suspicious/noExplicitAny: a raw answer, looked at by its members.
function codeOf(answer: any): string {
  return answer.result?._meta?.['bindery/error']?.code ?? (answer.result ? 'ok' : `rpc ${answer.error?.code}`);
}

function filesOf(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test('a webhook hears of a question once, although two nodes run and equal calls come to both', async () => {
  const text = 'told once';
  const calls = [echo(a, text), echo(b, text), echo(a, text), echo(b, text)];
  const told = () =>
    hooks.received.filter(({ body }) => body.includes(text)).map(({ headers }) => headers['webhook-id']);
  const asked: string[] = [];
  const answers = Promise.all(calls);
  // A call that comes after the answer asks anew.
  for (let next = await pendingAt(b, text); next; ) {
    const { id } = next;
    asked.push(id);
    while (!isOver && !told().includes(id)) await new Promise((resolve) => setTimeout(resolve, 20));
    await b.api('POST', `/v1/approvals/${id}/decision`, { decision: 'deny' });
    next = (await Promise.race([pendingAt(b, text), answers.then(() => undefined)])) as Approval;
  }
  expect(told()).toEqual(asked);
});
