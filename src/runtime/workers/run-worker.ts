import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NO_NAMES } from '../../host/connection/supervision/named-endpoint.ts';
import { startedWith } from '../assembly-options.ts';
import type { EndedCall } from '../audit/call-recorder.ts';
import { GatewayAssembly } from '../gateway-assembly.ts';
import { type AccessControlOptions, accessControl } from '../http/access-control.ts';
import type { UpFlags, UpSettings } from '../up-settings.ts';
import { type FromWorker, type ToWorker, WORKER_ENV } from './messages.ts';
import { workerServer } from './worker-server.ts';

const COUNTS_EVERY_MS = 250;
const LOOK_EVERY_MS = 20;

export interface WorkerOptions extends AccessControlOptions {
  readonly flags: UpFlags;
  onListening(port: number): void;
}

/**
 * One of several processes behind one address. It serves calls that any process can serve alike, with its own audit chain, and
 * forwards everything else to the primary.
 */
export async function runWorker(settings: UpSettings, options: WorkerOptions): Promise<void> {
  const { flags, onListening } = options;
  const ended: EndedCall[] = [];
  const runtime = new GatewayAssembly({
    ...startedWith(settings),
    // Only the primary resolves names, because it owns their servers.
    names: NO_NAMES,
    builtins: [],
    follower: {
      workers: Number(process.env[WORKER_ENV.workers]),
      policyFiles: JSON.parse(process.env[WORKER_ENV.policyFiles] ?? '[]') as string[],
      onEnded: (call) => ended.push(call),
    },
  });
  await runtime.start();
  const control = accessControl(runtime, settings, options);
  const server = workerServer(runtime, control, process.env[WORKER_ENV.socket] as string);
  const counting = setInterval(() => {
    if (ended.length > 0) tell({ kind: 'calls', calls: ended.splice(0) });
  }, COUNTS_EVERY_MS);
  const drained = untilDrained(runtime, settings);
  await listen(server, flags, onListening);
  await drained;
  runtime.drain();
  server.close();
  server.closeIdleConnections();
  // Forwarded requests end with the primary; wait only for calls of this process.
  while (runtime.runningCalls() > 0) await new Promise((next) => setTimeout(next, LOOK_EVERY_MS));
  clearInterval(counting);
  tell({ kind: 'calls', calls: ended.splice(0) });
  await runtime.close();
  // Let pending answers be sent.
  await Promise.race([once(server, 'close'), new Promise((next) => setTimeout(next, 1_000).unref())]);
  process.disconnect?.();
}

/** Handles messages of the primary until it sends `drain` or disconnects. */
function untilDrained(runtime: GatewayAssembly, { log }: UpSettings): Promise<void> {
  return new Promise((drain) => {
    process.on('message', (message: ToWorker) => {
      if (message.kind === 'drain') drain();
      else if (message.kind === 'session-ended') runtime.sessions.table.forget(message.session);
      else if (message.kind === 'cancelled') runtime.sessions.table.cancel(message.session, message.requestId);
      else if (message.kind === 'policy-accepted') {
        runtime.acceptPolicy().catch((error: unknown) => log.error('the policy could not be read', { error }));
      } else runtime.reloadRegistry().catch((error: unknown) => log.error('the registry could not be read', { error }));
    });
    process.once('disconnect', drain);
    // The primary receives the signal as well, and sends `drain`.
    process.on('SIGTERM', () => {});
    process.on('SIGINT', () => {});
  });
}

async function listen(server: Server, flags: UpFlags, onListening: (port: number) => void): Promise<void> {
  server.listen(Number(flags.port), flags.host);
  try {
    await once(server, 'listening');
    onListening((server.address() as AddressInfo).port);
  } catch (thrown) {
    tell({ kind: 'cannot-listen', code: (thrown as NodeJS.ErrnoException).code ?? '' });
  }
}

function tell(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}
