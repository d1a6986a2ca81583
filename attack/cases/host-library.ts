import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AttackCase, AttackTarget } from '../attack-case.ts';

type Library = typeof import('../../src/host/index.ts');

const ANSWERS: readonly unknown[] = [
  ...[undefined, null, false, true, 'allow', 'deny', 0, 1, {}, [], { allow: true }, { allow: false }],
  ...[{ decision: 'DENY' }, { decision: 'ALLOW', remember: 'once' }, { decision: true, remember: 'once' }],
  ...[{ decision: 'allow' }, { decision: 'allow', remember: 'forever', extent: 'server' }],
  ...[
    { decision: 'allow', remember: 'session' },
    { decision: 'allow', remember: 'always', extent: 'everything' },
  ],
  { decision: 'deny' },
];

export const attacks: readonly AttackCase[] = [
  {
    id: 'host-prompt-answers',
    title: 'a prompt of the library that answers anything but a well-formed allow runs no tool',
    async run(target) {
      const { server, host, execute } = await hostAsking(target, () => given);
      let given: unknown;
      for (given of ANSWERS) {
        const result = await execute();
        assert.equal(result.isError, true, `ran after ${JSON.stringify(given)}`);
        assert.match(result.text, /Permission denied: \S/);
      }
      assert.deepEqual(await server.calls(), []);
      given = { decision: 'allow', remember: 'once' };
      assert.equal((await execute()).isError, false);
      await host.close();
    },
  },
  {
    id: 'host-prompt-fails',
    title: 'a prompt that throws, rejects or ignores its signal runs no tool, also when it answers later',
    async run(target) {
      let prompt: () => unknown = () => {
        throw new Error('broken');
      };
      const { server, host, execute } = await hostAsking(target, () => prompt());
      assert.match((await execute()).text, /the prompt failed/);
      prompt = () => Promise.reject(new Error('broken'));
      assert.match((await execute()).text, /the prompt failed/);
      const aborts = new AbortController();
      prompt = () => {
        setImmediate(() => aborts.abort());
        return new Promise((resolve) => {
          aborts.signal.onabort = () =>
            setImmediate(resolve, { decision: 'allow', remember: 'session', extent: 'server' });
        });
      };
      await assert.rejects(execute(aborts.signal));
      prompt = () => ({ decision: 'deny' });
      assert.match((await execute()).text, /the person said no/);
      assert.deepEqual(await server.calls(), []);
      await host.close();
    },
  },
];

async function hostAsking({ packageDir, recordingServer, onEnd }: AttackTarget, prompt: () => unknown) {
  const entry = pathToFileURL(join(packageDir, 'dist/host/index.js')).href;
  const { createHost } = (await import(entry)) as Library;
  const server = recordingServer();
  const host = createHost({
    servers: { notes: { ...server.entry, args: [...server.entry.args] } },
    prompt: prompt as never,
  });
  onEnd(() => host.close());
  await host.connect();
  const execute = (signal?: AbortSignal) => {
    const tool = host.tools().find(({ origin }) => origin?.tool === 'write');
    assert.ok(tool);
    return tool.execute({ text: 'x' }, signal ? { signal } : {});
  };
  return { server, host, execute };
}
