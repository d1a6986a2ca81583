import type { JsonObject } from '../../contract/json.ts';
import { sha256Hex } from '../../gateway/audit/chain.ts';
import { releaseBuffer } from '../../wire/buffer-pool.ts';
import { asBuffer, OPEN_BRACE, type Span } from '../../wire/json-scan.ts';
import { decodeAnswer, type Envelope } from '../../wire/messages.ts';
import { RPC } from '../../wire/revisions.ts';
import type { Era, RawAnswer } from '../../wire/upstream.ts';
import { RpcFailure, readdressed, resultBytes } from '../message/answers.ts';
import type { Forwarded } from './client-call.ts';
import { inputRequired, taskQuestions } from './input-required.ts';
import type { OutgoingCall } from './outgoing-call.ts';
import { malformed, readServerError, rewrittenError } from './server-error.ts';

/** A server's answer for a client of the same revision: the server's bytes under the client's id. */
export function passedAnswer(answer: RawAnswer, call: OutgoingCall, era: Era): Forwarded {
  const { request } = call;
  const { bytes, envelope } = answer;
  if (!envelope.id) throw new RpcFailure(RPC.internalError, 'the answer has no id');
  const { isError, isRpcError, resultType } = inspect(bytes, envelope);
  if (era === '2025') refuseForeignKind(resultType);
  const digest = digestOf(bytes);
  const ours =
    askingAnswer(answer, call, era === '2026' ? (resultType ?? 'complete') : undefined) ??
    readdressed(bytes, envelope.id, request);
  if (ours.buffer !== bytes.buffer) releaseBuffer(bytes);
  return { bytes: ours, digest, isError, isRpcError, resultType };
}

/**
 * An answer that asks a person something, with the server's name. Undefined for other answers, which are forwarded as bytes.
 * `resultType` is undefined for servers of revision 2025-11-25, whose results cannot ask.
 */
function askingAnswer(answer: RawAnswer, call: OutgoingCall, resultType: string | undefined): Uint8Array | undefined {
  const { request, options } = call;
  const { result, resultKind } = answer.envelope;
  const asks = resultType === 'input_required' || (resultType !== undefined && resultKind?.has('inputRequests'));
  if (result && asks) {
    const value = JSON.parse(asBuffer(answer.bytes).toString('utf8', result.start, result.end)) as JsonObject;
    const asking = resultType === 'input_required' ? inputRequired(value, call) : taskQuestions(value, call);
    return resultBytes(request, JSON.stringify(asking));
  }
  return rewrittenError(answer, request, options.asker);
}

/** Refuses a kind of result that revision 2025-11-25 does not have: a 2026 client would read it as a question or a task. */
export function refuseForeignKind(resultType: unknown): void {
  if (resultType === undefined || resultType === 'complete') return;
  throw malformed('the result is of a kind that the revision of the server lacks');
}

/** The audit fields about a server's bytes. */
function digestOf(bytes: Uint8Array): Forwarded['digest'] {
  return { result_bytes: bytes.length, result_sha256: sha256Hex(bytes) };
}

/** Reads the kind of the answer from the members found with the envelope, so a large answer is not decoded. */
function inspect(bytes: Uint8Array, envelope: Envelope): Pick<Forwarded, 'isError' | 'isRpcError' | 'resultType'> {
  refuseMalformed(bytes, envelope);
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

/** Refuses a result that is no object, or whose kind two parsers would read differently: it could be recorded as another kind. */
function refuseMalformed(bytes: Uint8Array, { result, resultKind }: Envelope): void {
  if (!result) return;
  if (bytes[result.start] !== OPEN_BRACE) throw malformed('the result is no object');
  if (!resultKind)
    throw malformed(
      'the result is no JSON, or has isError, resultType or inputRequests more than once, also in another case',
    );
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
  refuseMalformed(answer.bytes, answer.envelope);
  const decoded = decodeAnswer(answer.bytes, answer.envelope);
  if (decoded.kind === 'result') return decoded.result;
  const error = readServerError(answer);
  if (!error) throw malformed('the answer is neither a result nor an error');
  throw new RpcFailure(error.code, error.message, { data: error.data });
}

export function forwardedResult(
  request: OutgoingCall['request'],
  upstreamBytes: Uint8Array,
  result: JsonObject,
): Forwarded {
  return {
    bytes: resultBytes(request, JSON.stringify(result)),
    digest: digestOf(upstreamBytes),
    ...inspectDecoded(result),
  };
}
