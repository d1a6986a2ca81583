import type { LookupAddress, LookupOptions } from 'node:dns';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type DnsAnswers, LoopbackDns } from '../../../test/support/loopback-dns.ts';
import { BufferSink, exchange } from './http-exchange.ts';
import { createPublicAgent, publicLookup } from './public-agent.ts';

const PUBLIC = '93.184.215.14';
let server: Server;
let port: number;
const visits: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    visits.push(`${request.headers.host} ${request.url}`);
    const to = new URL(request.url ?? '', 'http://x').searchParams.get('to');
    if (to === null) response.setHeader('connection', 'close').end('ok');
    else response.writeHead(302, { location: to }).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());
beforeEach(() => {
  visits.length = 0;
});

/** The status of a GET, or why it failed. */
async function get(agent: ReturnType<typeof createPublicAgent>, url: string): Promise<number | string> {
  try {
    const request = { url: new URL(url), method: 'GET' as const, headers: {} };
    const response = await exchange(agent, request, () => new BufferSink(1_000));
    await response.ended;
    return response.status;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

describe('a name', () => {
  const looked = (answers: readonly string[], options: LookupOptions = { all: true }) =>
    new Promise((resolve) => {
      const dns = new LoopbackDns({ 'a.example': [answers] });
      publicLookup(dns.resolve)('a.example', options, (error, found) => resolve(error ? error.message : found));
    });

  test('resolves to its addresses where all are public', async () => {
    const both: LookupAddress[] = [
      { address: '2606:4700::1111', family: 6 },
      { address: PUBLIC, family: 4 },
    ];
    const texts = both.map(({ address }) => address);
    expect([
      await looked(texts),
      await looked(texts, { all: true, family: 4 }),
      await looked(texts, {}),
      await looked(['2606:4700::1111'], { all: true, family: 4 }),
      await looked([]),
    ]).toEqual([both, [both[1]], '2606:4700::1111', 'a.example has no address', 'a.example has no address']);
  });

  test.each([
    ['127.0.0.1', 'loopback'],
    ['::ffff:10.0.0.1', 'private'],
    ['64:ff9b::a9fe:a9fe', 'link-local'],
    ['fd00::1', 'private'],
    ['0.0.0.0', 'this network'],
  ])('that resolves to %s is refused, also beside public addresses', async (address, reason) => {
    const refused = `a.example is not public: ${reason}`;
    expect([
      await looked([address]),
      await looked([PUBLIC, address]),
      await looked([address, PUBLIC], { family: 4 }),
    ]).toEqual([refused, refused, refused]);
  });
});

describe('a request', () => {
  const agentOf = (answers: Readonly<Record<string, DnsAnswers>>) => {
    const dns = new LoopbackDns(answers);
    return { dns, agent: createPublicAgent({ lookup: dns.lookup }) };
  };

  test('dials the checked address: the name is resolved once per connection, and a second answer applies to the next', async () => {
    const { dns, agent } = agentOf({ 'rebind.example': [[PUBLIC], ['127.0.0.1']] });
    const url = `http://rebind.example:${port}/`;
    expect(await get(agent, url)).toBe(200);
    expect([dns.asked, dns.dialled]).toEqual([['rebind.example'], [PUBLIC]]);
    const refused = `cannot reach http://rebind.example:${port} (rebind.example is not public: loopback)`;
    expect([await get(agent, url), dns.dialled, visits.length]).toEqual([refused, [PUBLIC], 1]);
    await agent.close();
  });

  test('to an IP address or a local name is refused without a lookup', async () => {
    const { dns, agent } = agentOf({});
    const hosts = [
      '127.0.0.1',
      '127.1',
      '0x7f000001',
      '017700000001',
      '2130706433',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:0:0:1]',
      '0',
      'localhost',
      'LOCALHOST.',
      'a.localhost',
      '１２７.0.0.1',
      'metadata.google.internal',
    ];
    const answers = await Promise.all(hosts.map((host) => get(agent, `http://${host}:${port}/`)));
    expect(answers.filter((answer) => !/ is not public: /.test(String(answer)))).toEqual([]);
    expect([dns.asked, visits]).toEqual([[], []]);
    await agent.close();
  });

  test('follows a redirect within its origin through the same check, and to no other origin', async () => {
    const { dns, agent } = agentOf({ 'a.example': [[PUBLIC]], 'b.example': [['127.0.0.1']] });
    const at = (to: string) => `http://a.example:${port}/?to=${encodeURIComponent(to)}`;
    expect([await get(agent, at('/there')), await get(agent, at(`http://b.example:${port}/`))]).toEqual([
      200,
      `the server redirects to another origin (http://b.example:${port}), which is not followed`,
    ]);
    expect([dns.asked.includes('b.example'), visits.filter((visit) => visit.startsWith('b.'))]).toEqual([false, []]);
    await agent.close();
  });

  test('to a name that does not exist fails as any other', async () => {
    const { agent } = agentOf({});
    expect(await get(agent, 'http://none.example/')).toBe('cannot reach http://none.example (ENOTFOUND)');
    await agent.close();
  });
});
