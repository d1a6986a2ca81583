import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { UpstreamError } from '../../src/wire/upstream.ts';
import { stdio, textOf, until, World } from '../fixtures/connect.ts';
import { root } from '../support/repository.ts';

const world = new World();
afterAll(() => world.close());

const call = (name: string, args: object = {}) => ({ method: 'tools/call', params: { name, arguments: args } });
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test.each([
  ['legacy', '2025', '2025-11-25'],
  ['modern', '2026', '2026-07-28'],
  ['old', '2025', '2025-03-26'],
  ['exit-on-probe', '2025', '2025-11-25'],
  ['silent-probe', '2025', '2025-11-25'],
])('[wire:ERA] a stdio server that is %s speaks revision %s (%s)', async (behaviour, era, version) => {
  const upstream = await world.connect(stdio(behaviour));
  expect([upstream.era, upstream.protocolVersion, upstream.serverInfo?.name]).toEqual([era, version, 'fixture']);
  expect(textOf(await upstream.request(call('echo', { message: 'hello' })))).toBe('hello');
});

test('[wire:ERA] a server without a common revision is refused with its version', async () => {
  await expect(world.connect(stdio('unknown'))).rejects.toThrow(
    'the server speaks "1999-01-01", which this client does not',
  );
});

test('[wire:ENV] a server gets its own variables and a short list of ours, nothing else', async () => {
  process.env.BINDERY_SECRET_OF_THE_PARENT = 'hunter2';
  const upstream = await world.connect(stdio('legacy', { env: { OWN: 'yes' } }));
  const environment = JSON.parse(textOf(await upstream.request(call('env'))));
  delete process.env.BINDERY_SECRET_OF_THE_PARENT;
  expect(environment).toMatchObject({ OWN: 'yes', PATH: process.env.PATH });
  const documented = readFileSync(join(root, 'docs', 'guides', 'host.md'), 'utf8');
  const allowed = ['OWN', ...(documented.match(/`[A-Z][A-Z0-9_]+`/g) ?? []).map((name) => name.slice(1, -1))];
  const isAllowed = (name: string) => allowed.includes(name) || /^LC_|^npm_config_/i.test(name);
  expect(Object.keys(environment).filter((name) => !isAllowed(name))).toEqual([]);
});

test('[wire:RAW] raw bytes go out and come back as they are', async () => {
  const upstream = await world.connect(stdio('legacy'));
  const id = upstream.nextId();
  const bytes = Buffer.from(
    `{ "method":"tools/call", "jsonrpc":"2.0", "id": ${id}, "params":{"name":"echo","arguments":{"message":"é"}} }`,
  );
  const answer = await upstream.requestRaw({ bytes, id, method: 'tools/call' });
  expect(Buffer.from(answer.bytes).toString()).toBe(
    JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'é' }] } }),
  );
  expect(Buffer.from(answer.bytes.subarray(answer.envelope.id?.start, answer.envelope.id?.end)).toString()).toBe(
    String(id),
  );
});

test('[wire:NOISE] lines that are no messages are passed over', async () => {
  const upstream = await world.connect(stdio('noisy'));
  await upstream.request({ method: 'tools/list' });
  expect(textOf(await upstream.request(call('echo', { message: 'still here' })))).toBe('still here');
});

test('[wire:DEADLINE] progress prolongs a request up to the time for the whole', async () => {
  const upstream = await world.connect(stdio('legacy'));
  const seen: number[] = [];
  const slow = call('slow', { steps: 6, everyMs: 400 });
  const result = await upstream.request(slow, {
    timeoutMs: 1500,
    maxTimeoutMs: 10_000,
    onProgress: ({ progress }) => seen.push(progress),
  });
  expect([textOf(result), seen]).toEqual(['slow is done', [1, 2, 3, 4, 5, 6]]);
  await expect(upstream.request(slow, { timeoutMs: 1500, maxTimeoutMs: 1600 })).rejects.toMatchObject({
    kind: 'timed_out',
    message: 'the server did not answer tools/call within 1600 ms in all',
  });
});

test.each(['legacy', 'modern'])(
  '[wire:CANCEL] a time-out and a cancel tell a %s server, and late answers are dropped',
  async (behaviour) => {
    const upstream = await world.connect(stdio(behaviour));
    const controller = new AbortController();
    const cancelled = upstream.request(call('never'), { signal: controller.signal });
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ kind: 'cancelled' });
    await expect(upstream.request(call('late'), { timeoutMs: 20 })).rejects.toMatchObject({ kind: 'timed_out' });
    expect(textOf(await upstream.request(call('release')))).toBe('released');
    const told = JSON.parse(textOf(await upstream.request(call('cancelled'))));
    expect(told.map(({ reason }: { reason: string }) => reason)).toEqual(['cancelled', 'timed out']);
  },
);

test('[wire:QUESTIONS] a question is answered by the callback, and refused where there is none', async () => {
  const asking = await world.connect(stdio('legacy'), {
    elicitation: {
      form: async ({ serverId, params }) => ({ action: 'accept', content: { serverId, asked: params.message } }),
    },
  });
  expect(JSON.parse(textOf(await asking.request(call('ask')))).result).toEqual({
    action: 'accept',
    content: { serverId: 'legacy', asked: '[server legacy asks] Well?' },
  });
  const deaf = await world.connect(stdio('legacy'));
  expect(JSON.parse(textOf(await deaf.request(call('ask')))).error.code).toBe(-32601);
  expect(JSON.parse(textOf(await deaf.request(call('ask', { method: 'strange/thing' })))).error.code).toBe(-32601);
  expect(JSON.parse(textOf(await deaf.request(call('ask', { method: 'ping' })))).result).toEqual({});
});

test('[wire:QUESTIONS] a question goes to the newest running call that takes questions', async () => {
  const upstream = await world.connect(stdio('legacy'));
  const taken = await upstream.request(call('ask'), {
    onServerRequest: async ({ method }) => ({ action: 'decline', method }),
  });
  expect(JSON.parse(textOf(taken)).result).toEqual({ action: 'decline', method: 'elicitation/create' });
});

test('[wire:QUESTIONS] no deadline runs while a person is being asked', async () => {
  const slowPerson = async () => {
    await new Promise((resolve) => setTimeout(resolve, 2000));
    return { action: 'accept', content: {} };
  };
  const upstream = await world.connect(stdio('legacy'), { elicitation: { form: slowPerson } });
  const result = await upstream.request(call('ask'), { timeoutMs: 1500, maxTimeoutMs: 1600 });
  expect(JSON.parse(textOf(result)).result.action).toBe('accept');
});

test('[wire:STDERR] a crash in mid-call fails it with what the server said last, masked', async () => {
  const upstream = await world.connect(stdio('legacy'));
  const failure = await upstream.request(call('exit')).catch((error: UpstreamError) => error);
  expect(failure).toBeInstanceOf(UpstreamError);
  expect([(failure as UpstreamError).kind, (failure as UpstreamError).message]).toEqual([
    'lost',
    'the server ended with exit code 3; it said: fatal: out of cheese, token=***',
  ]);
});

test('[wire:STDERR] a command that does not exist is named with where it was searched', async () => {
  const spec = { ...stdio('x'), command: 'no-such-command-here' };
  await expect(world.connect(spec)).rejects.toThrow(
    /^cannot start the server: no-such-command-here was not found .*searched/,
  );
});

test('[wire:STDERR] a folder of the project that is not searched is not named as searched', async () => {
  const bin = join(tmpdir(), 'some-project/node_modules/.bin');
  const { PATH } = process.env;
  const spec = { ...stdio('x'), command: 'no-such-command-here', untrustedDir: join(tmpdir(), 'some-project') };
  process.env.PATH = `${bin}${delimiter}${PATH}`;
  try {
    const failure = await world.connect(spec).catch((error: UpstreamError) => error);
    expect((failure as UpstreamError).message).toContain('searched');
    expect((failure as UpstreamError).message).not.toContain(bin);
  } finally {
    process.env.PATH = PATH;
  }
});

test('[wire:GROUP] closing ends the server and whatever it started, the stubborn too', async () => {
  const upstream = await world.connect(stdio('stubborn'));
  const server = Number(textOf(await upstream.request(call('pid'))));
  const grandchild = Number(textOf(await upstream.request(call('child'))));
  expect([isAlive(server), isAlive(grandchild)]).toEqual([true, true]);
  await upstream.close();
  await until(() => !isAlive(server) && !isAlive(grandchild));
});

test('[wire:GUARD] servers do not outlive a host that is killed', async () => {
  const program = fileURLToPath(new URL('../fixtures/doomed-host.ts', import.meta.url));
  const host = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pids: number[] = await new Promise((resolve) =>
    host.stdout.once('data', (chunk) => resolve(JSON.parse(String(chunk)))),
  );
  expect(pids.map(isAlive)).toEqual([true, true]);
  host.kill('SIGKILL');
  await until(() => pids.every((pid) => !isAlive(pid)));
});

test('[wire:GUARD] the guard ends with a host that ends in order', async () => {
  const program = fileURLToPath(new URL('../fixtures/doomed-host.ts', import.meta.url));
  const ended = new Promise<number>((resolve) => {
    execFile(process.execPath, [program, 'politely'], (error) => resolve(Number(error?.code ?? 0)));
  });
  expect(await ended).toBe(0);
});
