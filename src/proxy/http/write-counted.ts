import { ServerResponse } from 'node:http';
import { type UnreadReason, unsentAnswers } from '../../contract/unsent-answers.ts';
import type { EdgeResponse } from './edge-exchange.ts';

type OnUnread = ((reason: UnreadReason) => void) | undefined;

/** Writes a part of a stream, counted among what waits until its client has taken it. */
export function writeCounted(response: EdgeResponse, bytes: Uint8Array, onUnread: OnUnread): void {
  counted(response, bytes.length, onUnread, (done) => response.write(bytes, done));
}

/** Ends a response with an answer, counted likewise; `done` is called when its bytes are no longer needed. */
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
  // The operating system took all of it at once: nothing is queued.
  if (isSent || response.destroyed || response.writableLength === 0) return;
  release = unsentAnswers.add(response.req.socket, bytes, onUnread);
  // Node's responses do not call back for what they still hold when they are destroyed; plain ones do.
  if (response instanceof ServerResponse) closingOf(response).add(release);
}

const closings = new WeakMap<ServerResponse, Set<() => void>>();

/** What is released when a response is closed: one listener, however much is written to it. */
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
