import { type Context, Hono } from 'hono';
import { BinderyError, isStoreFailure, toBinderyError } from '../contract/errors.ts';
import { type Executed, execute } from '../contract/execute.ts';
import type { AnyOperation, BoundRoom, Call, Failures, HttpFace, HttpParts } from '../contract/operation.ts';
import type { Log } from '../contract/ports.ts';
import { toProblem } from '../contract/problem.ts';
import { coerceTexts, inputSchemaOf } from '../contract/text-input.ts';
import { matchesEtag } from './etag.ts';
import { type HttpAnswer, KeptAnswers, NOT_FOUND } from './kept-answers.ts';
import { openApiDocument } from './openapi.ts';
import { readBody } from './read-body.ts';
import { referencePage } from './reference-page.ts';
import { requestHeader } from './request-header.ts';

export interface HttpAppOptions {
  readonly rooms: readonly BoundRoom[];
  readonly version: string;
  readonly log: Log;
  /** Unique per request; connects an answer with the log. */
  newRequestId(): string;
  /** Address of the socket's peer, if the server under the app knows it. */
  peerAddress?(context: Context): string | undefined;
  /** Throws if the caller lacks the credential that the operation needs. Returns a promise only if it has to wait. */
  authorize?(operation: AnyOperation, call: Call): void | Promise<void>;
  /** Throws if a body has too many parts to be parsed; absent: every body is parsed. */
  checkBody?(bytes: Uint8Array): void;
  /** Decides whether a Host or Origin is ours; absent: all are accepted. */
  acceptsHost?(host: string | undefined, origin: string | undefined): boolean;
  /** Path prefixes besides the operations that pages of any origin may read. */
  readonly crossOriginPaths?: readonly string[];
}

/** Operations → routes. The app also serves their OpenAPI document and a reference page. */
export function createHttpApp(options: HttpAppOptions): Hono {
  const app = new Hono();
  const operations = options.rooms.flatMap((bound) => bound.room.operations);

  // Created on first use: the schemas of all operations cost more than the rest of the start.
  let document: string | undefined;
  let page: string | undefined;
  app.get('/openapi.json', () => {
    document ??= JSON.stringify(openApiDocument(operations, options.version));
    return new Response(document, { headers: { 'content-type': 'application/json' } });
  });
  app.get('/reference', (context) => {
    page ??= referencePage(operations, options.version);
    return context.html(page);
  });

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
  guardHost(app, options, crossOriginRoutes(operations, options.crossOriginPaths));
  return app;
}

/** A problem as a response, with the headers for its code. */
export function problemResponse(
  error: BinderyError,
  requestId: string,
  failures?: Failures,
  headers?: Readonly<Record<string, string>>,
): Response {
  const problem = toProblem(error, requestId, failures);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { ...problemHeaders(error, failures), ...headers },
  });
}

function problemHeaders(error: BinderyError, failures?: Failures): Record<string, string> {
  const retryAfter = error.members.retry_after_seconds;
  return {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    ...(typeof retryAfter === 'number' ? { 'retry-after': String(retryAfter) } : {}),
    ...(error.row.http === UNAUTHORIZED ? { 'www-authenticate': 'Bearer' } : {}),
    ...failures?.headers?.(error),
  };
}

const UNAUTHORIZED = 401;
/** Placeholder for the request id in a cached problem. */
const SOME_ID = '{request id}';

/** A cacheable problem that differs between requests only in its id; undefined if the position of the id is ambiguous. */
function problemAnswer(error: BinderyError, failures: Failures): HttpAnswer | undefined {
  const problem = toProblem(error, SOME_ID, failures);
  const [before, after, ...others] = JSON.stringify(problem).split(JSON.stringify(SOME_ID));
  if (after === undefined || others.length > 0) return undefined;
  const text = (requestId: string) => `${before}${JSON.stringify(requestId)}${after}`;
  return { status: problem.status, headers: problemHeaders(error, failures), text, etag: undefined };
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
      return answerResponse(call, answer);
    };
    const refuse = (thrown: unknown) => {
      const error = toBinderyError(thrown, operation.failures.internal);
      if (error.code === operation.failures.internal || isStoreFailure(error.cause)) {
        const fields = { operation: operation.id, request_id: call.requestId, error: error.cause };
        options.log.error('operation failed', fields);
      }
      const answer = kept && error.row.http === NOT_FOUND ? problemAnswer(error, operation.failures) : undefined;
      if (answer) kept?.add(context.req.url, call, answer);
      return problemResponse(error, call.requestId, operation.failures, call.answerHeaders);
    };
    // Parse the body only after the caller was admitted.
    const run = (bytes: Uint8Array | undefined) => {
      const readInput = () => {
        if (bytes && !face.hasManyMembers) options.checkBody?.(bytes);
        const parts = partsOf(context, call, bytes);
        return face.read ? face.read(parts) : defaultInput(operation, face, parts);
      };
      return execute(operation, readInput, deps, call);
    };
    // Stays synchronous if nothing waits: a promise is a large part of the cost of a small request.
    const serve = () => {
      const known = kept?.find(context.req.url, call);
      if (known) {
        operation.admit?.(deps, call);
        return answerResponse(call, known);
      }
      const executed = hasBody(face) ? readBody(context, face).then(run) : run(undefined);
      return executed instanceof Promise ? executed.then(respond).catch(refuse) : respond(executed);
    };
    try {
      const admitted = options.authorize?.(operation, call);
      return admitted instanceof Promise ? admitted.then(serve).catch(refuse) : serve();
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

function answerResponse(call: HttpCall, { status, headers, text, etag }: HttpAnswer): Response {
  const { answerHeaders } = call;
  if (etag === undefined || !matchesEtag(call.header('if-none-match'), etag)) {
    const body = typeof text === 'function' ? text(call.requestId) : text;
    return new Response(body, { status, headers: answerHeaders ? { ...headers, ...answerHeaders } : headers });
  }
  const { 'content-type': _, ...others } = headers;
  return new Response(null, { status: 304, headers: { ...others, ...answerHeaders } });
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
  const { query } = parts;
  for (const name of new Set(query.keys())) texts[name] = query.getAll(name);
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
    get params() {
      return context.req.param() as Record<string, string>;
    },
    get query() {
      return new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt));
    },
    body: bytes && parseJson(bytes),
    header: (name) => call.header(name),
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new BinderyError('MALFORMED_JSON', { cause });
  }
}

/** A call through HTTP. Rarely used values are created on demand. */
class HttpCall implements Call {
  readonly face = 'http';
  readonly #context: Context;
  readonly #options: HttpAppOptions;
  #requestId: string | undefined;
  #headers: Record<string, string | (() => string)> | undefined;

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

  setHeader(name: string, value: string | (() => string)): void {
    this.#headers ??= {};
    this.#headers[name.toLowerCase()] = value;
  }

  /** Headers that the operation set besides its output. */
  get answerHeaders(): Record<string, string> | undefined {
    if (!this.#headers) return undefined;
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(this.#headers)) {
      headers[name] = typeof value === 'string' ? value : value();
    }
    return headers;
  }

  progress(): void {}
}

/** Refuses a foreign Host or Origin first. As middleware it would put every route into a chain of promises. */
function guardHost(app: Hono, options: HttpAppOptions, isCrossOrigin: (path: string, method: string) => boolean): void {
  const { acceptsHost = () => true, newRequestId } = options;
  const { fetch } = app;
  app.fetch = (request, env, executionContext) => {
    const [host, origin] = [requestHeader(request, env, 'host'), requestHeader(request, env, 'origin')];
    // Shared caches store these answers, so they need the CORS headers even if the first reader sends no Origin.
    const isAsked = origin !== undefined || request.method === 'GET' || request.method === 'HEAD';
    const isOpen = isAsked && isCrossOrigin(new URL(request.url).pathname, request.method);
    if (isOpen && acceptsHost(host, undefined)) {
      return answerAnyOrigin(request, () => fetch(request, env, executionContext));
    }
    return acceptsHost(host, origin)
      ? fetch(request, env, executionContext)
      : problemResponse(new BinderyError('FORBIDDEN_HOST'), newRequestId());
  };
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Paths that any web page may read. If other operations write to the same path, only its reads are allowed. */
function crossOriginRoutes(
  operations: readonly AnyOperation[],
  beginnings: readonly string[] = [],
): (path: string, method: string) => boolean {
  const routes = operations.flatMap(({ http }) => (http === false ? [] : [http]));
  const open = routes
    .filter((route) => route.crossOrigin)
    .map(({ path }) => ({
      pattern: pathPattern(path),
      isShared: routes.some((other) => other.path === path && other.method !== 'GET'),
    }));
  return (path, method) =>
    beginnings.some((beginning) => path.startsWith(beginning)) ||
    open.some(({ pattern, isShared }) => pattern.test(path) && (!isShared || READS.has(method)));
}

/** Serves a read to a page of any origin, without credentials; answers a preflight. */
async function answerAnyOrigin(request: Request, serve: () => Response | Promise<Response>): Promise<Response> {
  const headers = { 'access-control-allow-origin': '*', 'access-control-allow-methods': 'GET, HEAD' };
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return new Response(null, { status: request.method === 'OPTIONS' ? 204 : 405, headers });
  }
  const response = await serve();
  return new Response(response.body, {
    status: response.status,
    headers: { ...Object.fromEntries(response.headers), ...headers },
  });
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
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
    const pattern = pathPattern(http.path);
    const { allowed } = routes.get(http.path) ?? { allowed: new Set() };
    routes.set(http.path, { pattern, allowed: allowed.add(http.method), failures });
    if (http.method === 'GET') allowed.add('HEAD');
  }
  return [...routes.values()];
}

/** The error for an unknown path, or for a known path with another method. The room that owns the path formats it. */
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
