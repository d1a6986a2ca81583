import { ServerResponse } from 'node:http';
import { type UnreadReason, unsentAnswers } from '../../contract/unsent-answers.ts';
import type { EdgeResponse } from './edge-exchange.ts';

type OnUnread = ((reason: UnreadReason) => void) | undefined;

/** Writes a part of a stream and counts its bytes as unsent until the client has taken them. */
export function writeCounted(response: EdgeResponse, bytes: Uint8Array, onUnread: OnUnread): void {
  counted(response, bytes.length, onUnread, (done) => response.write(bytes, done));
}

/** Ends a response with an answer, counted likewise. Calls `done` when its bytes are no longer needed. */
export function endCounted(response: EdgeResponse, answer: Uint8Array, onUnread: OnUnread, done?: () => void): void {
  counted(response, answer.length, onUnread, (sent) =>
    response.end(answer, () => {
      sent();
      done?.();
    }),
  );
}

function counted(response: EdgeResponse, bytes: number, onUnread: OnUnread, write: (done: () => void) => void): void {
  let isSent = false;
  let release: (() => void) | undefined;
  const done = () => {
    isSent = true;
    if (!release) return;
    release();
    if (response instanceof ServerResponse) closings.get(response)?.delete(release);
  };
  write(done);
  // The operating system took all bytes at once: nothing is queued.
  if (isSent || response.destroyed || response.writableLength === 0) return;
  release = unsentAnswers.add(response.req.socket, bytes, onUnread);
  // A destroyed `ServerResponse` does not call back for bytes that it still holds; plain responses do.
  if (response instanceof ServerResponse) closingOf(response).add(release);
}

const closings = new WeakMap<ServerResponse, Set<() => void>>();

/** Callbacks to run when a response is closed. One listener serves all writes. */
function closingOf(response: ServerResponse): Set<() => void> {
  const known = closings.get(response);
  if (known) return known;
  const releases = new Set<() => void>();
  closings.set(response, releases);
  response.once('close', () => {
    for (const release of releases) release();
  });
  return releases;
}
