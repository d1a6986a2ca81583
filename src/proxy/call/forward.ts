import { BinderyError } from '../../contract/errors.ts';
import { isObject, type JsonObject, type MessageId } from '../../contract/json.ts';
import { sha256Hex } from '../../gateway/audit/chain.ts';
import { releaseBuffer } from '../../wire/buffer-pool.ts';
import { foldCase } from '../../wire/fold-case.ts';
import { asBuffer, OPEN_BRACE, type Span } from '../../wire/json-scan.ts';
import { decodeAnswer, type Envelope, scanEnvelope } from '../../wire/messages.ts';
import { scanMembers, spliceSpans } from '../../wire/object-scan.ts';
import { oneLine } from '../../wire/one-line.ts';
import { paramHeaders, scanHeaderDeclarations } from '../../wire/param-headers.ts';
import { RPC } from '../../wire/revisions.ts';
import {
  areSafeRequests,
  isSafeQuestion,
  namedInputRequests,
  namedPages,
  namedQuestion,
} from '../../wire/server-question.ts';
import type { CallUpstream, RawRequestOptions } from '../../wire/upstream.ts';
import type { LogLevels } from '../lists/log-levels.ts';
import { errorBytes, idText, RpcFailure, readdressed, resultBytes } from '../message/answers.ts';
import type { Client, ClientRequest, Exchange } from '../message/client.ts';
import type { HeldCalls, HeldTarget } from '../sessions/held-calls.ts';
import type { ClientCall, Forwarded } from './client-call.ts';
import { outgoingRequest, type Rewrite } from './outgoing-request.ts';

export interface ForwardOptions {
  readonly timeoutMs?: number;
  readonly answerBytesMax: number;
  readonly inputSchema?: unknown;
  readonly logLevels: LogLevels;
  /** The server, as its questions name it; undefined in a bare profile, which adds nothing to what its server says. */
  readonly asker: string | undefined;
  /** Whether anybody else's calls run on the connection. */
  readonly scope?: RawRequestOptions['scope'];
  /** Where a call waits that its server holds up with a question, and what it is about. */
  readonly held: { readonly calls: HeldCalls; readonly target: HeldTarget };
}

/** A request as it goes out to a server. */
export interface OutgoingCall extends ClientCall {
  readonly rewrite: Rewrite;
  readonly options: ForwardOptions;
}

/** Passes a request on to a server of the same revision: arguments and answers as bytes, in an envelope of our own. */
export async function forwardRaw(call: OutgoingCall, upstream: CallUpstream): Promise<Forwarded> {
  const { request, rewrite, options } = call;
  const id = upstream.nextId();
  const { progressToken } = request.spans;
  const bytes = outgoingRequest(request, id, rewrite);
  const mirrored = rewrite.name ?? rewrite.uri;
  const answer = await upstream.requestRaw(
    {
      bytes,
      id,
      method: request.method,
      ...(mirrored === undefined ? {} : { name: mirrored }),
      ...(upstream.era === '2026' ? { paramHeaders: mirroredArguments(request, options.inputSchema) } : {}),
      ...(progressToken ? { progressToken: id } : {}),
    },
    rawOptions(call),
  );
  const { envelope } = answer;
  if (!envelope.id) throw new RpcFailure(RPC.internalError, 'the answer has no id');
  const { isError, isRpcError, resultType } = inspect(answer.bytes, envelope);
  const digest = digestOf(answer.bytes);
  const ours =
    namedAnswer(options.asker, request, answer.bytes, envelope, resultType) ??
    readdressed(answer.bytes, envelope.id, request);
  if (ours.buffer !== answer.bytes.buffer) releaseBuffer(answer.bytes);
  return { bytes: ours, digest, isError, isRpcError, resultType };
}

/** An answer that asks the person something, with the server's name; undefined for every other, whose bytes pass. */
function namedAnswer(
  asker: string | undefined,
  request: ClientRequest,
  bytes: Uint8Array,
  { result, error }: Envelope,
  resultType: string | undefined,
): Uint8Array | undefined {
  const parsedAt = ({ start, end }: Span): unknown => JSON.parse(asBuffer(bytes).toString('utf8', start, end));
  if (result && resultType === 'input_required') {
    const value = parsedAt(result) as JsonObject;
    const { inputRequests } = value;
    if (!areSafeRequests(inputRequests)) throw new BinderyError('UPSTREAM_ERROR', { detail: UNSAFE_QUESTION });
    // A bare profile adds nothing to what its server says.
    if (asker === undefined) return undefined;
    const named = inputRequests === undefined ? {} : { inputRequests: namedInputRequests(asker, inputRequests) };
    return resultBytes(request, JSON.stringify({ ...value, ...named }));
  }
  if (!error || !asBuffer(bytes).includes(PAGE_REQUIRED)) return undefined;
  const { code, message, data } = parsedAt(error) as { code: number; message: string; data?: unknown };
  return errorBytes(idText(request), code, message, errorData(asker, code, data));
}

/** What a server's error says besides; pages that it sends a person to have its name. */
export function errorData(asker: string | undefined, code: number, data: unknown): unknown {
  return code === RPC.urlElicitationRequired ? namedPages(asker, data) : data;
}

const UNSAFE_QUESTION =
  'the server asks a person to open an address that has a password or is neither https nor on this machine, or with names that do not show as they are';
const PAGE_REQUIRED = String(RPC.urlElicitationRequired);

/** A question of a server as its client gets it. */
export function questionFor({ asker }: Pick<ForwardOptions, 'asker'>, method: string, params: JsonObject): JsonObject {
  return asker === undefined ? params : namedQuestion(asker, method, params);
}

/** What is recorded of a server's bytes. */
function digestOf(bytes: Uint8Array): Forwarded['digest'] {
  return { result_bytes: bytes.length, result_sha256: sha256Hex(bytes) };
}

/** How the messages that come before the answer reach the client, and its answers the server. */
export function rawOptions({ client, request, exchange, options }: OutgoingCall): RawRequestOptions {
  const token = progressTokenOf(request);
  return {
    signal: exchange.signal,
    answerBytesMax: options.answerBytesMax,
    ...(exchange.origin ? { origin: exchange.origin } : {}),
    scope: options.scope,
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    ...(token === undefined ? {} : { onProgress: (bytes) => passProgress(exchange, bytes, token) }),
    onNotification: (_notification, bytes) => exchange.send(oneLine(bytes)),
    onServerRequest: ({ method, params }, signal) => {
      if (!isAskable(client, method, params))
        return Promise.reject(new RpcFailure(RPC.methodNotFound, `Method not found: ${method}`));
      return exchange.ask(method, questionFor(options, method, params ?? {}), signal);
    },
  };
}

/** Whether a client declared that it can be asked this. */
export function isAskable({ capabilities }: Client, method: string, params: JsonObject = {}): boolean {
  switch (method) {
    case 'elicitation/create':
      // A client that ignores case would read another mode than the one that was checked.
      if (Object.keys(params).some((name) => name !== 'mode' && foldCase(name) === 'mode')) return false;
      if (!isSafeQuestion(method, params)) return false;
      return isElicitable(capabilities.elicitation, params.mode === 'url' ? 'url' : 'form');
    case 'sampling/createMessage':
      return capabilities.sampling !== undefined;
    case 'roots/list':
      return capabilities.roots !== undefined;
    default:
      return false;
  }
}

/** A client that names no mode can show forms: that is what elicitation was before it had modes. */
function isElicitable(declared: unknown, mode: 'form' | 'url'): boolean {
  if (!isObject(declared)) return false;
  return declared[mode] !== undefined || (mode === 'form' && declared.url === undefined);
}

export function progressTokenOf({ params }: ClientRequest): MessageId | undefined {
  const meta = params?._meta;
  const token = isObject(meta) ? meta.progressToken : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/** Members that speak of the answer's kind were found with its envelope; of a large answer nothing else is decoded. */
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

/** A result whose kind two parsers would read in two ways must not be recorded as one and read as the other. */
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
export function decodedResult(answer: { bytes: Uint8Array; envelope: Parameters<typeof decodeAnswer>[1] }): JsonObject {
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

/** Headers that a tool's schema asks for are made from the arguments, never copied from the client's request. */
export function mirroredArguments({ params }: ClientRequest, inputSchema: unknown): Record<string, string> {
  const scan = headerDeclarations(inputSchema);
  return scan.valid ? paramHeaders(scan.declarations, isObject(params?.arguments) ? params.arguments : undefined) : {};
}

const scanned = new WeakMap<object, ReturnType<typeof scanHeaderDeclarations>>();

/** What a schema says of headers; a schema is scanned once. */
function headerDeclarations(inputSchema: unknown): ReturnType<typeof scanHeaderDeclarations> {
  if (!isObject(inputSchema)) return scanHeaderDeclarations(inputSchema);
  const known = scanned.get(inputSchema);
  if (known) return known;
  const scan = scanHeaderDeclarations(inputSchema);
  scanned.set(inputSchema, scan);
  return scan;
}

/**
 * Passes progress on under the token that the client gave. Only the parameters are the server's own: whoever found the token in
 * them has read them. Progress that names its token twice could be read in two ways, and is left out.
 */
export function passProgress(exchange: Exchange, bytes: Uint8Array, token: MessageId): void {
  const params = scanEnvelope(bytes)?.params;
  const given = params && scanMembers(bytes, params, PROGRESS_TOKEN)?.get('progressToken');
  if (!given) return;
  const changes = [
    { span: { start: 0, end: params.start }, value: PROGRESS_HEAD },
    { span: given, value: JSON.stringify(token) },
    { span: { start: params.end, end: bytes.length }, value: '}' },
  ];
  exchange.send(oneLine(spliceSpans(bytes, changes)));
}

const PROGRESS_TOKEN = ['progressToken'];
const PROGRESS_HEAD = '{"jsonrpc":"2.0","method":"notifications/progress","params":';
