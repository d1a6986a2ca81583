import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { AuditWriter } from '../../src/store/audit/audit-writer.ts';
import { HttpFixture, legacyHttp } from '../../test/fixtures/servers/http-server.ts';
import { RawHttpServer } from '../../test/fixtures/servers/raw-http-server.ts';
import { openSession, requestModern } from '../../test/support/raw-client.ts';
import { type RunningBindery, until, untilKnown } from '../../test/support/running-bindery.ts';
import type { AttackCase, AttackTarget } from '../attack-case.ts';
import { besideOthers } from '../beside-others.ts';

const MB = 1024 * 1024;
const SESSIONS = 3_000;
const SESSIONS_AT_ONCE = 8;
const RECORDS = Number(process.env.ATTACK_AUDIT_RECORDS ?? 80_000);
const SILENT_CLIENTS = 150;
const PIPELINES = 200;
const PIPELINED = 1_000;

async function upWithNotes({ up, home, recordingServer }: AttackTarget, more: object = {}): Promise<RunningBindery> {
  await home.writeConfig({ version: 1, mcp: { servers: { notes: recordingServer().entry, ...more } } });
  const bindery = await up();
  await untilKnown(bindery, 'notes', ...Object.keys(more));
  return bindery;
}

/** Fills the audit log of a gateway that is not running yet. */
async function fillAudit(dataDir: string, records: number): Promise<void> {
  const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
  const writer = AuditWriter.open({ dataDir, node: 'local', clock: { now: Date.now }, random });
  const time = new Date().toISOString();
  for (let written = 0; written < records; written += 1_000) {
    const entries = Array.from({ length: 1_000 }, (_, at) => ({
      kind: 'call' as const,
      phase: 'single' as const,
      call_id: `call-${written + at}`,
      time,
      server: 'notes',
      tool: 'echo',
      caller: 'local',
      outcome: 'ok' as const,
      arguments: { text: 'x'.repeat(200), at: written + at },
    }));
    await Promise.all(entries.map((entry) => writer.append(entry)));
  }
  await writer.close();
}

/** A server whose tool answers with 8 MB. */
async function largeServer({ onEnd }: AttackTarget): Promise<string> {
  const text = Buffer.alloc(8 * MB - 10_000, 'x');
  const server = await new RawHttpServer(({ method, socket, id }) => {
    if (method !== 'tools/call') return false;
    const before = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`;
    const after = '"}]}}';
    const length = before.length + text.length + after.length;
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${before}`);
    socket.write(text);
    socket.write(after);
    return true;
  }).listen();
  onEnd(() => server.close());
  return server.url;
}

/** Pings on a new connection, so that the gateway has accepted it; then calls on it, and reads nothing. */
async function callSilently({ url }: RunningBindery, session: string, head = ''): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const post = (more: string, text: string) => {
    const fields = `Host: ${hostname}:${port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Session-Id: ${session}\r\n${more}`;
    return `POST /mcp HTTP/1.1\r\n${fields}Content-Length: ${text.length}\r\n\r\n${text}`;
  };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'large__echo', arguments: {} } };
  const body = JSON.stringify(message);
  const socket = connect(Number(port), hostname).on('error', () => {});
  await once(socket, 'connect');
  socket.write(post('', '{"jsonrpc":"2.0","id":0,"method":"ping"}'));
  await once(socket, 'data');
  socket.pause();
  socket.write(post(head, body));
  return socket;
}

/** Sends many requests at once on one connection, and reads no answer. */
function pipelineSilently({ url }: RunningBindery, request: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.pause();
  socket.write(request.replace('\r\n', `\r\nHost: ${hostname}:${port}\r\n`).repeat(PIPELINED));
  return socket;
}

export const attacks: readonly AttackCase[] = [
  {
    id: 'sessions-without-end',
    title: 'megabytes of declarations are refused, and thousands of sessions grow neither memory nor registry',
    async run(target) {
      const bindery = await upWithNotes(target);
      const huge = { experimental: { padding: 'x'.repeat(3 * MB) } };
      const large = { experimental: { padding: 'x'.repeat(3_900) } };
      await besideOthers(bindery, async () => {
        for (const declared of [{ capabilities: huge }, { name: 'x'.repeat(3 * MB) }]) {
          await assert.rejects(openSession(bindery.mcpUrl, declared), /CLIENT_DECLARATION_TOO_LARGE/);
          const modern = await requestModern(bindery.mcpUrl, 'tools/list', {}, declared);
          assert.match(JSON.stringify(modern.error), /CLIENT_DECLARATION_TOO_LARGE/);
        }
        const open = async () => {
          for (let opened = 0; opened < SESSIONS / SESSIONS_AT_ONCE; opened += 1) {
            const session = await openSession(bindery.mcpUrl, { capabilities: large });
            if (opened % 2 === 0) await session.end();
          }
        };
        await Promise.all(Array.from({ length: SESSIONS_AT_ONCE }, open));
      });
      const bytes = ['registry.db', 'registry.db-wal']
        .map((name) => statSync(join(target.home.dataDir, name), { throwIfNoEntry: false })?.size ?? 0)
        .reduce((sum, size) => sum + size, 0);
      assert.ok(bytes < 40 * MB, `the registry has ${bytes} bytes`);
    },
  },
  {
    id: 'subscriptions-without-end',
    title:
      'a subscription to 100,000 resources is refused, and so is the next one of a session that has all it may have',
    async run(target) {
      const capabilities = { tools: {}, resources: { subscribe: true } };
      const server = await new HttpFixture(
        legacyHttp((reply) => {
          const { method } = reply.seen.message ?? {};
          if (method === 'initialize')
            reply.result({ protocolVersion: '2025-11-25', serverInfo: { name: 'many', version: '1' }, capabilities });
          else if (method === 'resources/list') reply.result({ resources: [] });
          else if (method === 'resources/templates/list')
            reply.result({ resourceTemplates: [{ uriTemplate: 'many://{id}', name: 'many' }] });
          else if (method === 'resources/subscribe') reply.result({});
          else return false;
          return true;
        }),
      ).listen();
      target.onEnd(() => server.close());
      const bindery = await upWithNotes(target, { many: { transport: 'http', url: server.url } });
      const uris = (count: number) => Array.from({ length: count }, (_, at) => `many://${at}`);
      await besideOthers(bindery, async () => {
        const notifications = { resourceSubscriptions: uris(100_000) };
        const refused = await requestModern(bindery.mcpUrl, 'subscriptions/listen', { notifications });
        assert.match(JSON.stringify(refused.error), /subscriptionsMax/);
        const session = await openSession(bindery.mcpUrl);
        const subscribe = async (uri: string) => (await session.request('resources/subscribe', { uri })).error?.message;
        for (const uri of uris(1_000)) assert.equal(await subscribe(uri), undefined);
        assert.match(String(await subscribe('many://more')), /1000 subscriptions/);
        assert.match(String(await subscribe(`many://${'x'.repeat(3 * MB)}`)), /characters/);
      });
    },
  },
  {
    id: 'audit-readers',
    title: `verification, export and searches of ${RECORDS} records stall nobody, need a name, and run one at a time`,
    async run(target) {
      await fillAudit(target.home.dataDir, RECORDS);
      const bindery = await upWithNotes(target);
      const authorization = { authorization: `Bearer ${bindery.admin()}` };
      for (const [method, path] of [
        ['POST', '/v1/audit/verify'],
        ['GET', '/v1/audit/export'],
      ] as const)
        assert.equal((await bindery.api(method, path, method === 'POST' ? {} : undefined, '')).status, 401);
      await besideOthers(bindery, async () => {
        const verified = await Promise.all(
          Array.from({ length: 8 }, () => bindery.api('POST', '/v1/audit/verify', {})),
        );
        const good = verified.filter(({ status }) => status === 200);
        assert.equal(good.length, 1, 'one at a time');
        for (const { body } of good) assert.equal((body as { ok: boolean }).ok, true);
        for (const { status, body } of verified.filter((each) => each.status !== 200))
          assert.deepEqual([status, (body as { code: string }).code], [429, 'AUDIT_BUSY']);
        const exported = await fetch(`${bindery.url}/v1/audit/export`, { headers: authorization });
        assert.equal((await bindery.api('POST', '/v1/audit/verify', {})).status, 429, 'while it is exported');
        let lines = 0;
        for await (const chunk of exported.body ?? []) for (const byte of chunk) if (byte === 0x0a) lines += 1;
        assert.ok(lines >= RECORDS, `${lines} lines`);
        const searches = ['q=nothing-has-this', 'caller=nobody', `limit=1000&cursor=${RECORDS - 2_000}`];
        const found = await Promise.all(searches.map((query) => bindery.api('GET', `/v1/audit?${query}`)));
        assert.deepEqual(
          found.map(({ status, body }) => [status, (body as { items: object[] }).items.length]),
          [
            [200, 0],
            [200, 0],
            [200, 1_000],
          ],
        );
      });
    },
  },
  {
    id: 'answers-unread',
    title: `answers of 8 MB that ${SILENT_CLIENTS} clients do not read fill no memory, and are recorded as unread`,
    async run(target) {
      const bindery = await upWithNotes(target, { large: { transport: 'http', url: await largeServer(target) } });
      const { id } = await openSession(bindery.mcpUrl, { name: 'silent' });
      const unread = async () => {
        const { body } = await bindery.api('GET', '/v1/audit?kind=system&q=answer_unread&limit=500');
        return (body as { items: unknown[] }).items.length;
      };
      await besideOthers(bindery, async () => {
        // `Expect` makes the second half go to Node's own server.
        const heads = ['', 'Expect: 100-continue\r\n'];
        const clients = await Promise.all(
          Array.from({ length: SILENT_CLIENTS }, (_, at) => callSilently(bindery, id, heads[at % 2])),
        );
        target.onEnd(() => clients.map((socket) => socket.destroy()));
        // The number depends on the buffers of the operating system; the runner checks the memory.
        await until(
          'most of them were closed and recorded',
          async () => (await unread()) > SILENT_CLIENTS / 2,
          120_000,
        );
      });
    },
  },
  {
    id: 'requests-pipelined',
    title: `${PIPELINES} connections that send ${PIPELINED} requests each at once, and read nothing, stall nobody`,
    async run(target) {
      const bindery = await upWithNotes(target);
      const { id } = await openSession(bindery.mcpUrl, { name: 'silent' });
      const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
      const post = `POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Session-Id: ${id}\r\nContent-Length: ${ping.length}\r\n\r\n${ping}`;
      await besideOthers(bindery, async () => {
        for (const request of [post, 'GET /healthz HTTP/1.1\r\n\r\n']) {
          const sockets = Array.from({ length: PIPELINES }, () => pipelineSilently(bindery, request));
          target.onEnd(() => sockets.map((socket) => socket.destroy()));
          for (let asked = 0; asked < 50; asked += 1) assert.equal((await fetch(`${bindery.url}/healthz`)).status, 200);
        }
      });
    },
  },
];
