import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { McpServer } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { until } from '../../test/support/running-bindery.ts';
import { type RunningFixture, startModernFixture } from '../proxy/testing/fixture-server.ts';
import { startTestGateway } from '../proxy/testing/test-gateway.ts';
import { bridgeStdio } from './stdio-bridge.ts';

let fixture: RunningFixture;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  fixture = await startModernFixture(() => {
    const server = new McpServer({ name: 'runner', version: '1' });
    for (const name of ['run', 'plain'])
      server.registerTool(name, { inputSchema: z.looseObject({}) }, async () => ({ content: [] }));
    return server;
  });
  gateway = await startTestGateway({
    servers: [{ id: 's', transport: 'http', url: fixture.url }],
    policy: JSON.stringify({ allowlist: { servers: ['s'], operations: { run: { approval_required: true } } } }),
    // Longer than any test: who waits for it fails.
    approvalWaitMs: 3_600_000,
    approvalExpiresMs: 7_200_000,
  });
});
afterAll(async () => {
  await gateway.close();
  await fixture.close();
});

/** A 2026 client behind `bindery stdio`. */
function openClient() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ended = bridgeStdio({ url: new URL(gateway.url), authorization: undefined, input, output });
  const said = text(output);
  const call = (id: number, tool: string, args: object) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'pipe', version: '1' },
    };
    const params = { name: `s__${tool}`, arguments: args, _meta };
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
  };
  return {
    call,
    /** Closes its input; gives what it was answered, by id. */
    async leave(): Promise<Map<number, string>> {
      input.end();
      await ended;
      output.end();
      const lines = (await said).split('\n').filter((line) => line !== '');
      return new Map(lines.map((line) => [(JSON.parse(line) as { id: number }).id, line]));
    },
  };
}

test('a 2026 client that closes its input stops waiting for a person and gets an answer, while another keeps waiting [gateway:V8]', async () => {
  const [leaving, staying] = [openClient(), openClient()];
  leaving.call(1, 'run', { n: 1 });
  leaving.call(2, 'plain', {});
  staying.call(1, 'run', { n: 2 });
  await until('both wait', () => gateway.approvals.waiting === 2);
  const answers = await leaving.leave();
  expect([answers.get(1), answers.get(2)]).toEqual([
    expect.stringContaining('APPROVAL_PENDING'),
    expect.not.stringContaining('bindery/error'),
  ]);
  expect(gateway.approvals.waiting).toBe(1);
  const waiting = gateway.store
    .list({ status: 'pending' }, 10, 0)
    .find(({ arguments: args }) => (args as { n: number }).n === 2);
  await gateway.approvals.decide(waiting?.id ?? '', { decision: 'approve', by: 'admin', via: 'console' });
  await until('the other was answered', () => gateway.approvals.waiting === 0);
  expect((await staying.leave()).get(1)).not.toContain('bindery/error');
});
