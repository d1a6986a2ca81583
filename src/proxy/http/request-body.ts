import type { IncomingMessage } from 'node:http';
import { toBinderyError } from '../../contract/errors.ts';
import { incomingBodies, leaveBody } from '../../contract/incoming-bodies.ts';
import { RPC } from '../../wire/revisions.ts';
import type { PlainPost } from '../fast-path/plain-posts.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { RpcFailure } from '../message/answers.ts';

/**
 * The body of a request; a plain post already has it. A body that arrived with its head is complete after one microtask, without
 * events.
 */
export async function readBody(request: IncomingMessage | PlainPost): Promise<Uint8Array> {
  const { 'content-type': type, 'content-length': declared } = request.headers;
  if (type !== 'application/json' && type?.split(';')[0]?.trim().toLowerCase() !== 'application/json')
    throw new RpcFailure(RPC.invalidRequest, 'Content-Type must be application/json', { httpStatus: 415 });
  if ('body' in request) return request.body;
  const length = Number(declared ?? Number.NaN);
  if (length > PROXY_LIMITS.bodyBytesMax) throw tooLarge(request);
  await undefined;
  return request.readableLength === length ? (request.read() ?? NO_BODY) : collectBody(request);
}

const NO_BODY = Buffer.alloc(0);

/** Collects the body from events: an async iterator costs several promises per request. */
function collectBody(request: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const body = incomingBodies.begin(PROXY_LIMITS.bodyBytesMax, (error) => {
      request.off('data', take);
      leaveBody(request);
      reject(error);
    });
    const take = (chunk: Buffer) => {
      try {
        body.add(chunk);
      } catch (thrown) {
        request.off('data', take);
        reject(toBinderyError(thrown).code === 'PAYLOAD_TOO_LARGE' ? tooLarge(request) : thrown);
      }
    };
    request.on('data', take);
    request.on('end', () => resolve(body.end()));
    request.on('error', reject);
    request.on('close', () => body.drop());
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
