import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  address,
  common,
  freshId,
  ITEMS,
  type ItemType,
  ROUTES,
  request,
  traversal,
  vote,
} from '../../src/store/civic/testing/requests.ts';
import { SAMPLE_CORPUS } from '../../src/store/civic/testing/sample-corpus.ts';
import { ServedRoom } from '../../src/store/civic/testing/served-room.ts';
import { writeFiles } from '../../src/store/civic/testing/write-room.ts';

const TOOLS: Record<ItemType, string> = {
  concern: 'submit_concern',
  amendment: 'submit_amendment',
  validation: 'submit_validation',
  draft: 'submit_draft',
  feedback: 'submit_feedback_channel',
  rating: 'submit_rating',
};
const TYPES = Object.keys(TOOLS) as ItemType[];

let scratch: string;
let room: ServedRoom;
let senders = 100;
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'civic-faces-'));
  writeFiles(join(scratch, 'corpus'), SAMPLE_CORPUS);
  room = await ServedRoom.start({
    corpusDir: join(scratch, 'corpus'),
    dataDir: join(scratch, 'data'),
    now: '2026-11-02T12:00:00Z',
  });
});
afterAll(async () => {
  await room.stop();
  rmSync(scratch, { recursive: true, force: true });
});

const http = async (path: string, body: object, from = address(senders++)) => {
  const { status, text } = await room.send('POST', path, body, from);
  return { status, body: JSON.parse(text) };
};
const tool = async (name: string, args: object, from = address(senders++)) => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const { text } = await room.send('POST', '/civic/mcp', call, from, { accept: 'application/json, text/event-stream' });
  return JSON.parse(text).result as {
    isError?: boolean;
    structuredContent: Record<string, unknown>;
    content: { text: string }[];
    _meta: object;
  };
};
const withoutRequestId = ({ request_id: _, ...problem }: Record<string, unknown>) => problem;

describe('tools and routes [civic:M3] [civic:M5] [civic:P2]', () => {
  test.each(TYPES)('%s: over MCP it is a dry run unless it says otherwise, over HTTP it counts', async (type) => {
    const dry = await tool(TOOLS[type], request(type));
    const same = await http(ROUTES[type], { ...request(type), dry_run: true });
    const asked = await tool(TOOLS[type], { ...request(type), dry_run: true });
    const real = await tool(TOOLS[type], {
      ...request(type),
      dry_run: false,
      ...(type === 'draft' ? { proposed_id: 'sample-mcp' } : {}),
    });
    const told = { ...same.body, warning: expect.stringContaining('Send dry_run: false to submit') };
    expect([
      dry.structuredContent,
      dry.isError,
      JSON.parse(dry.content[0]?.text ?? ''),
      asked.structuredContent,
      real.structuredContent.status,
    ]).toEqual([told, undefined, told, same.body, 'accepted']);
  });

  test.each([
    ['a fault of the schema', 'rating', { score: 9 }],
    ['a banned name', 'concern', { user_id: 1 }],
    ['a missing target', 'validation', { target_id: 'absent' }],
    ['a missing capability', 'draft', { declared_capabilities: [] }],
    ['an older contract', 'feedback', { submission_contract_version: '0.1.0' }],
    ['an e-mail address', 'feedback', { body: 'Write to anna.peeters@gmail.com' }],
  ] as const)('%s is the same problem on both', async (_, type, changes) => {
    const sent = { ...request(type), dry_run: true, ...changes };
    const [overHttp, overMcp] = [await http(ROUTES[type], sent), await tool(TOOLS[type], sent)];
    expect([overMcp.isError, withoutRequestId(overMcp.structuredContent)]).toEqual([
      true,
      withoutRequestId(overHttp.body),
    ]);
  });

  test('an envelope fails as a tool exactly where its route fails', async () => {
    const envelope = (items: object[]) => ({ ...common(), dry_run: true, items });
    const [good, bad] = [
      { type: 'rating', ...ITEMS.rating },
      { type: 'rating', ...ITEMS.rating, score: 0 },
    ];
    const mixed = await tool('submit_feedback', envelope([good, bad]));
    const failed = await tool('submit_feedback', envelope([bad]));
    const route = await http('/api/feedback', envelope([bad]));
    expect([mixed.isError, failed.isError, failed.structuredContent, route.status]).toEqual([
      undefined,
      true,
      route.body,
      422,
    ]);
  });

  test('a tool counts to the limits of the address that carries it [civic:M6]', async () => {
    const from = address(7);
    for (let n = 0; n < 9; n++) await tool('submit_rating', request('rating'), from);
    const tenth = await http(ROUTES.rating, { ...request('rating'), dry_run: true }, from);
    const eleventh = await tool('submit_rating', request('rating'), from);
    expect([tenth.status, eleventh.isError, eleventh.structuredContent.code]).toEqual([200, true, 'rate_limited']);
  });

  test.each(['2025-11-25', '2026-07-28'])(
    'revision %s: seventeen tools with closed schemas and their hints, without a session; no retired name, no review [civic:M1] [civic:M2] [civic:M4] [civic:W1] [civic:W2] [civic:C7]',
    async (revision) => {
      const modern = {
        'io.modelcontextprotocol/protocolVersion': revision,
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const meta = revision === '2025-11-25' ? {} : { _meta: modern };
      const send = async (method: string, params: { name?: string }) => {
        const call = { jsonrpc: '2.0', id: 1, method, params: { ...params, ...meta } };
        const headers = {
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': revision,
          'mcp-method': method,
          ...(params.name === undefined ? {} : { 'mcp-name': params.name }),
        };
        return JSON.parse((await room.send('POST', '/civic/mcp', call, address(senders++), headers)).text);
      };
      const { tools } = (await send('tools/list', {})).result as {
        tools: { name: string; inputSchema: { additionalProperties: unknown }; annotations: object }[];
      };
      const reads = [
        'find_skill',
        'get_concerns',
        'get_current_status',
        'get_graph',
        'get_onboarding_form',
        'get_path',
      ];
      const writes = ['cancel_submission', 'submit_feedback', ...Object.values(TOOLS)];
      const names = [...reads, 'get_path_directory', 'get_providers', 'read_skill', ...writes].sort();
      expect(
        tools
          .map(({ name, inputSchema, annotations }) => ({ name, open: inputSchema.additionalProperties, annotations }))
          .sort((a, b) => (a.name < b.name ? -1 : 1)),
      ).toEqual(
        names.map((name) => ({
          name,
          open: false,
          annotations: {
            readOnlyHint: !writes.includes(name),
            destructiveHint: false,
            idempotentHint: name !== 'get_onboarding_form',
            openWorldHint: true,
          },
        })),
      );
      const absent = ['submit_observation', 'submit_path_amendment', 'submit_path_draft'];
      for (const name of [...absent, 'submit_path_source_validation', 'review', 'list_queue', 'replay']) {
        expect((await send('tools/call', { name })).error.code).toBe(-32602);
      }
    },
  );

  test('a route that takes another method says which [civic:SU25]', async () => {
    const answer = async (method: string, path: string) => {
      const response = await fetch(room.url + path, { method });
      const { code } = (await response.json()) as { code: string };
      return [response.status, response.headers.get('allow'), code];
    };
    const refused = (allow: string) => [405, allow, 'method_not_allowed'];
    expect([
      await answer('GET', '/api/validations'),
      await answer('DELETE', '/api/submissions'),
      await answer('GET', '/api/submissions/x/cancel'),
      await answer('PATCH', '/api/review/que_x'),
      await answer('POST', '/agents/skills-graph.json'),
      await answer('GET', '/api/nothing'),
    ]).toEqual([
      refused('POST'),
      refused('GET, HEAD'),
      refused('POST'),
      refused('GET, HEAD, POST'),
      refused('GET, HEAD'),
      [404, null, 'route_not_found'],
    ]);
  });

  test('a session finds its submissions again, by route and by tool [civic:I7]', async () => {
    const session_id = freshId('ses');
    await http(ROUTES.rating, { ...request('rating'), session_id });
    const listed = await room.send('GET', `/api/submissions?session_id=${session_id}`);
    const asked = await tool('get_current_status', { session_id });
    expect([JSON.parse(listed.text).submissions.length, asked.content[0]?.text]).toEqual([1, listed.text]);
  });

  test('validations, amendments and drafts have one route for all targets, and all name theirs [civic:W3] [civic:T4]', async () => {
    const { text } = await room.send('GET', '/openapi.json');
    const paths = Object.keys(JSON.parse(text).paths);
    const { target_type: _, ...nameless } = { ...vote('confirm'), dry_run: true } as Record<string, unknown>;
    const refused = await http(ROUTES.validation, nameless);
    expect([
      paths.filter((path) => /validation|amendment|draft/.test(path)).sort(),
      refused.body.pointer,
      refused.body.keyword,
    ]).toEqual([['/api/amendments', '/api/drafts', '/api/validations'], '/target_type', 'required']);
  });

  test('nothing that a request can do changes the numbers, the rules or history [civic:T2] [civic:T3]', async () => {
    const { text } = await room.send('GET', '/openapi.json');
    const paths = JSON.parse(text).paths as Record<string, Record<string, unknown>>;
    const others = /^\/(v1\/(?!test\/)|codex\/)/;
    const own = Object.entries(paths).filter(([path]) => !others.test(path));
    const writing = own.flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => method !== 'get')
        .map((method) => `${method} ${path}`),
    );
    expect(writing.sort()).toEqual([
      'post /api/amendments',
      'post /api/concerns',
      'post /api/drafts',
      'post /api/feedback',
      'post /api/feedback-channel',
      'post /api/onboarding-form',
      'post /api/onboarding-form/check',
      'post /api/ratings',
      'post /api/review/concerns/{concern_id}/take-down',
      'post /api/review/decide',
      'post /api/review/merges/{submission_id}/revert',
      'post /api/review/providers/{provider_id}',
      'post /api/review/{queue_id}',
      'post /api/review/{queue_id}/claim',
      'post /api/review/{queue_id}/undo',
      'post /api/submissions/{submission_id}/cancel',
      'post /api/validations',
      'put /v1/test/clock',
    ]);
  });
});

test('a path without a source that works drags down what depends on it, until one works again [civic:L9]', async () => {
  const read = async () => {
    const graph = JSON.parse((await room.send('GET', '/agents/skills-graph.json')).text);
    const path = JSON.parse((await room.send('GET', '/api/paths/sample-portal')).text);
    const skill = graph.skills.find((one: { skill_id: string }) => one.skill_id === 'sample-birth');
    const web = path.sources.find((one: { id: string }) => one.id === 'web');
    return [path.health, web.health, web.last_validated, skill.requires_paths[0].degraded];
  };
  const fail = async () => {
    for (const id of ['web', 'vault']) {
      await http(ROUTES.validation, traversal('failure', { target_id: `sample-portal:${id}` }));
    }
  };
  const before = await read();
  await fail();
  await room.send('PUT', '/v1/test/clock', { now: '2026-11-03T12:00:00Z' });
  await fail();
  const rotten = await read();
  await http(ROUTES.validation, traversal('success'));
  expect([before, rotten, await read()]).toEqual([
    ['ok', 'ok', null, undefined],
    ['degraded', 'degraded', null, true],
    ['ok', 'ok', '2026-11-03', undefined],
  ]);
});

test('salts are named for what they belong to [civic:I8] [civic:PV1]', async () => {
  const { body } = await http(ROUTES.concern, { ...request('concern'), report: 'Salted.' });
  const draft = await http(ROUTES.draft, { ...request('draft'), proposed_id: 'sample-salt' });
  const salts = new DatabaseSync(join(scratch, 'data', 'civic-salts.db'), { readOnly: true });
  const keys = (salts.prepare('SELECT key FROM civic_salts').all() as { key: string }[]).map(({ key }) => key);
  salts.close();
  expect([
    keys.includes(`concern:${body.submission_id}`),
    keys.includes(`submission:${draft.body.submission_id}`),
  ]).toEqual([true, true]);
});

test('without the variable there is no clock to move [civic:C4]', async () => {
  const real = await ServedRoom.start({ corpusDir: join(scratch, 'corpus'), dataDir: join(scratch, 'real') });
  const { status, text } = await real.send('PUT', '/v1/test/clock', { now: '2030-01-01T00:00:00Z' });
  await real.stop();
  expect([status, JSON.parse(text).code]).toEqual([404, 'route_not_found']);
});
