import type { Context } from 'hono';
import { Hono } from 'hono';
import { BinderyError, toBinderyError } from '../contract/errors.ts';
import { type Executed, execute } from '../contract/execute.ts';
import { LIMITS } from '../contract/limits.ts';
import type { AnyOperation, BoundRoom, Call, Failures, HttpFace, HttpParts } from '../contract/operation.ts';
import type { Log } from '../contract/ports.ts';
import { toProblem } from '../contract/problem.ts';
import { coerceTexts, inputSchemaOf } from '../contract/text-input.ts';
import { matchesEtag } from './etag.ts';
import { type HttpAnswer, KeptAnswers } from './kept-answers.ts';
import { openApiDocument } from './openapi.ts';
import { referencePage } from './reference-page.ts';

export interface HttpAppOptions {
  readonly rooms: readonly BoundRoom[];
  readonly version: string;
  readonly log: Log;
  /** Unique per request; it joins an answer with the log. */
  newRequestId(): string;
  /** Address of the socket's peer, where the server under the app knows it. */
  peerAddress?(context: Context): string | undefined;
  /** Refuses a caller without the credential that the operation needs, by throwing. */
  authorize?(operation: AnyOperation, call: Call): void;
  /** Decides whether a Host or Origin is ours; absent: every one is. */
  acceptsHost?(host: string | undefined, origin: string | undefined): boolean;
}

/** Operations → routes. The app also serves their OpenAPI document and a reference page. */
export function createHttpApp(options: HttpAppOptions): Hono {
  const app = new Hono();
  const operations = options.rooms.flatMap((bound) => bound.room.operations);

  const document = JSON.stringify(openApiDocument(operations, options.version));
  const page = referencePage(operations, options.version);
  app.get('/openapi.json', () => new Response(document, { headers: { 'content-type': 'application/json' } }));
  app.get('/reference', (context) => context.html(page));

  for (const { room, deps } of options.rooms) {
    for (const operation of room.operations) {
      if (operation.http) mount(app, operation, operation.http, deps, options);
    }
  }
  const routes = routesOf(operations);
  app.notFound((context) => refuseRoute(routes, context.req.path, options.newRequestId()));
  app.onError((thrown) => {
    const requestId = options.newRequestId();
    options.log.error('request failed', { request_id: requestId, error: thrown });
    return problemResponse(toBinderyError(thrown), requestId);
  });
  guardHost(app, options);
  return app;
}

/** Problem as a response, with the headers that its code asks for. */
export function problemResponse(error: BinderyError, requestId: string, failures?: Failures): Response {
  const retryAfter = error.members.retry_after_seconds;
  const problem = toProblem(error, requestId, failures);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(typeof retryAfter === 'number' ? { 'retry-after': String(retryAfter) } : {}),
      ...failures?.headers?.(error),
    },
  });
}

function mount(
  app: Hono,
  operation: AnyOperation,
  face: HttpFace<unknown, unknown>,
  deps: unknown,
  options: HttpAppOptions,
) {
  const kept = face.keep && new KeptAnswers(face.keep, deps);
  app.on(face.method, honoPath(face.path), (context) => {
    const call = new HttpCall(context, options);
    const respond = (executed: Executed) => {
      const answer = toAnswer(face, executed);
      kept?.add(context.req.url, call, answer);
      return call.withHeaders(answerResponse(call, answer));
    };
    const refuse = (thrown: unknown) => {
      const error = toBinderyError(thrown, operation.failures.internal);
      if (error.code === operation.failures.internal) {
        const fields = { operation: operation.id, request_id: call.requestId, error: error.cause };
        options.log.error('operation failed', fields);
      }
      return call.withHeaders(problemResponse(error, call.requestId, operation.failures));
    };
    // The body is parsed when the caller has been admitted, which may be never.
    const run = (bytes: Uint8Array | undefined) => {
      const readInput = () => {
        const parts = partsOf(context, call, bytes);
        return face.read ? face.read(parts) : defaultInput(operation, face, parts);
      };
      return execute(operation, readInput, deps, call);
    };
    try {
      options.authorize?.(operation, call);
      const known = kept?.find(context.req.url, call);
      if (known) {
        operation.admit?.(deps, call);
        return call.withHeaders(answerResponse(call, known));
      }
      const executed = hasBody(face) ? readBody(context, face).then(run) : run(undefined);
      // Where nothing waits, neither does the answer: a promise is a good part of what a small request costs.
      return executed instanceof Promise ? executed.then(respond).catch(refuse) : respond(executed);
    } catch (thrown) {
      return refuse(thrown);
    }
  });
}

function toAnswer(face: HttpFace<unknown, unknown>, { output, input, text }: Executed): HttpAnswer {
  const meta = face.meta?.(output, input) ?? {};
  const etag = face.etag?.(output);
  const headers: Record<string, string> = { ...meta.headers, ...(etag ? { etag } : {}) };
  headers['content-type'] ??= face.contentType ?? 'application/json';
  const body = face.streams ? (output as ReadableStream<Uint8Array>) : text;
  return { status: meta.status ?? 200, headers, text: body, etag };
}

function answerResponse(call: Call, { status, headers, text, etag }: HttpAnswer): Response {
  if (etag === undefined || !matchesEtag(call.header('if-none-match'), etag)) {
    return new Response(text, { status, headers });
  }
  const { 'content-type': _, ...others } = headers;
  return new Response(null, { status: 304, headers: others });
}

function defaultInput(operation: AnyOperation, face: HttpFace<unknown, unknown>, parts: HttpParts): unknown {
  if (
    face.body === undefined &&
    parts.body !== undefined &&
    (typeof parts.body !== 'object' || parts.body === null || Array.isArray(parts.body))
  ) {
    return parts.body;
  }
  const texts: Record<string, string | string[]> = { ...parts.params };
  for (const name of new Set(parts.query.keys())) texts[name] = parts.query.getAll(name);
  for (const [name, header] of Object.entries(face.headers ?? {})) {
    const text = parts.header(header);
    if (text !== undefined) texts[name] = text;
  }
  const body = face.body === undefined ? parts.body : { [face.body]: parts.body };
  return { ...(body as object | undefined), ...coerceTexts(inputSchemaOf(operation.input), texts) };
}

function hasBody(face: HttpFace<unknown, unknown>): boolean {
  return face.method === 'POST' || face.method === 'PUT' || face.method === 'PATCH';
}

function partsOf(context: Context, call: Call, bytes: Uint8Array | undefined): HttpParts {
  const { url } = context.req;
  const queryAt = url.indexOf('?');
  return {
    params: context.req.param() as Record<string, string>,
    query: new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt)),
    body: bytes && parseJson(bytes),
    header: (name) => call.header(name),
  };
}

async function readBody(context: Context, face: HttpFace<unknown, unknown>): Promise<Uint8Array> {
  const bytesMax = face.bodyBytesMax ?? LIMITS.httpBodyBytesMax;
  if (Number(context.req.header('content-length') ?? 0) > bytesMax) throw new BinderyError('PAYLOAD_TOO_LARGE');
  const type = context.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new BinderyError('UNSUPPORTED_MEDIA_TYPE');
  return readBounded(context.req.raw, bytesMax);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new BinderyError('MALFORMED_JSON', { cause });
  }
}

async function readBounded(request: Request, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > bytesMax) throw new BinderyError('PAYLOAD_TOO_LARGE');
    chunks.push(chunk);
  }
  if (chunks.length === 1) return chunks[0] as Uint8Array;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/** A call through HTTP. What most calls never ask for is made when it is asked for. */
class HttpCall implements Call {
  readonly face = 'http';
  readonly #context: Context;
  readonly #options: HttpAppOptions;
  #requestId: string | undefined;
  #headers: Map<string, string> | undefined;

  constructor(context: Context, options: HttpAppOptions) {
    this.#context = context;
    this.#options = options;
  }

  get requestId(): string {
    this.#requestId ??= this.#options.newRequestId();
    return this.#requestId;
  }

  get signal(): AbortSignal {
    return this.#context.req.raw.signal;
  }

  get peerAddress(): string | undefined {
    return this.#options.peerAddress?.(this.#context);
  }

  header(name: string): string | undefined {
    return requestHeader(this.#context.req.raw, this.#context.env, name);
  }

  setHeader(name: string, value: string): void {
    this.#headers ??= new Map();
    this.#headers.set(name, value);
  }

  withHeaders(response: Response): Response {
    for (const [name, value] of this.#headers ?? []) response.headers.set(name, value);
    return response;
  }

  progress(): void {}
}

/** A header of the request, from the Node server's own list where there is one: an object of all headers costs more than a small answer. */
function requestHeader(request: Request, env: unknown, name: string): string | undefined {
  const { incoming } = (env ?? {}) as { incoming?: { rawHeaders: readonly string[] } };
  if (!incoming) return request.headers.get(name) ?? undefined;
  const { rawHeaders } = incoming;
  let value: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] as string;
    if (header.length !== name.length || header.toLowerCase() !== name.toLowerCase()) continue;
    const text = rawHeaders[index + 1] as string;
    value = value === undefined ? text : `${value}, ${text}`;
  }
  return value;
}

/** Refuses a foreign Host or Origin before anything else; as middleware it would put every route into a chain of promises. */
function guardHost(app: Hono, { acceptsHost, newRequestId }: HttpAppOptions): void {
  if (!acceptsHost) return;
  const { fetch } = app;
  app.fetch = (request, env, executionContext) => {
    const [host, origin] = [requestHeader(request, env, 'host'), requestHeader(request, env, 'origin')];
    return acceptsHost(host, origin)
      ? fetch(request, env, executionContext)
      : problemResponse(new BinderyError('FORBIDDEN_HOST'), newRequestId());
  };
}

interface Route {
  readonly pattern: RegExp;
  readonly allowed: Set<string>;
  readonly failures: Failures;
}

function routesOf(operations: readonly AnyOperation[]): readonly Route[] {
  const routes = new Map<string, Route>();
  for (const { http, failures } of operations) {
    if (!http) continue;
    const pattern = new RegExp(`^${http.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    const { allowed } = routes.get(http.path) ?? { allowed: new Set() };
    routes.set(http.path, { pattern, allowed: allowed.add(http.method), failures });
    if (http.method === 'GET') allowed.add('HEAD');
  }
  return [...routes.values()];
}

/** A path that nobody serves, or that is served for other methods only; the room whose path it is says so in its own way. */
function refuseRoute(routes: readonly Route[], path: string, requestId: string): Response {
  const matching = routes.filter(({ pattern }) => pattern.test(path));
  const [first] = matching;
  if (!first) return problemResponse(new BinderyError('ROUTE_NOT_FOUND'), requestId);
  const response = problemResponse(new BinderyError('METHOD_NOT_ALLOWED'), requestId, first.failures);
  response.headers.set('allow', [...new Set(matching.flatMap(({ allowed }) => [...allowed]))].join(', '));
  return response;
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
