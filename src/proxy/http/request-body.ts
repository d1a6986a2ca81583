import type { IncomingMessage } from 'node:http';
import { toBinderyError } from '../../contract/errors.ts';
import { incomingBodies, leaveBody } from '../../contract/incoming-bodies.ts';
import { RPC } from '../../wire/revisions.ts';
import { heavyTurns } from '../../wire/turns.ts';
import type { PlainPost } from '../fast-path/plain-posts.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { RpcFailure } from '../message/answers.ts';
import type { EdgeRequest } from './edge-request.ts';
import { largeRequests } from './large-requests.ts';

/**
 * The body of a request; a plain post already has it. A body that arrived with its head is complete after one microtask, without
 * events. A large body waits for a turn of its own: many that arrive together would hold the event loop one after the other.
 */
export async function readBody(request: IncomingMessage | PlainPost): Promise<Uint8Array> {
  const { 'content-type': type, 'content-length': declared } = request.headers;
  if (type !== 'application/json' && type?.split(';')[0]?.trim().toLowerCase() !== 'application/json')
    throw new RpcFailure(RPC.invalidRequest, 'Content-Type must be application/json', { httpStatus: 415 });
  if ('body' in request) return inTurn(request.body);
  const length = Number(declared ?? Number.NaN);
  if (length > PROXY_LIMITS.bodyBytesMax) throw tooLarge(request);
  await undefined;
  return request.readableLength === length ? inTurn(request.read() ?? NO_BODY) : collectBody(request);
}

/** Serves a request with a large body when there is memory for it, and others at once. */
export function inBudget(
  request: IncomingMessage | PlainPost,
  { caller, response }: Pick<EdgeRequest, 'caller' | 'response'>,
  serve: () => Promise<void>,
): Promise<void> {
  const bytes = largeBytes(request);
  if (bytes === 0) return serve();
  return largeRequests.enter(caller.name, bytes).then((leave) =>
    // A client that left in the meantime is not served.
    (response.destroyed ? Promise.resolve() : serve()).finally(leave),
  );
}

/** The bytes that the body may need; 0 if it is small. */
function largeBytes(request: IncomingMessage | PlainPost): number {
  const bytes = 'body' in request ? request.body.length : (declaredBytes(request) ?? PROXY_LIMITS.bodyBytesMax);
  return bytes > PROXY_LIMITS.largeBodyBytes ? Math.min(bytes, PROXY_LIMITS.bodyBytesMax) : 0;
}

/** Undefined if the body comes in chunks of any number. */
function declaredBytes({ headers: { 'content-length': length } }: IncomingMessage): number | undefined {
  return length === undefined ? undefined : Number(length);
}

function inTurn(body: Uint8Array): Uint8Array | Promise<Uint8Array> {
  return isHeavy(body.length) ? heavyTurns.next().then(() => body) : body;
}

function isHeavy(bytes: number): boolean {
  return bytes > PROXY_LIMITS.heavyBodyBytes;
}

const NO_BODY = Buffer.alloc(0);

/** Collects the body from events: an async iterator costs several promises per request. */
function collectBody(request: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const giveUp = (error: unknown) => {
      request.off('data', take);
      leaveBody(request);
      reject(error);
    };
    const body = incomingBodies.begin(PROXY_LIMITS.bodyBytesMax, giveUp, declaredBytes(request));
    const take = (chunk: Buffer) => {
      try {
        body.add(chunk);
      } catch (thrown) {
        request.off('data', take);
        reject(toBinderyError(thrown).code === 'PAYLOAD_TOO_LARGE' ? tooLarge(request) : thrown);
      }
    };
    request.on('data', take);
    let isComplete = false;
    request.on('end', () => {
      isComplete = true;
      resolve(inTurn(body.end()));
    });
    request.on('error', reject);
    request.on('close', () => {
      if (!isComplete) body.drop();
    });
  });
}

/** Discards the rest of the body, up to a limit, so that the client reads the refusal. */
function tooLarge(request: IncomingMessage): RpcFailure {
  let left = PROXY_LIMITS.discardedBytesMax;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.socket.destroy();
  });
  return new RpcFailure(RPC.invalidRequest, 'The body is too large', { httpStatus: 413 });
}
