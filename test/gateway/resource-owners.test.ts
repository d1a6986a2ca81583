import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { HttpFixture, legacyHttp } from '../fixtures/servers/http-server.ts';
import { openSession } from '../support/raw-client.ts';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  until,
  untilKnown,
} from '../support/running-bindery.ts';

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

interface Lists {
  uris: string[];
  templates: string[];
}

/** A server with resources that says who it is, and answers nothing before it is let go. */
async function serveResources(name: string, lists: Lists, opened: Promise<void> = Promise.resolve()) {
  const answer = legacyHttp((reply) => {
    const { method, params } = reply.seen.message ?? {};
    const results: Record<string, object> = {
      initialize: {
        ...params,
        serverInfo: { name, version: '1' },
        capabilities: { tools: {}, resources: {}, completions: {} },
      },
      'resources/list': { resources: lists.uris.map((uri) => ({ uri, name })) },
      'resources/templates/list': { resourceTemplates: lists.templates.map((uriTemplate) => ({ uriTemplate, name })) },
      'resources/read': { contents: [{ uri: params?.uri, text: name }] },
      'completion/complete': {
        completion: { values: [name, JSON.stringify((params as { ref?: object } | undefined)?.ref)] },
      },
    };
    const result = results[method ?? ''];
    if (result) reply.result(result);
    return result !== undefined;
  });
  const server = await new HttpFixture((reply) => void opened.then(() => answer(reply))).listen();
  ending.push(() => server.close());
  return { transport: 'http', url: server.url };
}

const config = (servers: object) => ({ version: 1, mcp: { servers } });

async function start(home: BinderyHome): Promise<RunningBindery> {
  const bindery = await startBindery(home);
  ending.push(() => bindery.stop('SIGKILL'));
  return bindery;
}

async function homeWith(servers: object): Promise<BinderyHome> {
  const home = await createHome(config(servers));
  ending.push(() => home.remove());
  return home;
}

/** Which server answers for a URI. */
async function readers(bindery: RunningBindery, ...uris: string[]) {
  const session = await openSession(bindery.mcpUrl);
  const answers = await Promise.all(uris.map((uri) => session.request('resources/read', { uri })));
  return answers.map(({ result }) => (result as { contents?: { text: string }[] } | undefined)?.contents?.[0]?.text);
}

async function listed(bindery: RunningBindery) {
  const session = await openSession(bindery.mcpUrl);
  const { result } = await session.request('resources/list');
  return (result as { resources: { uri: string; name: string }[] }).resources.map(({ name, uri }) => `${name} ${uri}`);
}

test('a server that is added later takes nothing over, also after a restart, and that is shown [gateway:N5]', async () => {
  const notesLists = { uris: ['note://1'], templates: ['page://{id}'] };
  const notes = await serveResources('notes', notesLists);
  const aaa = await serveResources('aaa', { uris: ['note://1', 'page://7', 'own://1'], templates: ['page://{id}'] });
  const home = await homeWith({ notes });
  const first = await start(home);
  await untilKnown(first, 'notes');
  await home.writeConfig(config({ notes, aaa }));
  await untilKnown(first, 'aaa');
  const uris = ['note://1', 'page://7', 'own://1', 'bindery://aaa/note%3A%2F%2F1', 'bindery://aaa/page://9'];
  const expected = ['notes', 'notes', 'aaa', 'aaa', 'aaa'];
  expect(await readers(first, ...uris)).toEqual(expected);
  expect(await listed(first)).toEqual([
    'aaa bindery://aaa/note%3A%2F%2F1',
    'aaa bindery://aaa/page%3A%2F%2F7',
    'aaa own://1',
    'notes note://1',
  ]);
  const { body } = await first.api('GET', '/v1/servers/aaa');
  expect(body).toMatchObject({
    reason: 'lists 3 resources that notes had first',
    conflicts: [
      { kind: 'resource', name: 'note://1', owner: 'notes' },
      { kind: 'resource', name: 'page://7', owner: 'notes' },
      { kind: 'template', name: 'page://{id}', owner: 'notes' },
    ],
  });
  await until('the log says so', () =>
    first.stderr().includes('a server lists a resource that belongs to another server'),
  );
  const session = await openSession(first.mcpUrl);
  const complete = async (uri: string) => {
    const params = { ref: { type: 'ref/resource', uri }, argument: { name: 'id', value: '' } };
    const { result } = await session.request('completion/complete', params);
    return (result as { completion: { values: string[] } }).completion.values;
  };
  const ref = '{"type":"ref/resource","uri":"page://{id}"}';
  expect([await complete('page://{id}'), await complete('bindery://aaa/page://{id}')]).toEqual([
    ['notes', ref],
    ['aaa', ref],
  ]);
  await first.stop();
  expect(await readers(await start(home), ...uris)).toEqual(expected);
});

const OFF = 'SERVER_UNAVAILABLE: The server cannot be reached';

test.each([
  [
    'an untrusted entry of the same name',
    { mcp: { servers: { good: { transport: 'http', url: 'http://127.0.0.1:9/' } } } },
  ],
  ['an entry that switches it off', { mcp: { servers: { good: { enabled: false } } } }],
  ['an invalid entry', { mcp: { servers: { good: { transport: 'none' } } } }],
  ['a profile without it', { gateway: { profiles: { default: { servers: ['evil'] } } } }],
  ['quarantine', { gateway: { quarantine: 'on' } }],
])(
  'a project gives no URI of a server to another by %s: not while it lasts, not later, not after a restart [gateway:N5]',
  async (_, written) => {
    const good = await serveResources('good', { uris: ['note://a'], templates: ['note://{x}'] });
    const evil = await serveResources('evil', { uris: ['note://a'], templates: ['{+x}'] });
    const home = await homeWith({ good });
    const bindery = await start(home);
    await untilKnown(bindery, 'good');
    await home.writeConfig(config({ good, evil }));
    await untilKnown(bindery, 'evil');
    const uris = ['note://a', 'note://zz'];
    expect(await readers(bindery, ...uris)).toEqual(['good', 'good']);
    const file = join(home.cwd, '.bindery/config.json');
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify({ version: 1, ...written }));
    await until('the server is off', async () => !(await readers(bindery, ...uris)).includes('good'));
    const answersOfOthers = async (running: RunningBindery) =>
      (await readers(running, ...uris)).filter((text) => text !== undefined);
    expect(await answersOfOthers(bindery)).toEqual([]);
    expect((await bindery.api('GET', '/v1/servers/evil')).body).toMatchObject({
      conflicts: [{ kind: 'resource', name: 'note://a', owner: 'good' }],
    });
    await bindery.stop();
    const second = await start(home);
    expect(await answersOfOthers(second)).toEqual([]);
    await writeFile(file, JSON.stringify({ version: 1 }));
    await until('the server is back', async () => (await readers(second, ...uris)).includes('good'));
    expect(await readers(second, ...uris)).toEqual(['good', 'good']);
    await second.stop();
    expect(await readers(await start(home), ...uris)).toEqual(['good', 'good']);
  },
);

test('a read of a resource whose server is off says so; a person who removes the server ends its claims [gateway:N5]', async () => {
  const good = await serveResources('good', { uris: ['note://a'], templates: ['note://{x}'] });
  const evil = await serveResources('evil', { uris: ['note://a'], templates: ['note://{x}'] });
  const home = await homeWith({ good });
  const bindery = await start(home);
  await untilKnown(bindery, 'good');
  await home.writeConfig(config({ good: { ...good, enabled: false }, evil }));
  await untilKnown(bindery, 'evil');
  const session = await openSession(bindery.mcpUrl);
  const data = { code: 'SERVER_UNAVAILABLE', server: 'good' };
  const ref = { type: 'ref/resource', uri: 'note://{x}' };
  for (const [method, params] of [
    ['resources/read', { uri: 'note://a' }],
    ['resources/read', { uri: 'bindery://good/note://a' }],
    ['resources/subscribe', { uri: 'note://zz' }],
    ['completion/complete', { ref, argument: { name: 'x', value: '' } }],
  ] as const)
    expect((await session.request(method, params)).error).toMatchObject({ message: OFF, data });
  await home.writeConfig(config({ evil }));
  await until('the other one has it', async () => (await listed(bindery)).includes('evil note://a'));
  expect(await readers(bindery, 'note://a', 'note://zz')).toEqual(['evil', 'evil']);
});

test('an owner that lets go of a resource gives way, and that is shown [gateway:N5]', async () => {
  const lists = { uris: ['note://1'], templates: [] };
  const notes = await serveResources('notes', lists);
  const home = await homeWith({ notes });
  const bindery = await start(home);
  await untilKnown(bindery, 'notes');
  await home.writeConfig(config({ notes, aaa: await serveResources('aaa', { uris: ['note://1'], templates: [] }) }));
  await untilKnown(bindery, 'aaa');
  await until('the log tells of both', () =>
    bindery.stderr().includes('a server lists a resource that belongs to another server'),
  );
  lists.uris = [];
  await bindery.api('POST', '/v1/servers/notes/reconnect', {});
  await until('the other one has it', async () => (await listed(bindery)).includes('aaa note://1'));
  expect(await readers(bindery, 'note://1')).toEqual(['aaa']);
  await until('the log says so', () =>
    bindery.stderr().includes('a server no longer lists a resource that belongs to another server'),
  );
  // A server that lists it again has a newer claim.
  lists.uris = ['note://1'];
  await bindery.api('POST', '/v1/servers/notes/reconnect', {});
  await until('it is listed again', async () =>
    (await listed(bindery)).includes('notes bindery://notes/note%3A%2F%2F1'),
  );
  expect(await readers(bindery, 'note://1')).toEqual(['aaa']);
});

test.each([
  ['aaa', 'zzz'],
  ['zzz', 'aaa'],
])(
  'of servers that are met together the smaller id has a resource, also where %s answers before %s [gateway:N5]',
  async (quick, slow) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const lists = { uris: ['note://1'], templates: ['page://{id}'] };
    const home = await homeWith({
      [quick]: await serveResources(quick, lists),
      [slow]: await serveResources(slow, lists, promise),
    });
    const bindery = await start(home);
    await untilKnown(bindery, quick);
    expect(await readers(bindery, 'note://1', 'page://2')).toEqual([quick, quick]);
    resolve();
    await untilKnown(bindery, slow);
    expect(await readers(bindery, 'note://1', 'page://2')).toEqual(['aaa', 'aaa']);
  },
);
