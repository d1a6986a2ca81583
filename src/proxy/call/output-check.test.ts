import { expect, test } from 'vitest';
import { HttpFixture, legacyHttp } from '../../../test/fixtures/servers/http-server.ts';
import { openSession } from '../../../test/support/raw-client.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { OutputPromises } from '../../gateway/search/output-promises.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { breaksSchema } from './output-check.ts';

const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const target = { kind: 'call', server: 's', tool: 't', name: 's_t', rewrite: {}, outputSchema } as const;
const answer = (result: unknown) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));

test('structured content that breaks its schema is noticed, and the log names the tool once', () => {
  const log = createMemoryLog();
  const promises = OutputPromises.logged(log);
  const broken = [{ structuredContent: { n: 'x' } }, { structuredContent: {} }, { structuredContent: null }];
  const kept = [{ structuredContent: { n: 1 } }, { content: [] }, { content: [{ text: '"structuredContent"' }] }, null];
  expect(broken.map((result) => breaksSchema(promises, target, answer(result)))).toEqual([true, true, true]);
  expect(kept.map((result) => breaksSchema(promises, target, answer(result)))).toEqual(kept.map(() => false));
  expect(log.lines).toEqual([
    {
      level: 'warn',
      message: 'structured content breaks the output schema of its tool',
      fields: { server: 's', tool: 't', why: expect.stringContaining('/n') },
    },
  ]);
});

test('an answer that is too large, a tool without a schema and a schema that cannot be used are left alone', () => {
  const promises = OutputPromises.logged(createMemoryLog());
  const large = answer({ structuredContent: { n: 'x'.repeat(PROXY_LIMITS.checkedOutputBytesMax) } });
  const wrong = answer({ structuredContent: { n: 'x' } });
  expect([
    breaksSchema(promises, target, large),
    breaksSchema(promises, { ...target, outputSchema: undefined }, wrong),
    breaksSchema(promises, { ...target, outputSchema: { $ref: 'https://elsewhere.example/schema' } }, wrong),
    breaksSchema(promises, { ...target, outputSchema: 7 }, wrong),
  ]).toEqual([false, false, false, false]);
});

test('a call whose structured content breaks its schema is answered as it was, and its record says so', async () => {
  const server = await new HttpFixture(
    legacyHttp((reply) => {
      const { method } = reply.seen.message ?? {};
      if (method === 'tools/list')
        reply.result({ tools: [{ name: 't', inputSchema: { type: 'object' }, outputSchema }] });
      else if (method === 'tools/call') reply.result({ content: [], structuredContent: { n: 'x' } });
      else return false;
      return true;
    }),
  ).listen();
  const gateway = await startTestGateway({ servers: [{ id: 's', transport: 'http', url: server.url }] });
  try {
    const session = await openSession(gateway.url);
    const answer = await session.request('tools/call', { name: 's__t', arguments: {} });
    expect(answer).toMatchObject({ result: { structuredContent: { n: 'x' } } });
    expect(gateway.audit.filter(({ phase }) => phase === 'end')).toMatchObject([
      { outcome: 'ok', schema_mismatch: true },
    ]);
    expect(gateway.log.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { fields: { server: 's', tool: 't' } },
    ]);
  } finally {
    await gateway.close();
    await server.close();
  }
});
