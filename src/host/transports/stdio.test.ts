import { expect, test } from 'vitest';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { Guard } from './guard.ts';
import type { ProcessEvents, ServerCommand, ServerProcess } from './server-process.ts';
import { StdioTransport } from './stdio.ts';

/** Shows how what it starts is read. */
class WatchedGuard extends Guard {
  events: ProcessEvents | undefined;

  override start(command: ServerCommand, events: ProcessEvents): Promise<ServerProcess> {
    this.events = events;
    return super.start(command, events);
  }
}

test('[wire:HOSTILE] who is to be read slowly is read in small pieces, but not within a line that is dropped', async () => {
  const guard = new WatchedGuard();
  const transport = new StdioTransport(
    { id: 'cat', transport: 'stdio', command: process.execPath, args: ['-e', 'process.stdin.resume()'] },
    { environment: process.env, guard, redact: (text) => text },
  );
  await transport.start();
  const { events } = guard;
  const isNoisy = () => events?.isNoisy?.();
  const quiet = isNoisy();
  transport.restMs = () => 5;
  const noisy = isNoisy();
  transport.onOversized = () => true;
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  for (let bytes = 0; bytes <= LIMITS.messageBytesMax; bytes += megabyte.length) events?.onOutput(megabyte);
  expect([quiet, noisy, isNoisy(), events?.restMs?.(1)]).toEqual([false, true, false, LIMITS.droppedRestMs]);
  await transport.close();
  guard.close();
});
