import type { Context } from 'hono';
import { ByteParts } from '../contract/byte-parts.ts';
import { BinderyError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import type { HttpFace } from '../contract/operation.ts';
import { requestHeader } from './request-header.ts';

/** The Node server's own request, where there is one. */
interface Incoming {
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end' | 'error' | 'close', listener: () => void): unknown;
  off(event: string, listener: (...values: never[]) => void): unknown;
  pause(): unknown;
}

/** The bytes of a JSON body, refused by its length or type before or while they are read. */
export function readBody(context: Context, face: HttpFace<unknown, unknown>): Promise<Uint8Array> {
  const bytesMax = face.bodyBytesMax ?? LIMITS.httpBodyBytesMax;
  const header = (name: string) => requestHeader(context.req.raw, context.env, name);
  if (Number(header('content-length') ?? 0) > bytesMax) throw new BinderyError('PAYLOAD_TOO_LARGE');
  const type = header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new BinderyError('UNSUPPORTED_MEDIA_TYPE');
  const { incoming } = (context.env ?? {}) as { incoming?: Incoming };
  return incoming ? readIncoming(incoming, bytesMax) : readStream(context.req.raw, bytesMax);
}

/** Reads the Node stream itself: the web stream around it costs several times as much as a small body. */
function readIncoming(incoming: Incoming, bytesMax: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const parts = new ByteParts();
    let length = 0;
    const stop = () => {
      incoming.off('data', onData);
      incoming.off('end', onEnd);
      incoming.off('error', onBroken);
      incoming.off('close', onBroken);
    };
    const onData = (chunk: Uint8Array) => {
      length += chunk.byteLength;
      parts.push(chunk);
      if (length <= bytesMax) return;
      stop();
      incoming.pause();
      reject(new BinderyError('PAYLOAD_TOO_LARGE'));
    };
    const onEnd = () => {
      stop();
      resolve(parts.take());
    };
    const onBroken = () => {
      stop();
      reject(new BinderyError('CANCELLED'));
    };
    incoming.on('data', onData);
    incoming.on('end', onEnd);
    incoming.on('error', onBroken);
    incoming.on('close', onBroken);
  });
}

async function readStream(request: Request, bytesMax: number): Promise<Uint8Array> {
  const parts = new ByteParts();
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > bytesMax) throw new BinderyError('PAYLOAD_TOO_LARGE');
    parts.push(chunk);
  }
  return parts.take();
}
