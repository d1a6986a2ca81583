import { expect, test } from 'vitest';
import { z } from 'zod';
import { BinderyError } from '../contract/errors.ts';
import { defaultFailures } from '../contract/execute.ts';
import { bindRoom, defineOperation, READ_ONLY } from '../contract/operation.ts';
import { exampleRoom } from '../contract/testing/example-room.ts';
import { createMemoryLog } from '../contract/testing/memory-log.ts';
import { createHttpApp } from './app.ts';

const log = createMemoryLog();
const app = createHttpApp({
  rooms: [bindRoom(exampleRoom, { factor: 10 })],
  version: '1.2.3',
  log,
  newRequestId: () => 'request-1',
  acceptsHost: (_host, origin) => origin === undefined || origin === 'http://localhost',
});

const post = (body: string, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  app.request('/v1/example', { method: 'POST', body, headers });

async function summary(response: Response) {
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: text === '' ? '' : JSON.parse(text),
  };
}

test('a query is coerced by the schema, and repeated parameters are a list', async () => {
  const response = await app.request('/v1/example/apples?numbers=1&numbers=2&negate=true');
  expect(response.headers.get('cache-control')).toBe('public, max-age=60');
  expect(await summary(response)).toEqual({
    status: 200,
    type: 'application/json',
    body: { unit: 'apples', numbers: [-10, -20] },
  });
});

test('an equal entity tag is answered with 304 and no body', async () => {
  for (const tag of ['"10"', 'W/"10"', '"a", "10"', '*']) {
    const response = await app.request('/v1/example/a?numbers=1', { headers: { 'if-none-match': tag } });
    expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', '"10"']);
  }
  expect((await app.request('/v1/example/a?numbers=1', { headers: { 'if-none-match': '"11"' } })).status).toBe(200);
});

test('bad input is a problem that names each member', async () => {
  expect(await summary(await app.request('/v1/example/apples?numbers=x&other=1'))).toEqual({
    status: 400,
    type: 'application/problem+json',
    body: {
      type: '/reference#INVALID_ARGUMENTS',
      title: 'The input is not valid',
      status: 400,
      code: 'INVALID_ARGUMENTS',
      detail: '/numbers/0: must be a number; /other: is not a known member',
      errors: [
        { pointer: '/numbers/0', keyword: 'type', message: 'must be a number' },
        { pointer: '/other', keyword: 'additionalProperties', message: 'is not a known member' },
      ],
      request_id: 'request-1',
    },
  });
});

test('a body is read as JSON, and the status follows from the output', async () => {
  expect(await summary(await post('{"name":"x"}'))).toEqual({
    status: 201,
    type: 'application/json',
    body: { stored: 'x' },
  });
});

test.each([
  ['not JSON', '{', { 'content-type': 'application/json' }, 400, 'MALFORMED_JSON'],
  ['not UTF-8 JSON type', '{"name":"x"}', { 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['not an object', '[1]', { 'content-type': 'application/json' }, 400, 'INVALID_ARGUMENTS'],
  ['too large', `{"name":"${'x'.repeat(64)}"}`, { 'content-type': 'application/json' }, 413, 'PAYLOAD_TOO_LARGE'],
])('a body that is %s is refused', async (_name, body, headers, status, code) => {
  const answer = await summary(await post(body, headers));
  expect([answer.status, answer.body.code]).toEqual([status, code]);
});

test('an error of the table keeps its detail and members', async () => {
  expect((await summary(await post('{"name":"taken"}'))).body).toMatchObject({
    code: 'PORT_IN_USE',
    detail: 'that name',
    name: 'taken',
  });
});

test('an unexpected error discloses no internal text, and is logged under the request id', async () => {
  const { body } = await summary(await post('{"name":"broken"}'));
  expect(body).toEqual({
    type: '/reference#INTERNAL',
    title: 'Internal error',
    status: 500,
    code: 'INTERNAL',
    request_id: 'request-1',
  });
  expect(log.lines.at(-1)).toEqual({
    level: 'error',
    message: 'operation failed',
    fields: { operation: 'example.store', request_id: 'request-1', error: new Error('a secret path') },
  });
});

test('an unknown path, a wrong method and a foreign origin have their own answers', async () => {
  expect((await summary(await app.request('/nowhere'))).body.code).toBe('ROUTE_NOT_FOUND');
  const wrong = await app.request('/v1/example', { method: 'DELETE' });
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
  const foreign = await app.request('/v1/example/a', { headers: { origin: 'http://evil.example' } });
  expect((await summary(foreign)).body.code).toBe('FORBIDDEN_HOST');
});

test('the OpenAPI document has every route with its input and output', async () => {
  const { body } = await summary(await app.request('/openapi.json'));
  expect(body.openapi).toBe('3.1.0');
  expect(Object.keys(body.paths)).toEqual(['/v1/example/{unit}', '/v1/example']);
  expect(
    body.paths['/v1/example/{unit}'].get.parameters.map((item: { name: string; in: string }) => [item.name, item.in]),
  ).toEqual([
    ['unit', 'path'],
    ['numbers', 'query'],
    ['negate', 'query'],
  ]);
});

test('the reference page shows each operation and each error', async () => {
  const page = await (await app.request('/reference')).text();
  for (const text of ['GET /v1/example/{unit}', 'bindery example scale', 'INVALID_ARGUMENTS', 'cache_missing']) {
    expect(page).toContain(text);
  }
});

test('an answer that follows from URL and version is made once, until the version changes', async () => {
  let version = 1;
  let runs = 0;
  const operation = defineOperation({
    id: 'example.kept',
    summary: 'Counts how often it runs.',
    input: z.object({ word: z.string() }),
    output: z.object({ runs: z.int() }),
    hints: READ_ONLY,
    http: { method: 'GET', path: '/v1/kept', keep: { headers: ['accept'], version: () => version } },
    mcp: false,
    cli: false,
    failures: defaultFailures,
    run: ({ word }) => {
      runs += 1;
      if (word === 'bad') throw new BinderyError('CANCELLED');
      return { runs };
    },
  });
  const kept = createHttpApp({
    rooms: [bindRoom({ name: 'example', summary: '', operations: [operation] }, {})],
    version: '1.2.3',
    log,
    newRequestId: () => 'request-1',
  });
  const ask = async (query: string, accept = '*/*') =>
    (await kept.request(`/v1/kept?${query}`, { headers: { accept } })).text();
  expect([await ask('word=a'), await ask('word=a'), await ask('word=b'), await ask('word=a', 'text/html')]).toEqual([
    '{"runs":1}',
    '{"runs":1}',
    '{"runs":2}',
    '{"runs":3}',
  ]);
  await ask('word=bad');
  await ask('word=bad');
  version = 2;
  expect(await ask('word=a')).toBe('{"runs":6}');
});

test('a missing item is looked up once per version, and each answer has its own request id', async () => {
  let version = 1;
  let runs = 0;
  const operation = defineOperation({
    id: 'example.absent',
    summary: 'Finds nothing.',
    input: z.object({ word: z.string() }),
    output: z.object({}),
    hints: READ_ONLY,
    http: { method: 'GET', path: '/v1/absent', keep: { headers: [], version: () => version } },
    mcp: false,
    cli: false,
    failures: defaultFailures,
    run: ({ word }) => {
      runs += 1;
      throw new BinderyError('ROUTE_NOT_FOUND', { detail: word });
    },
  });
  let requests = 0;
  const absent = createHttpApp({
    rooms: [bindRoom({ name: 'example', summary: '', operations: [operation] }, {})],
    version: '1.2.3',
    log,
    newRequestId: () => {
      requests += 1;
      return `request-${requests}`;
    },
  });
  const ask = async (word: string) => {
    const response = await absent.request(`/v1/absent?word=${encodeURIComponent(word)}`);
    const problem = (await response.json()) as Record<string, unknown>;
    return [response.status, response.headers.get('content-type'), problem] as const;
  };
  const [first, second] = [await ask('a'), await ask('a')];
  expect([first[2].request_id, second[2].request_id, runs]).toEqual(['request-1', 'request-2', 1]);
  expect(second).toEqual([first[0], first[1], { ...first[2], request_id: 'request-2' }]);
  // Text of the asker that looks like the place of the id is never taken for it.
  await ask('{request id}');
  expect((await ask('{request id}'))[2]).toMatchObject({ detail: '{request id}', request_id: 'request-4' });
  version = 2;
  await ask('a');
  expect(runs).toBe(4);
});

test('an output that is a stream is sent as it comes, and the document says that it is text', async () => {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const operation = defineOperation({
    id: 'example.follow',
    summary: 'Follow.',
    input: z.strictObject({ from: z.string().optional() }),
    output: z.custom<ReadableStream<Uint8Array>>(),
    hints: READ_ONLY,
    http: {
      method: 'GET',
      path: '/v1/follow',
      headers: { from: 'last-event-id' },
      streams: true,
      contentType: 'text/event-stream',
    },
    mcp: false,
    cli: false,
    failures: defaultFailures,
    run: ({ from }) =>
      new ReadableStream<Uint8Array>({
        start(opened) {
          controller = opened;
          opened.enqueue(Buffer.from(`from ${from}\n`));
        },
      }),
  });
  const streaming = createHttpApp({
    rooms: [bindRoom({ name: 'example', summary: 'x', operations: [operation] }, {})],
    version: '1',
    log,
    newRequestId: () => 'r',
  });
  const response = await streaming.request('/v1/follow', { headers: { 'last-event-id': '7' } });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const first = await reader.read();
  controller?.enqueue(Buffer.from('more'));
  const second = await reader.read();
  expect([
    response.headers.get('content-type'),
    ...[first, second].map(({ value }) => String(value && Buffer.from(value))),
  ]).toEqual(['text/event-stream', 'from 7\n', 'more']);
  const { paths } = (await (await streaming.request('/openapi.json')).json()) as {
    paths: Record<string, { get: { responses: Record<string, unknown> } }>;
  };
  expect(paths['/v1/follow']?.get.responses[200]).toMatchObject({
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  });
});
