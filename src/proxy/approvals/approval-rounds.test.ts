import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { callTool } from '../../../test/support/call-tool.ts';
import { SURFACES } from '../../contract/approval-surfaces.ts';
import { startModernFixture } from '../testing/fixture-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const POLICY = JSON.stringify({
  allowlist: { servers: ['s'], operations: { greet: { approval_required: true } } },
});

const greet = (url: string, word: string, more: Parameters<typeof callTool>[3] = {}) =>
  callTool(new URL(url).origin, 's__greet', { word }, more);

/** A server that asks for a name before it does anything. */
async function startGreeter() {
  const greeted: string[] = [];
  const fixture = await startModernFixture(() => {
    const server = new McpServer({ name: 'greeter', version: '1' });
    server.registerTool('greet', { inputSchema: z.object({ word: z.string() }) }, ({ word }, { mcpReq }) => {
      const answer = acceptedContent(mcpReq.inputResponses, 'name', z.object({ name: z.string() }));
      if (!answer) {
        const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
        return inputRequired({
          inputRequests: { name: inputRequired.elicit({ message: 'Who?', requestedSchema }) },
          requestState: 'the state of the server',
        });
      }
      expect(mcpReq.requestState?.()).toBe('the state of the server');
      greeted.push(`${word} ${answer.name}`);
      return { content: [{ type: 'text' as const, text: `${word} ${answer.name}` }] };
    });
    return server;
  });
  return { fixture, greeted };
}

test('a server that asks within an approved call is answered without a second question, and no round is played twice [gateway:V7] [gateway:V1]', async () => {
  const { fixture, greeted } = await startGreeter();
  const gateway = await startTestGateway({
    servers: [{ id: 's', transport: 'http', url: fixture.url }],
    policy: POLICY,
    surfaces: SURFACES,
  });
  try {
    const call = async (params: object = {}, word = 'Hello') =>
      (await greet(gateway.url, word, { capabilities: { elicitation: { form: {} } }, params })).result;
    let questions = 0;
    gateway.approvals.on('created', () => {
      questions += 1;
    });
    const asked = await call();
    const approved = await call({
      requestState: asked.requestState,
      inputResponses: { bindery_approval: { action: 'accept', content: { decision: 'approve' } } },
    });
    expect([Object.keys(approved.inputRequests), approved.requestState]).toEqual([
      ['name'],
      expect.stringMatching(/^ba1\./),
    ]);
    const answered = {
      requestState: approved.requestState,
      inputResponses: { name: { action: 'accept', content: { name: 'you' } } },
    };
    // The state of the question without the approval around it: a person would approve the arguments and not see the answer.
    const [, payload = ''] = (approved.requestState as string).split('.');
    const { upstream } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { upstream: string };
    const bare = await call({ ...answered, requestState: upstream });
    expect([upstream.startsWith('br1.'), bare._meta['bindery/error'].code]).toEqual([true, 'APPROVAL_MISMATCH']);
    const other = await greet(gateway.url, 'Bye', { capabilities: { elicitation: { form: {} } }, params: answered });
    expect(other).toMatchObject({ error: { data: { code: 'INVALID_ARGUMENTS' } } });
    // The answer, then the same once more, and several at once.
    const codeOf = (result: { _meta?: Record<string, { code: string }> }) =>
      result._meta?.['bindery/error']?.code ?? 'ok';
    expect([
      (await call(answered)).content,
      codeOf(await call(answered)),
      (await Promise.all([call(answered), call(answered)])).map(codeOf),
      greeted,
      questions,
    ]).toEqual([
      [{ type: 'text', text: 'Hello you' }],
      'APPROVAL_MISMATCH',
      ['APPROVAL_MISMATCH', 'APPROVAL_MISMATCH'],
      ['Hello you'],
      1,
    ]);
  } finally {
    await gateway.close();
    await fixture.close();
  }
});

test('a call whose question expires while it waits is told so [gateway:V8] [gateway:V1]', async () => {
  const { fixture, greeted } = await startGreeter();
  const gateway = await startTestGateway({
    servers: [{ id: 's', transport: 'http', url: fixture.url }],
    policy: POLICY,
    approvalExpiresMs: 200,
    approvalWaitMs: 20_000,
  });
  try {
    const { result } = await greet(gateway.url, 'late');
    expect([result._meta['bindery/error'].code, greeted]).toEqual(['APPROVAL_EXPIRED', []]);
  } finally {
    await gateway.close();
    await fixture.close();
  }
});
