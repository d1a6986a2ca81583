import { describe, expect, test } from 'vitest';
import { createReadApp, pathFile } from './read-app.ts';

describe('paths', () => {
  const app = createReadApp({
    ...pathFile('a', 'alpha', 'themes: [x, y]\napplies_to: { region: [r1, r2], kind: k }\n'),
    ...pathFile('b', 'beta', 'themes: [y]\napplies_to: { region: r1 }\n'),
    ...pathFile(
      'c',
      'stable',
      'sources: [{ id: z, source_class: offline, priority: 9 }, { id: low, source_class: web, priority: 1 }, { id: fall, source_class: web, priority: 99, fallback_only: true }, { id: high, source_class: web, priority: 5 }, { id: also, source_class: web, priority: 5 }]\n',
    ),
    ...pathFile('d', 'draft'),
    ...pathFile('q', 'quarantined'),
    ...pathFile('r', 'retracted'),
    ...pathFile('s', 'superseded'),
  });
  const ids = async (query: string) => {
    const body = (await (await app.get(`/api/paths${query}`)).json()) as {
      paths: { id: string }[];
      total: number;
      filters_applied: object;
    };
    expect(body.total).toBe(body.paths.length);
    return [body.paths.map(({ id }) => id).join(''), body.filters_applied];
  };

  test.each<[string, string, object]>([
    ['', 'abc', {}],
    ['?themes=x', 'a', { themes: ['x'] }],
    ['?themes=x,y&themes=y', 'ab', { themes: ['x', 'y'] }],
    ['?themes=', 'abc', {}],
    ['?applies_to.region=r2', 'ac', { applies_to: { region: 'r2' } }],
    ['?applies_to.region=r1&applies_to.kind=k', 'abc', { applies_to: { region: 'r1', kind: 'k' } }],
    ['?applies_to.kind=other', 'bc', { applies_to: { kind: 'other' } }],
    [
      '?purpose=tool&themes=y&applies_to.region=r2',
      'a',
      { themes: ['y'], purpose: 'tool', applies_to: { region: 'r2' } },
    ],
    ['?purpose=handoff', '', { purpose: 'handoff' }],
    ['?status=draft', 'd', { status: 'draft' }],
    ['?status=quarantined', 'q', { status: 'quarantined' }],
    ['?status=retracted', 'r', { status: 'retracted' }],
    ['?status=superseded', 's', { status: 'superseded' }],
    ['?status=beta', 'b', { status: 'beta' }],
  ])('[civic:D1] [civic:D2] [civic:RO6] [civic:RO7] %s', async (query, expected, applied) => {
    expect(await ids(query)).toEqual([expected, applied]);
  });

  test.each([
    '?status=open',
    '?purpose=x',
    '?foo=1',
    '?status=beta&status=alpha',
    '?applies_to=x',
    '?filters=x',
    '?applies_to.a=1&applies_to.a=2',
  ])('[civic:RO6] [civic:RO9] %s is invalid', async (query) => {
    expect((await app.get(`/api/paths${query}`)).status).toBe(422);
  });

  test('[civic:RO6] a tool may ask with a number or a truth, and is told the text that a query would be', async () => {
    const traits = createReadApp({
      ...pathFile('a', 'alpha', 'applies_to: { adult: true, age: [17, 18] }\n'),
      ...pathFile('b', 'alpha', 'applies_to: { adult: false, age: [17] }\n'),
    });
    const asked = await traits.tool('get_path_directory', { filters: { applies_to: { adult: true, age: 18 } } });
    const queried = await (await traits.get('/api/paths?applies_to.adult=true&applies_to.age=18')).text();
    expect([asked.content[0]?.text, JSON.parse(queried).total]).toEqual([queried, 1]);
  });

  test('[civic:D3] one path is given in any status, without a wrapper', async () => {
    const found = await Promise.all(
      'abcdqrs'.split('').map(async (id) => ((await (await app.get(`/api/paths/${id}`)).json()) as { id: string }).id),
    );
    expect([found.join(''), (await app.get('/api/paths/x')).status]).toEqual(['abcdqrs', 404]);
  });

  test('[civic:RO8] an entry is the mapping as it was written, members in their order, with health behind them', async () => {
    const written = createReadApp({
      'paths/w.yaml': `version: 1.0.0
own: { b: [1, 2.5, true, null], a: x }
sources:
  - actor: { primary: agent, handoff: { when: none } }
    audited_document_delivery: false
    validation_path: { success_signals: [s] }
    url: https://portal.example.org/start
    source_class: web
    id: web
status: beta
purpose: tool
title: W
id: w
`,
    });
    expect(await (await written.get('/api/paths/w')).text()).toBe(
      JSON.stringify({
        version: '1.0.0',
        own: { b: [1, 2.5, true, null], a: 'x' },
        sources: [
          {
            actor: { primary: 'agent', handoff: { when: 'none' } },
            audited_document_delivery: false,
            validation_path: { success_signals: ['s'] },
            url: 'https://portal.example.org/start',
            source_class: 'web',
            id: 'web',
            last_validated: null,
            health: 'ok',
          },
        ],
        status: 'beta',
        purpose: 'tool',
        title: 'W',
        id: 'w',
        health: 'ok',
      }),
    );
  });

  test('[civic:RO8] sources come in the order in which to try them, with health', async () => {
    const ok = async (health?: object) => {
      const changed = createReadApp(
        {
          ...pathFile(
            'c',
            'stable',
            'sources: [{ id: z, source_class: offline, priority: 9 }, { id: low, source_class: web, priority: 1 }, { id: fall, source_class: web, priority: 99, fallback_only: true }, { id: high, source_class: web, priority: 5 }, { id: also, source_class: web, priority: 5 }]\n',
          ),
        },
        health,
      );
      const entry = (await (await changed.get('/api/paths/c')).json()) as {
        health: string;
        sources: { id: string; health: string; fallback_only?: boolean }[];
      };
      return [entry.health, ...entry.sources.map(({ id, health: state }) => `${id} ${state}`)];
    };
    expect(await ok()).toEqual(['ok', 'also ok', 'high ok', 'low ok', 'fall ok', 'z ok']);
    const source = (_path: string, id: string) =>
      id === 'also' ? ('degraded' as const) : id === 'high' ? ('suspect' as const) : ('ok' as const);
    expect(await ok({ health: { revision: () => '1', source, lastValidated: () => undefined } })).toEqual([
      'ok',
      'high suspect',
      'low ok',
      'fall ok',
      'z ok',
      'also degraded',
    ]);
    expect(
      (await ok({ health: { revision: () => '1', source: () => 'deprecated', lastValidated: () => undefined } }))[0],
    ).toBe('degraded');
  });
});
