import type { Context } from 'hono';
import { Hono } from 'hono';
import { BinderyError, toBinderyError } from '../contract/errors.ts';
import { execute } from '../contract/execute.ts';
import { LIMITS } from '../contract/limits.ts';
import type { AnyOperation, BoundRoom, Call, Failures, HttpFace, HttpParts } from '../contract/operation.ts';
import type { Log } from '../contract/ports.ts';
import { toProblem } from '../contract/problem.ts';
import { coerceTexts, inputSchemaOf } from '../contract/text-input.ts';
import { matchesEtag } from './etag.ts';
import { openApiDocument } from './openapi.ts';
import { ReadyAnswers, targetOf } from './ready-answers.ts';
import { referencePage } from './reference-page.ts';

export interface HttpAppOptions {
  readonly rooms: readonly BoundRoom[];
  readonly version: string;
  readonly log: Log;
  /** Unique per request; it joins an answer with the log. */
  newRequestId(): string;
  /** Address of the socket's peer, where the server under the app knows it. */
  peerAddress?(context: Pick<Context, 'env'>): string | undefined;
  /** A request's header, where the server under the app has a quicker way to it. */
  header?(context: Pick<Context, 'env'>, name: string): string | undefined;
  /** Decides whether a Host or Origin is ours; absent: every one is. */
  acceptsHost?(host: string | undefined, origin: string | undefined): boolean;
}

/** Operations → routes. The app also serves their OpenAPI document and a reference page. */
export function createHttpApp(options: HttpAppOptions): Hono {
  const app = new Hono();
  const operations = options.rooms.flatMap((bound) => bound.room.operations);

  app.use(async (context, next) => {
    if (options.acceptsHost && !options.acceptsHost(context.req.header('host'), context.req.header('origin'))) {
      return problemResponse(new BinderyError('FORBIDDEN_HOST'), options.newRequestId());
    }
    return next();
  });

  const document = JSON.stringify(openApiDocument(operations, options.version));
  const page = referencePage(operations, options.version);
  app.get('/openapi.json', () => new Response(document, { headers: { 'content-type': 'application/json' } }));
  app.get('/reference', (context) => context.html(page));

  const ready = new ReadyAnswers();
  for (const { room, deps } of options.rooms) {
    for (const operation of room.operations) {
      if (operation.http) mount(app, operation, operation.http, deps, options, ready);
    }
  }
  answerAtOnce(app, ready, options);
  refuseOtherMethods(app, operations, options);
  app.notFound(() => problemResponse(new BinderyError('ROUTE_NOT_FOUND'), options.newRequestId()));
  app.onError((thrown) => {
    const requestId = options.newRequestId();
    options.log.error('request failed', { request_id: requestId, error: thrown });
    return problemResponse(toBinderyError(thrown), requestId);
  });
  return app;
}

/** Problem as a response, with the headers that its code asks for. */
export function problemResponse(
  error: BinderyError,
  requestId: string,
  failures?: Failures,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const retryAfter = error.members.retry_after_seconds;
  const problem = toProblem(error, requestId, failures);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(typeof retryAfter === 'number' ? { 'retry-after': String(retryAfter) } : {}),
      ...failures?.headers?.(error),
      ...headers,
    },
  });
}

function mount(
  app: Hono,
  operation: AnyOperation,
  face: HttpFace<unknown, unknown>,
  deps: unknown,
  options: HttpAppOptions,
  ready: ReadyAnswers,
) {
  app.on(face.method, honoPath(face.path), async (context) => {
    const requestId = options.newRequestId();
    const headers = new Map<string, string>();
    try {
      const readParts = await receiveParts(context, face);
      const readInput = () => {
        const parts = readParts();
        return face.read ? face.read(parts) : defaultInput(operation, parts);
      };
      const executed = await execute(operation, readInput, deps, httpCall(context, requestId, options, headers));
      const response = outputResponse(context, face, executed, headers);
      if (face.basis && response.status === 200 && context.req.method === 'GET') {
        const { text } = executed;
        const own = outputHeaders(face, executed);
        ready.keep(targetOf(context.req.url), { operation, face, deps, text, headers: own });
      }
      return response;
    } catch (thrown) {
      const error = toBinderyError(thrown, operation.failures.internal);
      if (error.code === operation.failures.internal) {
        options.log.error('operation failed', { operation: operation.id, request_id: requestId, error: error.cause });
      }
      return problemResponse(error, requestId, operation.failures, Object.fromEntries(headers));
    }
  });
}

function outputResponse(
  context: Context,
  face: HttpFace<unknown, unknown>,
  executed: { output: unknown; input: unknown; text: string },
  set: ReadonlyMap<string, string>,
): Response {
  const meta = face.meta?.(executed.output, executed.input) ?? {};
  const { 'content-type': type, ...own } = outputHeaders(face, executed);
  const headers = { ...own, ...Object.fromEntries(set) };
  if (own.etag && matchesEtag(context.req.header('if-none-match'), own.etag))
    return new Response(null, { status: 304, headers });
  return new Response(executed.text, {
    status: meta.status ?? 200,
    headers: { ...headers, 'content-type': type ?? '' },
  });
}

function outputHeaders(
  face: HttpFace<unknown, unknown>,
  executed: { output: unknown; input: unknown },
): Record<string, string> {
  const etag = face.etag?.(executed.output);
  return {
    'content-type': face.contentType ?? 'application/json',
    ...face.meta?.(executed.output, executed.input).headers,
    ...(etag ? { etag } : {}),
  };
}

/** Puts what is ready in front of the routes, behind the same look at Host and Origin. */
function answerAtOnce(app: Hono, ready: ReadyAnswers, options: HttpAppOptions): void {
  const route = app.fetch;
  app.fetch = (request, env, executionContext) => {
    if (request.method === 'GET') {
      const context = { env };
      const header = (name: string) =>
        options.header ? options.header(context, name) : (request.headers.get(name) ?? undefined);
      const isPlain = header('if-none-match') === undefined;
      if (isPlain && (options.acceptsHost?.(header('host'), header('origin')) ?? true)) {
        const answer = ready.find(targetOf(request.url), () => ({
          face: 'http',
          requestId: options.newRequestId(),
          get signal() {
            return request.signal;
          },
          header,
          peerAddress: options.peerAddress?.(context),
          progress: () => {},
        }));
        if (answer) return answer;
      }
    }
    return route(request, env, executionContext);
  };
}

function defaultInput(operation: AnyOperation, parts: HttpParts): unknown {
  if (
    parts.body !== undefined &&
    (typeof parts.body !== 'object' || parts.body === null || Array.isArray(parts.body))
  ) {
    return parts.body;
  }
  const texts: Record<string, string | string[]> = { ...parts.params };
  for (const name of new Set(parts.query.keys())) texts[name] = parts.query.getAll(name);
  return { ...parts.body, ...coerceTexts(inputSchemaOf(operation.input), texts) };
}

/** Receives the whole request; what it returns parses the body, which the caller may never be admitted to. */
async function receiveParts(context: Context, face: HttpFace<unknown, unknown>): Promise<() => HttpParts> {
  const hasBody = face.method === 'POST' || face.method === 'PUT' || face.method === 'PATCH';
  const bytes = hasBody ? await readBody(context, face.bodyBytesMax ?? LIMITS.httpBodyBytesMax) : undefined;
  return () => ({
    params: context.req.param() as Record<string, string>,
    get query() {
      return new URL(context.req.url).searchParams;
    },
    body: bytes && parseJson(bytes),
    header: (name) => context.req.header(name),
  });
}

async function readBody(context: Context, bytesMax: number): Promise<Uint8Array> {
  if (Number(context.req.header('content-length') ?? 0) > bytesMax) throw new BinderyError('PAYLOAD_TOO_LARGE');
  const type = context.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new BinderyError('UNSUPPORTED_MEDIA_TYPE');
  // A declared length binds the sender: no stream is needed to count what comes.
  if (context.req.header('content-length') !== undefined) return new Uint8Array(await context.req.raw.arrayBuffer());
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

function httpCall(context: Context, requestId: string, options: HttpAppOptions, headers: Map<string, string>): Call {
  return {
    face: 'http',
    requestId,
    signal: context.req.raw.signal,
    header: (name) => context.req.header(name),
    peerAddress: options.peerAddress?.(context),
    setHeader: (name, value) => headers.set(name, value),
    progress: () => {},
  };
}

function refuseOtherMethods(app: Hono, operations: readonly AnyOperation[], options: HttpAppOptions): void {
  const routes = new Map<string, { allowed: Set<string>; failures: Failures }>();
  for (const { http, failures } of operations) {
    if (!http) continue;
    const route = routes.get(http.path) ?? { allowed: new Set(), failures };
    routes.set(http.path, route);
    route.allowed.add(http.method);
    if (http.method === 'GET') route.allowed.add('HEAD');
  }
  for (const [path, { allowed, failures }] of routes) {
    app.all(honoPath(path), () => {
      const response = problemResponse(new BinderyError('METHOD_NOT_ALLOWED'), options.newRequestId(), failures);
      response.headers.set('allow', [...allowed].join(', '));
      return response;
    });
  }
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
