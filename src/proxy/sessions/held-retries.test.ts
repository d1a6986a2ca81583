import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { requestModern } from '../../../test/support/raw-client.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const program = fileURLToPath(new URL('../../../test/fixtures/servers/asking-server.ts', import.meta.url));
const capabilities = { elicitation: { form: {} } };
const QUESTION = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const ARGS = { params: QUESTION };

let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  gateway = await startTestGateway({
    servers: [{ id: 'old', transport: 'stdio', command: process.execPath, args: [program, 'legacy'], cwd: tmpdir() }],
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.audit.length = 0;
});

interface Asked {
  readonly requestState: string;
  readonly inputRequests: Record<string, object>;
}
const call = (args: object, more: object = {}) =>
  requestModern(gateway.url, 'tools/call', { name: 'old__ask', arguments: args, ...more }, { capabilities });
async function ask() {
  const { requestState, inputRequests } = (await call(ARGS)).result as Asked;
  const answers = Object.keys(inputRequests).map((key) => [key, { action: 'accept', content: {} }]);
  return { requestState, inputResponses: Object.fromEntries(answers) };
}

test('a retry of a held call with other arguments is refused and recorded as refused; the call continues with its own [gateway:E7] [gateway:U1]', async () => {
  const answers = await ask();
  const other = { ...ARGS, path: '/etc/passwd' };
  const refused = JSON.stringify((await call(other, answers)).result);
  expect(refused).toContain('INVALID_ARGUMENTS');
  const { result } = await call(ARGS, answers);
  expect(JSON.stringify(result)).toContain('accept');
  const begun = gateway.audit.filter(({ phase }) => phase === 'begin').map(({ arguments: args }) => args);
  const single = gateway.audit.filter(({ phase }) => phase === 'single');
  expect([begun, single]).toMatchObject([[ARGS, ARGS], [{ arguments: other, outcome: 'denied' }]]);
});

test('the order of members makes no other arguments, and a changed state is none [gateway:E7]', async () => {
  const answers = await ask();
  const [prefix, node, handle, , signed] = answers.requestState.split('.');
  const forged = [prefix, node, handle, 'f'.repeat(64), signed].join('.');
  expect(JSON.stringify((await call(ARGS, { ...answers, requestState: forged })).result)).toContain('INTERRUPTED');
  const { message, requestedSchema } = QUESTION;
  const { result } = await call({ params: { requestedSchema, message } }, answers);
  expect(JSON.stringify(result)).toContain('accept');
});
