import { BinderyError, ERRORS } from '../../contract/errors.ts';
import { isObject, parseJson } from '../../contract/json.ts';
import { asBuffer } from '../../wire/json-scan.ts';
import type { RpcError } from '../../wire/messages.ts';
import { RPC } from '../../wire/revisions.ts';
import { namedPages } from '../../wire/server-question.ts';
import type { RawAnswer } from '../../wire/upstream.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { errorBytes, idText } from '../message/answers.ts';
import type { ClientRequest } from '../message/client.ts';

/**
 * The error of an answer, its message at a length that a client can display; undefined if the answer has none. Throws `UPSTREAM_ERROR`
 * if a member has the wrong type.
 */
export function readServerError({ bytes, envelope: { error } }: RawAnswer): ServerError | undefined {
  if (!error) return undefined;
  const value = parseJson(asBuffer(bytes).toString('utf8', error.start, error.end));
  if (!isObject(value) || !Number.isSafeInteger(value.code) || typeof value.message !== 'string')
    throw malformed('the error has no whole number as its code, or no text as its message');
  const message = shortened(value.message);
  const data = theirData(value.data);
  const isChanged = message !== value.message || data !== value.data;
  return { code: value.code as number, message, data, isChanged };
}

interface ServerError extends RpcError {
  /** Whether it differs from what the server sent. */
  readonly isChanged: boolean;
}

/** The `data` of a server's error. Clients tell our errors by their `code` there: a server's own one is put under `upstream`. */
export function theirData(data: unknown): unknown {
  if (!isObject(data) || typeof data.code !== 'string' || !Object.hasOwn(ERRORS, data.code)) return data;
  const { code, ...others } = data;
  return { ...others, upstream: { code } };
}

/** An error with changes of ours, or with the server's name on its pages. Undefined for others, which are forwarded as bytes. */
export function rewrittenError(
  answer: RawAnswer,
  request: ClientRequest,
  asker: string | undefined,
): Uint8Array | undefined {
  const error = readServerError(answer);
  if (!error) return undefined;
  const { code, message, data, isChanged } = error;
  if (!isChanged && code !== RPC.urlElicitationRequired) return undefined;
  return errorBytes(idText(request), code, message, errorData(asker, code, data));
}

/** The `data` of a server's error. Adds the server's name to pages that it asks a person to open. */
export function errorData(asker: string | undefined, code: number, data: unknown): unknown {
  return code === RPC.urlElicitationRequired ? namedPages(asker, data) : data;
}

export function malformed(detail: string): BinderyError {
  return new BinderyError('UPSTREAM_ERROR', { detail });
}

/** A cut message is longer than the limit by the mark of the cut. */
function shortened(message: string): string {
  const { errorMessageCharsMax } = PROXY_LIMITS;
  return message.length > errorMessageCharsMax
    ? `${message.slice(0, errorMessageCharsMax).toWellFormed()}\u2026`
    : message;
}
