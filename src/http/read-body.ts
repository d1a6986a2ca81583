import type { Context } from 'hono';
import { BinderyError } from '../contract/errors.ts';
import { collectStream, incomingBodies, leaveBody } from '../contract/incoming-bodies.ts';
import { LIMITS } from '../contract/limits.ts';
import type { HttpFace } from '../contract/operation.ts';
import { requestHeader } from './request-header.ts';

/** The Node server's own request, if there is one. */
interface Incoming {
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end' | 'error' | 'close', listener: () => void): unknown;
  off(event: string, listener: (...values: never[]) => void): unknown;
  once(event: 'close', listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
  readonly socket: { destroy(): unknown };
}

/** Reads a JSON body; refuses it by length or type before or while reading. */
export function readBody(context: Context, face: HttpFace<unknown, unknown>): Promise<Uint8Array> {
  const bytesMax = face.bodyBytesMax ?? LIMITS.httpBodyBytesMax;
  const header = (name: string) => requestHeader(context.req.raw, context.env, name);
  if (Number(header('content-length') ?? 0) > bytesMax) throw new BinderyError('PAYLOAD_TOO_LARGE');
  const type = header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new BinderyError('UNSUPPORTED_MEDIA_TYPE');
  const { incoming } = (context.env ?? {}) as { incoming?: Incoming };
  return incoming ? readIncoming(incoming, bytesMax) : collectStream(context.req.raw.body, bytesMax);
}

/** Reads the Node stream directly: the web stream around it costs several times as much as a small body. */
function readIncoming(incoming: Incoming, bytesMax: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      incoming.off('data', onData);
      incoming.off('end', onEnd);
      incoming.off('error', onBroken);
      incoming.off('close', onBroken);
      body.drop();
    };
    const body = incomingBodies.begin(bytesMax, (error) => {
      stop();
      leaveBody(incoming);
      reject(error);
    });
    const onData = (chunk: Uint8Array) => {
      try {
        body.add(chunk);
      } catch (thrown) {
        stop();
        incoming.pause();
        reject(thrown);
      }
    };
    const onEnd = () => {
      const whole = body.end();
      stop();
      resolve(whole);
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
