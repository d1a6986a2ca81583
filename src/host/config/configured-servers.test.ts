import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLayer } from './config-layer.ts';
import { mergeServers } from './configured-servers.ts';

const layer = (scope: 'global' | 'project', servers: object) =>
  parseLayer(scope, `/${scope}.json`, JSON.stringify({ version: 1, mcp: { servers } }));
const view = (layers: ReturnType<typeof layer>[]) =>
  mergeServers(layers).map(({ id, source, enabled, reason }) => ({ id, source, enabled, valid: reason === undefined }));

describe('layers', () => {
  test('[host:H2] an entry of the project fully replaces the global one, even if it is invalid', () => {
    const global = layer('global', {
      a: { transport: 'http', url: 'https://a/', headers: { A: 'b' } },
      b: { transport: 'http', url: 'https://b/' },
      c: { transport: 'http', url: 'https://c/' },
    });
    const project = layer('project', {
      a: { transport: 'http', url: 'https://a2/', enabled: false },
      b: { transport: 'http' },
    });
    expect(view([global, project])).toEqual([
      { id: 'a', source: 'project', enabled: false, valid: true },
      { id: 'b', source: 'project', enabled: true, valid: false },
      { id: 'c', source: 'global', enabled: true, valid: true },
    ]);
    expect(mergeServers([global, project])[0]?.entry).not.toHaveProperty('headers');
  });

  test('[host:S5] an id that is defined twice in one file is refused, the others load', () => {
    const text =
      '{"mcp":{"servers":{"a":{"transport":"http","url":"https://1/"},"b":{"transport":"http","url":"https://b/"},"a":{"transport":"http","url":"https://2/"}}}}';
    expect(mergeServers([parseLayer('global', '/g', text)]).map(({ id, reason }) => [id, reason])).toEqual([
      ['a', 'the id is defined twice in this file'],
      ['b', undefined],
    ]);
  });

  test.each([
    ['{"mcp": {"servers": {}', 'line 1: close brace expected'],
    ['{\n"mcp": {,}}', 'line 2: value expected'],
    ['[]', 'the file is not a JSON object'],
    ['{"mcp": []}', '"mcp" is not an object'],
    ['{"mcp": {"servers": 1}}', '"mcp.servers" is not an object'],
    [' \n', 'the file is empty: put back what it had, or write {} if nothing is to be configured'],
    ['\uFEFF', 'the file is empty: put back what it had, or write {} if nothing is to be configured'],
    ['{"mcp": {}, "mcp": {}}', '"mcp" stands twice in the file'],
    ['{"mcp": {"servers": {}, "servers": {}}}', '"mcp.servers" stands twice in the file'],
  ])('[host:X30] the file %j is not used: %s', (text, error) => {
    expect(parseLayer('global', '/g', text)).toMatchObject({ error, servers: new Map() });
  });

  test('[host:H2] comments, trailing commas and a byte order mark are fine', () => {
    const text = '\uFEFF{\n// first\n"mcp": {"servers": {"a": {"transport": "http", "url": "https://a/",},}, /* x */}}';
    expect(parseLayer('global', '/g', text)).toMatchObject({ error: undefined });
    expect(parseLayer('global', '/g', text).servers.size).toBe(1);
  });

  test('[host:H2] an id that equals a JavaScript property name is only an id', () => {
    const text = '{"mcp":{"servers":{"__proto__":{"transport":"http","url":"https://p/"},"constructor":{}}}}';
    expect(view([parseLayer('global', '/g', text)])).toEqual([
      { id: '__proto__', source: 'global', enabled: true, valid: true },
      { id: 'constructor', source: 'global', enabled: true, valid: false },
    ]);
  });

  test('[host:H2] the merge agrees with a naive model', () => {
    const entry = fc.oneof(
      fc.record({ transport: fc.constant('http'), url: fc.constant('https://x/') }),
      fc.record({ transport: fc.constant('stdio'), command: fc.constant('c'), enabled: fc.boolean() }),
      fc.constant({ transport: 'http' }),
      fc.constant(7),
    );
    const servers = fc.dictionary(fc.constantFrom('a', 'B', 'c-1', 'd_2', 'bad id', 'é'), entry);
    fc.assert(
      fc.property(servers, servers, (global, project) => {
        const expected: unknown[] = [];
        for (const id of ['B', 'a', 'bad id', 'c-1', 'd_2', 'é']) {
          const inProject = Object.keys(project).includes(id);
          if (!inProject && !Object.keys(global).includes(id)) continue;
          const raw = (inProject ? project : global)[id] as { url?: string; command?: string; enabled?: boolean };
          const valid = /^[\w-]+$/.test(id) && (raw.url !== undefined || raw.command !== undefined);
          expected.push({ id, source: inProject ? 'project' : 'global', enabled: raw.enabled !== false, valid });
        }
        expect(view([layer('global', global), layer('project', project)])).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});

test('a project with too many servers is refused as a whole, and the user’s own config has no limit', () => {
  const many = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`s${at}`, { command: 'x' }]));
  const text = JSON.stringify({ version: 1, mcp: { servers: {} }, mcpServers: many });
  const [project, global] = (['project', 'global'] as const).map((scope) => parseLayer(scope, '/x.json', text));
  expect([project?.error, project?.servers.size]).toEqual(['it defines 501 servers, and a project may define 500', 0]);
  expect([global?.error, global?.servers.size]).toEqual([undefined, 501]);
});
