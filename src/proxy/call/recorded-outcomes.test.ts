import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpFixture, legacyHttp, modernHttp, type Reply } from '../../../test/fixtures/servers/http-server.ts';
import { openSession, requestModern } from '../../../test/support/raw-client.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const text = { content: [{ type: 'text', text: 'hi' }] };
/** What the servers answer to a call, by the word that they are called with. */
const ANSWERS: Readonly<Record<string, (reply: Reply) => void>> = {
  well: (reply) => reply.result({ resultType: 'complete', ...text }),
  plain: (reply) => reply.result(text),
  badly: (reply) => reply.result({ resultType: 'complete', ...text, isError: true }),
  'badly, plain': (reply) => reply.result({ ...text, isError: true }),
  'not badly': (reply) => reply.result({ ...text, isError: false }),
  refused: (reply) => reply.error(-32000, 'not today', 200, { why: 'rain' }),
};

let servers: HttpFixture[];
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  const onCall = (reply: Reply) => {
    const { message } = reply.seen;
    const { word } = (message?.params?.arguments ?? {}) as { word?: string };
    if (message?.method !== 'tools/call' || word === undefined) return false;
    ANSWERS[word]?.(reply);
    return true;
  };
  servers = [await new HttpFixture(modernHttp(onCall)).listen(), await new HttpFixture(legacyHttp(onCall)).listen()];
  const [modern, legacy] = servers.map(({ url }) => url) as [string, string];
  gateway = await startTestGateway({
    servers: [
      { id: 'modern', transport: 'http', url: modern },
      { id: 'legacy', transport: 'http', url: legacy },
    ],
  });
});
afterAll(async () => {
  await gateway.close();
  for (const server of servers) await server.close();
});

test.each(['modern', 'legacy'].flatMap((server) => ['2026', '2025'].map((client) => [client, server] as const)))(
  'what a %s client hears of a %s server is recorded as what it was',
  async (client, server) => {
    const session = client === '2025' ? await openSession(gateway.url) : undefined;
    const call = (word: string) => {
      const params = { name: `${server}__echo`, arguments: { word } };
      return session ? session.request('tools/call', params) : requestModern(gateway.url, 'tools/call', params);
    };
    const outcomes: Record<string, unknown> = {};
    for (const word of Object.keys(ANSWERS)) {
      const { result, error } = await call(word);
      const { isError = false } = (result ?? {}) as { isError?: boolean };
      const { phase, outcome, result_bytes = 0 } = gateway.audit.at(-1) ?? {};
      outcomes[word] = [phase, outcome, result_bytes > 0, error ?? isError];
    }
    const refused = { code: -32000, message: 'not today', data: { why: 'rain' } };
    const isCrossing = (client === '2026') !== (server === 'modern');
    expect(outcomes).toEqual({
      well: ['end', 'ok', true, false],
      plain: ['end', 'ok', true, false],
      badly: ['end', 'tool_error', true, true],
      'badly, plain': ['end', 'tool_error', true, true],
      'not badly': ['end', 'ok', true, false],
      refused: ['end', 'upstream_error', !isCrossing, refused],
    });
  },
);
