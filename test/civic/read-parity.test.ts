import { describe, expect, test } from 'vitest';
import { readOperations } from '../../src/civic/reads/room.ts';
import { createReadApp, pathFile, rpc, sampleFiles, skillFile } from './read-app.ts';

const files = { ...sampleFiles(), ...skillFile('hidden', 'quarantined'), ...pathFile('hidden-path', 'quarantined') };
const category = { id: 'sworn-translation', title: 'Sworn translation' };
const provider = (id: string) => ({
  id,
  name: `Name ${id}`,
  category: category.id,
  api_spec_url: `https://${id}.example.org/openapi.json`,
  languages: ['fr'],
  areas: [],
  licence: { number: '1', valid_until: '2030-01-01' },
  eligible: true,
});
const served = createReadApp(files, {
  providers: {
    directory: () => ({ categories: [category], providers: [provider('a'), provider('b'), provider('c')] }),
    isRemoved: () => false,
  },
});

const rows: readonly [tool: string, args: object, request: () => Promise<Response>][] = [
  ['get_graph', {}, () => served.get('/agents/skills-graph.json')],
  [
    'get_graph',
    { category: 'x', applies_to: { a: 'b' } },
    () => served.get('/agents/skills-graph.json?category=x&applies_to=y'),
  ],
  ['find_skill', { query: ' ADDRESS ' }, () => served.get('/api/find-skill?query=%20ADDRESS%20')],
  ['find_skill', { query: ' ' }, () => served.get('/api/find-skill?query=+')],
  ['read_skill', { skill_id: 'sample-address-change' }, () => served.get('/api/skills/sample-address-change')],
  ['read_skill', { skill_id: 'hidden' }, () => served.get('/api/skills/hidden')],
  ['read_skill', { skill_id: 'nothing' }, () => served.get('/api/skills/nothing')],
  ['read_skill', { skill_id: 'Not_Kebab' }, () => served.get('/api/skills/Not_Kebab')],
  ['get_onboarding_form', {}, () => served.get('/api/onboarding-form')],
  [
    'get_onboarding_form',
    { skill_id: 'sample-residence-card', locale: 'ar', app: 'generic' },
    () => served.get('/api/onboarding-form?skill_id=sample-residence-card&locale=ar&app=generic'),
  ],
  [
    'get_onboarding_form',
    {
      skill_id: 'sample-base',
      mode: 'returning',
      pre_selected: { region: 'brussels' },
      profile_snapshot: { region: 'flanders' },
    },
    () =>
      served.post('/api/onboarding-form', {
        skill_id: 'sample-base',
        mode: 'returning',
        pre_selected: { region: 'brussels' },
        profile_snapshot: { region: 'flanders' },
      }),
  ],
  [
    'get_onboarding_form',
    { pre_selected: { preferred_name: 'x' } },
    () => served.post('/api/onboarding-form', { pre_selected: { preferred_name: 'x' } }),
  ],
  ['get_onboarding_form', { app: 'other' }, () => served.get('/api/onboarding-form?app=other')],
  ['get_path_directory', {}, () => served.get('/api/paths')],
  [
    'get_path_directory',
    { filters: { themes: ['residence', 'x'], purpose: 'submission', applies_to: { region: 'brussels' } } },
    () => served.get('/api/paths?themes=residence,x&purpose=submission&applies_to.region=brussels'),
  ],
  ['get_path_directory', { filters: { status: 'quarantined' } }, () => served.get('/api/paths?status=quarantined')],
  ['get_path', { path_id: 'hidden-path' }, () => served.get('/api/paths/hidden-path')],
  ['get_path', { path_id: 'nothing' }, () => served.get('/api/paths/nothing')],
  ['get_providers', {}, () => served.get('/api/providers')],
  ['get_providers', { category: 'sworn-translation' }, () => served.get('/api/providers?category=sworn-translation')],
  ['get_providers', { category: 'nothing' }, () => served.get('/api/providers?category=nothing')],
];

describe('[civic:RO1] [civic:P2] [civic:P3] [civic:M3] both faces say the same', () => {
  test.each(rows)('%s %j', async (tool, args, request) => {
    const [result, response] = [await served.tool(tool, args), await request()];
    const body = await response.text();
    expect(result.content).toEqual([{ type: 'text', text: body }]);
    expect(result.structuredContent).toEqual(JSON.parse(body));
    expect(result.isError ?? false).toBe(response.status >= 400);
    expect(result._meta?.['bindery/cache_control']).toBe(response.headers.get('cache-control'));
  });

  test('every read tool is in the table', () => {
    const tools = readOperations.flatMap(({ mcp }) => (mcp ? [mcp.tool] : []));
    expect([...new Set(rows.map(([tool]) => tool))].sort()).toEqual(tools.sort());
  });
});

describe('the MCP face', () => {
  test('[civic:M1] lists tools and calls them without a handshake, in JSON, without a session', async () => {
    const response = await served.mcp(rpc({ method: 'tools/list' }), undefined);
    const { result } = (await response.json()) as { result: { tools: { name: string }[] } };
    expect([
      response.status,
      response.headers.get('content-type'),
      response.headers.get('mcp-session-id'),
      result.tools.length,
    ]).toEqual([200, 'application/json', null, 7]);
  });

  test('[civic:M1] serves initialize of the older revision and discovery of the newer one', async () => {
    const legacy = await served.mcp(
      rpc({
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
      }),
      undefined,
    );
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const modern = await served.mcp(
      rpc(
        { method: 'tools/call', params: { name: 'get_path', arguments: { path_id: 'sample-portal' }, _meta: meta } },
        {
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'get_path',
          accept: 'application/json, text/event-stream',
        },
      ),
      undefined,
    );
    const body = (await modern.json()) as { result: { structuredContent: object } };
    expect(((await legacy.json()) as { result: { protocolVersion: string } }).result.protocolVersion).toBe(
      '2025-11-25',
    );
    expect([modern.headers.get('content-type'), body.result.structuredContent]).toEqual([
      'application/json',
      await (await served.get('/api/paths/sample-portal')).json(),
    ]);
  });

  test.each(['GET', 'DELETE'])('[civic:M1] refuses %s', async (method) => {
    const response = await served.mcp(new Request('http://127.0.0.1:7717/civic/mcp', { method }), undefined);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('refuses what is no JSON, too large, or of another type', async () => {
    const send = (body: string, type = 'application/json') =>
      served.mcp(
        new Request('http://127.0.0.1:7717/civic/mcp', { method: 'POST', body, headers: { 'content-type': type } }),
        undefined,
      );
    const answers = [await send('{'), await send(`"${'x'.repeat(262_144)}"`), await send('{}', 'text/plain')];
    expect(answers.map(({ status }) => status)).toEqual([400, 413, 415]);
  });

  test('[civic:M3] an unknown tool is an error of the protocol', async () => {
    const response = await served.mcp(rpc({ method: 'tools/call', params: { name: 'submit_observation' } }), undefined);
    expect(((await response.json()) as { error: { code: number } }).error.code).toBe(-32602);
  });

  test('[civic:M2] [civic:M4] [civic:G8] [civic:C11] schemas are closed, reads are annotated as reads, and forms as not idempotent', async () => {
    const response = await served.mcp(rpc({ method: 'tools/list' }), undefined);
    type Tool = {
      name: string;
      description: string;
      inputSchema: { additionalProperties: boolean };
      annotations: object;
    };
    const { tools } = ((await response.json()) as { result: { tools: Tool[] } }).result;
    const hints = (idempotentHint: boolean) => ({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint,
      openWorldHint: true,
    });
    expect(
      tools.map(({ name, inputSchema, annotations }) => [name, inputSchema.additionalProperties, annotations]),
    ).toEqual(
      [
        'get_graph',
        'find_skill',
        'read_skill',
        'get_onboarding_form',
        'get_path_directory',
        'get_path',
        'get_providers',
      ].map((name) => [name, false, hints(name !== 'get_onboarding_form')]),
    );
    expect(JSON.stringify(tools).toLowerCase()).not.toContain('becivic');
  });

  test('[civic:M6] the address of the peer and the headers reach the operation', async () => {
    const seen: unknown[] = [];
    const { mcp } = createReadApp(files, {
      admitRead: (call) => void seen.push([call.face, call.peerAddress, call.header('x-forwarded-for')]),
    });
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { name: 'get_graph', arguments: {} };
    await mcp(rpc({ method: 'tools/call', params }, { 'x-forwarded-for': '192.0.2.1' }), '198.51.100.7');
    await mcp(
      rpc(
        { method: 'tools/call', params: { ...params, _meta: meta } },
        {
          'x-forwarded-for': '192.0.2.2',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'get_graph',
        },
      ),
      '198.51.100.8',
    );
    expect(seen).toEqual([
      ['mcp', '198.51.100.7', '192.0.2.1'],
      ['mcp', '198.51.100.8', '192.0.2.2'],
    ]);
  });
});
