import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { HttpFixture, legacyHttp } from '../../test/fixtures/servers/http-server.ts';
import { RawHttpServer, rawResponse } from '../../test/fixtures/servers/raw-http-server.ts';
import { openSession } from '../../test/support/raw-client.ts';
import { type RunningBindery, until, untilKnown } from '../../test/support/running-bindery.ts';
import type { AttackCase, AttackTarget } from '../attack-case.ts';
import { besideOthers } from '../beside-others.ts';

/** A gateway with the attacker as `shifty` and a good server `notes`. */
async function start({ up, home, recordingServer }: AttackTarget, url: string): Promise<RunningBindery> {
  const shifty = { transport: 'http', url };
  await home.writeConfig({ version: 1, mcp: { servers: { notes: recordingServer().entry, shifty } } });
  const bindery = await up();
  await untilKnown(bindery, 'notes', 'shifty');
  return bindery;
}

/** Calls the attacker's tool several times and returns the outcomes. */
async function callShifty(bindery: RunningBindery, times: number): Promise<string[]> {
  const session = await openSession(bindery.mcpUrl, { name: 'victim' });
  const answers: string[] = [];
  for (let call = 0; call < times; call += 1) {
    const { result, error } = await session.request('tools/call', { name: 'shifty__echo', arguments: { call } });
    answers.push(JSON.stringify(result ?? error));
  }
  return answers;
}

/** A server that answers every call with these bytes. */
async function answering(target: AttackTarget, bytes: () => string, thenAgain?: string): Promise<string> {
  const server = await new RawHttpServer(({ method, socket }) => {
    if (method !== 'tools/call') return false;
    socket.write(bytes());
    if (thenAgain !== undefined) {
      const again = setInterval(() => socket.write(thenAgain), 1);
      socket.on('close', () => clearInterval(again));
    }
    return true;
  }).listen();
  target.onEnd(() => server.close());
  return server.url;
}

/** A schema of 42 KB, with different properties for each letter. */
function largeTools(letter: string): object[] {
  const properties = Array.from({ length: 900 }, (_, at) => [`${letter}_property_${at}`, { type: 'string' }]);
  const inputSchema = { type: 'object', properties: Object.fromEntries(properties) };
  return Array.from({ length: 20 }, (_, at) => ({ name: `tool${at}`, description: `Tool ${at}`, inputSchema }));
}

const MANY_TOOLS = 9_900;
const manyTools = (round: number) =>
  Array.from({ length: MANY_TOOLS }, (_, at) => ({
    name: `tool_${at}`,
    description: `Tool ${at} of round ${round}`,
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  }));

/** A thousand tools of 10 KB, half of which fit into an offer. */
const largeList = (round: number) =>
  Array.from({ length: 1_000 }, (_, at) => ({
    name: `tool_${at}`,
    description: '\u202e\u{1f468}\u200d'.repeat(325),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 150 }, (_, property) => [
          `p${property}`,
          { type: 'string', description: `round ${round} of ${at}` },
        ]),
      ),
    },
  }));

export const attacks: readonly AttackCase[] = [
  {
    id: 'definitions-changing',
    title: 'twenty changed schemas of 42 KB stall no other call, and the changes are recorded',
    async run(target) {
      let letter = 'a';
      const streams: { send(message: object): void }[] = [];
      const server = await new HttpFixture(
        legacyHttp((reply) => {
          if (reply.seen.verb === 'GET') streams.push(reply.stream());
          else if (reply.seen.message?.method === 'tools/list') reply.result({ tools: largeTools(letter) });
          else return false;
          return true;
        }),
      ).listen();
      target.onEnd(() => server.close());
      const bindery = await start(target, server.url);
      const recorded = async () => {
        const path = '/v1/audit?kind=system&server=shifty&limit=200';
        const { body } = await bindery.api('GET', path);
        return (body as { items: { action?: string }[] }).items.filter(({ action }) => action === 'definition_changed');
      };
      await besideOthers(bindery, async () => {
        for (const [round, next] of [...'bcd'].entries()) {
          letter = next;
          // Repeated notifications: the gateway lists the tools again once.
          for (let said = 0; said < 50; said += 1)
            for (const stream of streams) stream.send({ method: 'notifications/tools/list_changed' });
          await until('the changes are recorded', async () => (await recorded()).length >= 20 * (round + 1));
        }
      });
    },
  },
  {
    id: 'lists-changed-again',
    title: 'a server that changes a list of 10 MB again and again keeps the gateway neither busy nor large',
    async run(target) {
      let round = 0;
      let listings = 0;
      const streams: { send(message: object): void }[] = [];
      const server = await new HttpFixture(
        legacyHttp((reply) => {
          if (reply.seen.verb === 'GET') streams.push(reply.stream());
          else if (reply.seen.message?.method === 'tools/list') {
            listings += 1;
            reply.result({ tools: largeList(round) });
          } else return false;
          return true;
        }),
      ).listen();
      target.onEnd(() => server.close());
      const bindery = await start(target, server.url);
      const recorded = '/v1/audit?kind=system&server=shifty&q=tool_200&limit=200';
      const changes = async () => ((await bindery.api('GET', recorded)).body as { items: object[] }).items.length;
      await besideOthers(bindery, async () => {
        const changing = setInterval(() => {
          round += 1;
          for (const stream of streams) stream.send({ method: 'notifications/tools/list_changed' });
        }, 2_000);
        target.onEnd(() => clearInterval(changing));
        await until('three changes are recorded', async () => (await changes()) >= 3, 150_000);
        clearInterval(changing);
      });
      assert.ok(listings <= 1 + 4, `${listings} listings in ${round} rounds`);
    },
  },
  {
    id: 'definitions-many',
    title: `${MANY_TOOLS} tools that all change at once stall no other call, and each change is recorded`,
    async run(target) {
      let round = 0;
      const streams: { send(message: object): void }[] = [];
      const server = await new HttpFixture(
        legacyHttp((reply) => {
          if (reply.seen.verb === 'GET') streams.push(reply.stream());
          else if (reply.seen.message?.method === 'tools/list') reply.result({ tools: manyTools(round) });
          else return false;
          return true;
        }),
      ).listen();
      target.onEnd(() => server.close());
      const bindery = await start(target, server.url);
      const lastTool = `/v1/audit?kind=system&server=shifty&q=tool_${MANY_TOOLS - 1}&limit=200`;
      await besideOthers(bindery, async () => {
        for (round = 1; round <= 2; round += 1) {
          for (const stream of streams) stream.send({ method: 'notifications/tools/list_changed' });
          await until(
            'the change of the last tool is recorded',
            async () => ((await bindery.api('GET', lastTool)).body as { items: object[] }).items.length >= round,
            60_000,
          );
        }
      });
    },
  },
  {
    id: 'response-heads',
    title: 'a response head of 16,350 fields, one of 60,000 characters, and heads without end fail their own call only',
    async run(target) {
      const interim = 'HTTP/1.1 100 Continue\r\n\r\n';
      for (const [bytes, again] of [
        [`HTTP/1.1 200 OK\r\n${'a:\r\n'.repeat(16_350)}\r\n`, undefined],
        [`HTTP/1.1 200 OK\r\nx: ${' ,'.repeat(30_000)}\r\n\r\n`, undefined],
        [`HTTP/1.1 200 OK\r\nconnection: a${' '.repeat(16_000)}b\r\n\r\n`, undefined],
        [interim.repeat(5_000), interim.repeat(5_000)],
      ] as const) {
        const bindery = await start(target, await answering(target, () => bytes, again));
        await besideOthers(bindery, async () => {
          const answers = await callShifty(bindery, 3);
          assert.ok(
            answers.every((text) => /UPSTREAM|BREAKER_OPEN/.test(text)),
            answers.join('\n'),
          );
        });
        await bindery.stop();
      }
    },
  },
  {
    id: 'challenge-long',
    title: 'a WWW-Authenticate of 60,000 or of 16,000 characters, however it is made, stalls no other call',
    async run(target) {
      const long = ['a'.repeat(60_000), 'a'.repeat(16_000)];
      // Just below the limit of a head, made of the parts of a challenge.
      const parts = ['a="b", ', '"\\', ' ,', 'Bearer '].map((part) => part.repeat(15_000 / part.length));
      for (const value of [...long, ...parts]) {
        const challenge = `HTTP/1.1 401 No\r\nwww-authenticate: Bearer ${value}\r\ncontent-length: 0\r\n\r\n`;
        const bindery = await start(target, await answering(target, () => challenge));
        await besideOthers(bindery, async () => {
          const answers = await callShifty(bindery, 2);
          assert.ok(
            answers.every((text) => /UPSTREAM|AUTH|SIGN_IN|BREAKER_OPEN/.test(text)),
            answers.join('\n'),
          );
        });
        await bindery.stop();
      }
    },
  },
  {
    id: 'catalogue-costly',
    title:
      'ten thousand templates, ten thousand resources that they are compared with, and a description of two million hidden characters stall no other call',
    async run(target) {
      const description = '\u200b'.repeat(1_000_000) + '😀\u200d'.repeat(250_000);
      const tools = [{ name: 'echo', description, inputSchema: { type: 'object' } }];
      const tooLong = `{a}-${'{+b}-'.repeat(300)}`;
      const resourceTemplates = Array.from({ length: 10_000 }, (_, at) => ({
        name: `t${at}`,
        uriTemplate: at % 2 === 0 ? tooLong : `${'{a}x'.repeat(15)}{+b}${at}!`,
      }));
      const resources = Array.from({ length: 10_000 }, (_, at) => ({ uri: `${'xa/x'.repeat(90)}${at}!`, name: 'r' }));
      const server = await new HttpFixture(
        legacyHttp((reply) => {
          const { method, params } = reply.seen.message ?? {};
          if (method === 'initialize') {
            const capabilities = { tools: {}, resources: {} };
            const serverInfo = { name: 'costly', version: '1' };
            reply.result({ protocolVersion: params?.protocolVersion, serverInfo, capabilities });
          } else if (method === 'tools/list') reply.result({ tools });
          else if (method === 'resources/list') reply.result({ resources });
          else if (method === 'resources/templates/list') reply.result({ resourceTemplates });
          else return false;
          return true;
        }),
      ).listen();
      target.onEnd(() => server.close());
      const bindery = await start(target, server.url);
      await besideOthers(bindery, async () => {
        const session = await openSession(bindery.mcpUrl);
        for (let read = 0; read < 20; read += 1) {
          await session.request('resources/read', { uri: `${'-a'.repeat(500)}-${read}-` });
        }
      });
    },
  },
  {
    id: 'body-byte-by-byte',
    title: 'bodies that come a byte at a time cost no buffer for each byte',
    async run(target) {
      const bindery = await start(target, await answering(target, () => ''));
      const { hostname, port } = new URL(bindery.url);
      const request = (path: string) =>
        `POST ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
      await besideOthers(bindery, () =>
        Promise.all(
          ['/mcp', '/mcp', '/v1/context/resolve'].map(async (path) => {
            const socket = connect(Number(port), hostname);
            target.onEnd(() => socket.destroy());
            socket.resume().on('error', () => {});
            socket.write(request(path));
            const piece = Buffer.from('1\r\nx\r\n'.repeat(10_000));
            // The body does not end: the gateway must buffer what has arrived.
            for (let sent = 0; sent < 150 && !socket.destroyed; sent += 1) {
              await new Promise((resolve) => socket.write(piece, resolve));
            }
          }),
        ),
      );
    },
  },
  {
    id: 'late-answers',
    title: 'a late extra response never becomes the answer to the next call',
    async run(target) {
      let last = 0;
      let served = 0;
      const server = await new RawHttpServer(({ method, socket, id, params }) => {
        if (method !== 'tools/call') return false;
        const text = JSON.stringify(params.arguments);
        socket.write(rawResponse({ id, result: { content: [{ type: 'text', text }] } }));
        // Some calls have no stray answer: on a busy machine strays could come so soon that every other connection is closed.
        served += 1;
        if (served % 10 === 1) return true;
        const stray = { content: [{ type: 'text', text: 'for somebody else' }] };
        for (const next of [id + 1, last + 1, id + (id - last)])
          setTimeout(() => socket.write(rawResponse({ id: next, result: stray })), Math.random() * 2);
        last = id;
        return true;
      }).listen();
      target.onEnd(() => server.close());
      const bindery = await start(target, server.url);
      let right = 0;
      await besideOthers(bindery, async () => {
        const callers = await Promise.all([1, 2, 3, 4].map(() => callShifty(bindery, 300)));
        for (const answers of callers) {
          for (const [call, text] of answers.entries()) {
            assert.ok(!text.includes('somebody else'), `call ${call}: ${text}`);
            if (text.includes(JSON.stringify(JSON.stringify({ call })))) right += 1;
            else assert.match(text, /UPSTREAM|BREAKER_OPEN/);
          }
        }
      });
      assert.ok(right > 0, 'no call was answered at all');
    },
  },
  {
    id: 'connections-apart',
    title:
      'entries of one origin with different credentials share no connection, so none gets what was written for another',
    async run(target) {
      const carried = new Map<number, Set<string>>();
      const server = await new RawHttpServer(({ connection, head, method, socket, id }) => {
        const credential = /^authorization: (.*)$/im.exec(head)?.[1] ?? 'none';
        carried.set(connection, (carried.get(connection) ?? new Set()).add(credential.trim()));
        if (method !== 'tools/call') return false;
        socket.write(rawResponse({ id, result: { content: [{ type: 'text', text: credential.trim() }] } }));
        return true;
      }).listen();
      target.onEnd(() => server.close());
      const entry = (token: string) => ({
        transport: 'http',
        url: server.url,
        headers: { authorization: `Bearer ${token}` },
      });
      const servers = { notes: target.recordingServer().entry, ada: entry('of-ada'), bob: entry('of-bob') };
      await target.home.writeConfig({ version: 1, mcp: { servers: { ...servers, cid: entry('of-ada') } } });
      const bindery = await target.up();
      await untilKnown(bindery, 'notes', 'ada', 'bob', 'cid');
      await besideOthers(bindery, async () => {
        const session = await openSession(bindery.mcpUrl, { name: 'victim' });
        const call = async (name: string) => {
          const { result } = await session.request('tools/call', { name: `${name}__echo`, arguments: {} });
          return (result as { content: { text: string }[] }).content[0]?.text;
        };
        for (let round = 0; round < 50; round += 1) {
          const answers = await Promise.all(['ada', 'bob', 'cid', 'bob', 'ada'].map(call));
          assert.deepEqual(
            answers,
            ['ada', 'bob', 'ada', 'bob', 'ada'].map((name) => `Bearer of-${name}`),
          );
        }
      });
      const shared = [...carried.values()].filter((credentials) => credentials.size > 1);
      assert.deepEqual(shared, []);
      assert.ok(carried.size >= 3, 'each entry has a connection of its own');
    },
  },
];
