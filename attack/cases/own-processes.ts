import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { openSession, type RpcAnswer, requestModern } from '../../test/support/raw-client.ts';
import { type RunningBindery, untilKnown } from '../../test/support/running-bindery.ts';
import type { AttackCase, AttackTarget } from '../attack-case.ts';

const program = fileURLToPath(new URL('../../test/fixtures/servers/own-state.ts', import.meta.url));
const CAPABILITIES = { elicitation: { form: {} } };

async function serve({ home, up }: AttackTarget): Promise<RunningBindery> {
  const own = { transport: 'stdio', command: process.execPath, args: [program, 'legacy'] };
  await home.writeConfig({ version: 1, mcp: { servers: { own } } });
  const bindery = await up();
  await untilKnown(bindery, 'own');
  return bindery;
}

function textOf({ result }: RpcAnswer): string | undefined {
  return (result as { content?: { text?: string }[] } | undefined)?.content?.[0]?.text;
}

/** Makes a call that asks a question, waits until all clients were asked, and answers with a name. */
async function greet(url: string, name: string, everybodyWasAsked: Promise<void>, wasAsked: () => void) {
  const params = { name: 'own__ask', arguments: {} };
  const asked = await requestModern(url, 'tools/call', params, { capabilities: CAPABILITIES });
  const { inputRequests, requestState } = asked.result as { inputRequests: object; requestState: string };
  wasAsked();
  await everybodyWasAsked;
  const answer = { action: 'accept', content: { name } };
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer]));
  const retry = { ...params, inputResponses, requestState };
  return textOf(await requestModern(url, 'tools/call', retry, { capabilities: CAPABILITIES }));
}

export const attacks: readonly AttackCase[] = [
  {
    id: 'questions-astray',
    title: 'of clients that look alike and are asked at the same moment, each is asked for its own call',
    async run(target) {
      const { mcpUrl } = await serve(target);
      const names = ['Ann', 'Bob', 'Cem', 'Dee'];
      let missing = names.length;
      const everybody = Promise.withResolvers<void>();
      const wasAsked = () => {
        missing -= 1;
        if (missing === 0) everybody.resolve();
      };
      const greetings = await Promise.all(names.map((name) => greet(mcpUrl, name, everybody.promise, wasAsked)));
      assert.deepEqual(
        greetings,
        names.map((name) => `hello ${name}`),
      );
    },
  },
  {
    id: 'processes-exhausted',
    title: 'clients that came, called once and never said that they went keep no other client out',
    async run(target) {
      const { mcpUrl } = await serve(target);
      const answers: unknown[] = [];
      for (let client = 0; client < 12; client += 1) {
        const session = await openSession(mcpUrl, { capabilities: CAPABILITIES });
        answers.push(textOf(await session.request('tools/call', { name: 'own__count', arguments: {} })));
      }
      // Each client had an unused process.
      assert.deepEqual(new Set(answers), new Set(['call 1']));
    },
  },
];
