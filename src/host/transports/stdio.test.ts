import { expect, test } from 'vitest';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { ProcessSpawner } from './process-spawner.ts';
import type { ProcessEvents, ServerCommand, ServerProcess } from './server-process.ts';
import { StdioTransport } from './stdio.ts';

/** Shows how what it starts is read. */
class WatchedGuard extends ProcessSpawner {
  events: ProcessEvents | undefined;

  override start(command: ServerCommand, events: ProcessEvents): Promise<ServerProcess> {
    this.events = events;
    return super.start(command, events);
  }
}

/** A server that reads and says nothing. */
async function startSilent(spawner: ProcessSpawner): Promise<StdioTransport> {
  const transport = new StdioTransport(
    { id: 'silent', transport: 'stdio', command: process.execPath, args: ['-e', 'process.stdin.resume()'], cwd: '/' },
    { environment: process.env, spawner, redact: (text) => text },
  );
  await transport.start();
  return transport;
}

test('[wire:HOSTILE] a throttled server is read in small pieces, except within a dropped line', async () => {
  const spawner = new WatchedGuard();
  const transport = await startSilent(spawner);
  const { events } = spawner;
  const isNoisy = () => events?.isNoisy?.();
  const quiet = isNoisy();
  transport.restMs = () => 5;
  const noisy = isNoisy();
  transport.onOversized = () => true;
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  for (let bytes = 0; bytes <= LIMITS.messageBytesMax; bytes += megabyte.length) events?.onOutput(megabyte);
  expect([quiet, noisy, isNoisy(), events?.restMs?.(1)]).toEqual([false, true, false, 0]);
  await transport.close();
  spawner.close();
});

test('[wire:HOSTILE] an error while handling a message closes the connection of its server, with the reason', async () => {
  const spawner = new WatchedGuard();
  const transport = await startSilent(spawner);
  const taken: string[] = [];
  transport.onMessage = (bytes) => {
    taken.push(Buffer.from(bytes).toString());
    throw new RangeError('Maximum call stack size exceeded');
  };
  const lost = new Promise((resolve) => {
    transport.onClose = resolve;
  });
  spawner.events?.onOutput(Buffer.from('{"first":1}\n{"second":2}\n'));
  expect([await lost, taken]).toMatchObject([
    { kind: 'bad_answer', message: 'the server sent a message that cannot be processed' },
    ['{"first":1}'],
  ]);
  await transport.close();
  spawner.close();
});

test('a line on stdout that is no message is kept for the logs, and told until a message follows', async () => {
  const spawner = new WatchedGuard();
  const transport = await startSilent(spawner);
  const say = (text: string) => spawner.events?.onOutput(Buffer.from(text));
  say('NOT JSON {{{\u001b[2J\n');
  spawner.events?.onErrorOutput(Buffer.from('on stderr'));
  const first = transport.noise;
  say('{"level":30}\n');
  const second = transport.noise;
  say('{"jsonrpc":"2.0","method":"notifications/x"}\n');
  expect([first, second, transport.noise]).toEqual(['NOT JSON {{{\\u{1B}[2J', '{"level":30}', undefined]);
  expect(transport.stderr).toBe(
    'on stderr\n(stdout, not MCP) NOT JSON {{{\\u{1B}[2J\n(stdout, not MCP) {"level":30}\n',
  );
  await transport.close();
  spawner.close();
});
