import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LIMITS } from '../../contract/limits.ts';
import { unsentAnswers } from '../../contract/unsent-answers.ts';

export interface WriteLimits {
  readonly writeMs: number;
  readonly writeBytesPerSecondMin: number;
  readonly unsentLookEveryMs: number;
}

interface Progress {
  /** Bytes of writes that were sent completely. */
  readonly taken: number;
  readonly since: number;
}

/**
 * Closes connections whose clients do not read, whatever was written: an answer, a page or a stream. The deadline of a write grows
 * with the unsent bytes. Call it after all other listeners for connections are attached.
 */
export function watchUnsent(server: Server, limits: WriteLimits = LIMITS): void {
  const sockets = new Set<Socket>();
  const slow = new Map<Socket, Progress>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      slow.delete(socket);
    });
  });
  const looking = setInterval(() => {
    for (const socket of sockets) look(socket, slow, limits);
  }, limits.unsentLookEveryMs);
  looking.unref();
  server.once('close', () => clearInterval(looking));
}

function look(socket: Socket, slow: Map<Socket, Progress>, limits: WriteLimits): void {
  const unsent = socket.writableLength;
  if (unsent === 0) {
    slow.delete(socket);
    return;
  }
  const taken = socket.bytesWritten - unsent;
  const before = slow.get(socket);
  const now = performance.now();
  if (before?.taken !== taken) slow.set(socket, { taken, since: now });
  else if (now - before.since > writeDeadlineMs(unsent, limits)) unsentAnswers.giveUp(socket, 'deadline');
}

/** The deadline for sending this many bytes. */
function writeDeadlineMs(bytes: number, { writeMs, writeBytesPerSecondMin }: WriteLimits): number {
  return writeMs + (bytes / writeBytesPerSecondMin) * 1_000;
}

/** Counts the answer to an API request as unsent as soon as it is complete. */
export function countUnsent(response: ServerResponse): void {
  response.once('prefinish', () => {
    const bytes = response.writableLength;
    if (bytes > 0) response.once('close', unsentAnswers.add(response.req.socket, bytes));
  });
}
