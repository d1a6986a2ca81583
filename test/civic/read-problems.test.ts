import { describe, expect, test } from 'vitest';
import { readOperations } from '../../src/civic/reads/room.ts';
import { civicProblems } from '../../src/contract/errors/civic.ts';
import { BASE, createReadApp, sampleFiles } from './read-app.ts';

const files = sampleFiles();
const served = createReadApp(files);

describe('problems', () => {
  test('[civic:RO9] unknown and repeated parameters are named', async () => {
    const response = await served.get('/api/find-skill?query=a&query=b&x=1');
    const errors = [
      { pointer: '/query', keyword: 'additionalProperties', message: 'is there more than once' },
      { pointer: '/x', keyword: 'additionalProperties', message: 'is not a known member' },
    ];
    expect([response.status, response.headers.get('content-type'), await response.json()]).toEqual([
      422,
      'application/problem+json',
      {
        type: `${BASE}/agents/errors.json#schema_invalid`,
        title: civicProblems.schema_invalid.title,
        status: 422,
        code: 'schema_invalid',
        detail: '/query: is there more than once; /x: is not a known member',
        docs_page: `${BASE}/reference#schema_invalid`,
        schema_url: `${BASE}/openapi.json`,
        pointer: '/query',
        keyword: 'additionalProperties',
        errors,
        request_id: 'request',
      },
    ]);
  });

  test('every read route refuses an unknown parameter', async () => {
    const routes = readOperations.flatMap(({ http }) =>
      http && http.method === 'GET'
        ? [
            http.path
              .replace('{skill_id}', 'sample-base')
              .replace('{path_id}', 'sample-portal')
              .replace('{file}', 'concern.json'),
          ]
        : [],
    );
    const answers = await Promise.all(routes.map(async (route) => (await served.get(`${route}?unheard=1`)).status));
    expect([routes.length, new Set(answers)]).toEqual([14, new Set([422])]);
  });

  test('a parameter cannot replace what the path says', async () => {
    expect((await served.get('/api/skills/sample-base?skill_id=sample-address-change')).status).toBe(422);
  });

  test('a wrong method, type, body or size is told in the words of the room', async () => {
    const code = async (response: Response | Promise<Response>) => {
      const {
        code: name,
        type,
        status,
      } = (await (await response).json()) as { code: string; type: string; status: number };
      return [name, status, type];
    };
    const type = (name: string) => `${BASE}/agents/errors.json#${name}`;
    const post = (body: string, contentType: string) =>
      served.app.request('/api/onboarding-form', { method: 'POST', body, headers: { 'content-type': contentType } });
    expect([
      await code(served.app.request('/api/paths', { method: 'PUT' })),
      await code(post('{}', 'text/plain')),
      await code(post('{', 'application/json; charset=utf-8')),
      await code(post(`{"locale":"${'x'.repeat(262_144)}"}`, 'application/json')),
      await code(post('[]', 'application/json')),
      await code(post(`{"pre_selected":{"a":${'['.repeat(40)}${']'.repeat(40)}}}`, 'application/json')),
    ]).toEqual([
      ['method_not_allowed', 405, type('method_not_allowed')],
      ['unsupported_media_type', 415, type('unsupported_media_type')],
      ['malformed_json', 400, type('malformed_json')],
      ['payload_too_large', 413, type('payload_too_large')],
      ['schema_invalid', 422, type('schema_invalid')],
      ['schema_invalid', 422, type('schema_invalid')],
    ]);
  });

  test('[civic:SU25] a path that is served for other methods says which; one that is not there is absent', async () => {
    const answer = async (method: string, path: string) => {
      const response = await served.app.request(path, { method });
      return [response.status, response.headers.get('allow'), ((await response.json()) as { code: string }).code];
    };
    expect([
      await answer('DELETE', '/agents/skills-graph.json'),
      await answer('POST', '/api/paths/sample-portal'),
      await answer('PUT', '/api/onboarding-form'),
      await answer('PATCH', '/skills/sample-base/canonical'),
      await answer('DELETE', '/llms.txt'),
      await answer('DELETE', '/api/nothing'),
      await answer('GET', '/agents/nothing.json'),
    ]).toEqual([
      [405, 'GET, HEAD', 'method_not_allowed'],
      [405, 'GET, HEAD', 'method_not_allowed'],
      [405, 'POST, GET, HEAD', 'method_not_allowed'],
      [405, 'GET, HEAD', 'method_not_allowed'],
      [405, 'GET, HEAD', 'method_not_allowed'],
      [404, null, 'route_not_found'],
      [404, null, 'route_not_found'],
    ]);
  });

  test('[civic:SU25] a member called __proto__ is an unknown one, wherever it stands', async () => {
    const refused = async (path: string, body: string) => {
      const { pointer, keyword } = (await (await served.post(path, body)).json()) as Record<string, string>;
      return `${pointer} ${keyword}`;
    };
    expect([
      await refused('/api/onboarding-form', '{"__proto__":{"app":"generic"}}'),
      await refused('/api/onboarding-form', '{"pre_selected":{"__proto__":"x"}}'),
      await refused('/api/onboarding-form/check', '{"values":{"region":{"__proto__":1}}}'),
    ]).toEqual([
      '/__proto__ additionalProperties',
      '/pre_selected/__proto__ additionalProperties',
      '/values/region/__proto__ additionalProperties',
    ]);
  });

  test('[civic:C2] addresses follow the configuration, never a header', async () => {
    const app = createReadApp(files, { baseUrl: () => 'https://corpus.example.org/x' });
    const text = await (
      await app.get('/agents/skills-graph.json', { host: 'evil.example', 'x-forwarded-host': 'evil.example' })
    ).text();
    expect([
      text.includes('"https://corpus.example.org/x/skills/sample-base/canonical"'),
      text.includes('evil'),
    ]).toEqual([true, false]);
  });
});
