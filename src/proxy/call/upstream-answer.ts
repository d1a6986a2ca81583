import { BinderyError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import { sha256Hex } from '../../gateway/audit/chain.ts';
import { releaseBuffer } from '../../wire/buffer-pool.ts';
import { asBuffer, OPEN_BRACE, type Span } from '../../wire/json-scan.ts';
import { decodeAnswer, type Envelope } from '../../wire/messages.ts';
import { RPC } from '../../wire/revisions.ts';
import { areSafeRequests, namedInputRequests, namedPages } from '../../wire/server-question.ts';
import type { RawAnswer } from '../../wire/upstream.ts';
import { errorBytes, idText, RpcFailure, readdressed, resultBytes } from '../message/answers.ts';
import type { ClientRequest } from '../message/client.ts';
import type { Forwarded } from './client-call.ts';

/** A server's answer for a client of the same revision: the server's bytes under the client's id. */
export function passedAnswer(answer: RawAnswer, request: ClientRequest, asker: string | undefined): Forwarded {
  const { bytes, envelope } = answer;
  if (!envelope.id) throw new RpcFailure(RPC.internalError, 'the answer has no id');
  const { isError, isRpcError, resultType } = inspect(bytes, envelope);
  const digest = digestOf(bytes);
  const ours = namedAnswer(answer, request, asker, resultType) ?? readdressed(bytes, envelope.id, request);
  if (ours.buffer !== bytes.buffer) releaseBuffer(bytes);
  return { bytes: ours, digest, isError, isRpcError, resultType };
}

/** Adds the server's name to an answer that asks a person something. Undefined for other answers, which are forwarded as bytes. */
function namedAnswer(
  { bytes, envelope: { result, error } }: RawAnswer,
  request: ClientRequest,
  asker: string | undefined,
  resultType: string | undefined,
): Uint8Array | undefined {
  const parsedAt = ({ start, end }: Span): unknown => JSON.parse(asBuffer(bytes).toString('utf8', start, end));
  if (result && resultType === 'input_required') {
    const value = parsedAt(result) as JsonObject;
    const { inputRequests } = value;
    if (!areSafeRequests(inputRequests)) throw new BinderyError('UPSTREAM_ERROR', { detail: UNSAFE_QUESTION });
    // A bare profile adds nothing to its server's answers.
    if (asker === undefined) return undefined;
    const named = inputRequests === undefined ? {} : { inputRequests: namedInputRequests(asker, inputRequests) };
    return resultBytes(request, JSON.stringify({ ...value, ...named }));
  }
  if (!error || !asBuffer(bytes).includes(PAGE_REQUIRED)) return undefined;
  const { code, message, data } = parsedAt(error) as { code: number; message: string; data?: unknown };
  return errorBytes(idText(request), code, message, errorData(asker, code, data));
}

/** The `data` of a server's error. Adds the server's name to pages that it asks a person to open. */
export function errorData(asker: string | undefined, code: number, data: unknown): unknown {
  return code === RPC.urlElicitationRequired ? namedPages(asker, data) : data;
}

const UNSAFE_QUESTION =
  'the server asks a person to open an address that has a password or is neither https nor on this machine, or with names that do not show as they are';
const PAGE_REQUIRED = String(RPC.urlElicitationRequired);

/** The audit fields about a server's bytes. */
function digestOf(bytes: Uint8Array): Forwarded['digest'] {
  return { result_bytes: bytes.length, result_sha256: sha256Hex(bytes) };
}

/** Reads the kind of the answer from the members found with the envelope, so a large answer is not decoded. */
function inspect(bytes: Uint8Array, envelope: Envelope): Pick<Forwarded, 'isError' | 'isRpcError' | 'resultType'> {
  refuseAmbiguous(bytes, envelope);
  const { kind, resultKind } = envelope;
  const isRpcError = kind === 'error';
  if (isRpcError || !resultKind || resultKind.size === 0) return { isError: false, isRpcError, resultType: undefined };
  const buffer = asBuffer(bytes);
  const value = (span: Span | undefined): unknown => span && JSON.parse(buffer.toString('utf8', span.start, span.end));
  return inspectDecoded({
    isError: value(resultKind.get('isError')),
    resultType: value(resultKind.get('resultType')),
  });
}

/** Refuses a result whose kind two parsers would read differently: it could be recorded as one kind and read as another. */
function refuseAmbiguous(bytes: Uint8Array, { result, resultKind }: Envelope): void {
  if (result && !resultKind && bytes[result.start] === OPEN_BRACE)
    throw new BinderyError('UPSTREAM_ERROR', {
      detail: 'the result is no JSON, or has isError or resultType more than once, also in another case',
    });
}

function inspectDecoded(result: JsonObject): Pick<Forwarded, 'isError' | 'isRpcError' | 'resultType'> {
  const resultType = result.resultType;
  return {
    isError: result.isError === true,
    isRpcError: false,
    resultType: typeof resultType === 'string' ? resultType : undefined,
  };
}

/** Decodes the result of an answer for a client of the other revision. */
export function decodedResult(answer: RawAnswer): JsonObject {
  refuseAmbiguous(answer.bytes, answer.envelope);
  const decoded = decodeAnswer(answer.bytes, answer.envelope);
  if (decoded.kind === 'result') return decoded.result;
  if (decoded.kind === 'error')
    throw new RpcFailure(decoded.error.code, decoded.error.message, { data: decoded.error.data });
  throw new RpcFailure(RPC.internalError, 'the server sent a malformed answer');
}

export function forwardedResult(request: ClientRequest, upstreamBytes: Uint8Array, result: JsonObject): Forwarded {
  return {
    bytes: resultBytes(request, JSON.stringify(result)),
    digest: digestOf(upstreamBytes),
    ...inspectDecoded(result),
  };
}
