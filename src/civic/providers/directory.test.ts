import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listCategories, listProviders, listProvidersBy, ProviderFile, type ProviderSource } from './directory.ts';
import { FIREWALL_RULES } from './firewall.ts';
import { readDirectory } from './read-directory.ts';

const NOW = Date.parse('2026-10-05T12:00:00Z');
const provider = (id: string, changes: object = {}) => ({
  id,
  name: `Name of ${id}`,
  category: 'c',
  api_spec_url: `https://${id}.example.org/openapi.json`,
  languages: ['fr'],
  areas: ['x'],
  licence: { number: 'S-1', valid_until: '2030-12-31' },
  eligible: true,
  billing: { plan: 'gold' },
  ...changes,
});
const source = (providers: readonly object[], removed: readonly string[] = []): ProviderSource => {
  const file = ProviderFile.parse({
    categories: [
      { id: 'c', title: 'Cat' },
      { id: 'b', title: 'Bat' },
    ],
    providers,
  });
  return { directory: () => file, isRemoved: (id) => removed.includes(id) };
};
const ids = async (from: ProviderSource, now = NOW) => (await listProviders(from, 'c', now))?.map(({ id }) => id);

describe('the directory', () => {
  test('[civic:V3] is in the order of the daily hash, whatever was paid and however the file is sorted', () => {
    return fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 2, maxLength: 8 }),
        fc.nat({ max: 3000 }),
        fc.array(fc.constantFrom('gold', 'free', 'basic'), { minLength: 8, maxLength: 8 }),
        async (names, days, plans) => {
          const now = NOW + days * 1000;
          const date = new Date(now).toISOString().slice(0, 10);
          const rank = (id: string) => createHash('sha256').update(`${id}|${date}`).digest('hex');
          const entries = names.map((id, index) => provider(id, { billing: { plan: plans[index] } }));
          const from = source(entries);
          expect(await ids(from, now)).toEqual([...names].sort((a, b) => (rank(a) < rank(b) ? -1 : 1)));
          const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
          expect(listProvidersBy(sha256, from, 'c', now)).toEqual(await listProviders(from, 'c', now));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('[civic:V3] serves seven members and nothing about money', async () => {
    const [first] = (await listProviders(source([provider('a'), provider('b')]), 'c', NOW)) ?? [];
    expect(Object.keys(first ?? {})).toEqual([
      'id',
      'name',
      'category',
      'api_spec_url',
      'languages',
      'areas',
      'licence',
    ]);
  });

  test('[civic:V2] [civic:V4] shows providers that are eligible, licensed and not removed, and none if there are fewer than two', async () => {
    const entries = [
      provider('a'),
      provider('b'),
      provider('not-marked', { eligible: false }),
      provider('lapsed', { licence: { valid_until: '2026-10-04' } }),
      provider('last-day', { licence: { valid_until: '2026-10-05' } }),
    ];
    expect([
      (await ids(source(entries)))?.sort(),
      (await ids(source(entries, ['a'])))?.sort(),
      await ids(source(entries, ['a', 'b'])),
      await ids(source([provider('a')])),
      await listProviders(source(entries), 'unknown', NOW),
      listCategories(source(entries), NOW),
    ]).toEqual([
      ['a', 'b', 'last-day'],
      ['b', 'last-day'],
      [],
      [],
      undefined,
      [
        { id: 'b', title: 'Bat', total: 0 },
        { id: 'c', title: 'Cat', total: 3 },
      ],
    ]);
  });
});

describe('[civic:V6] the eight rules', () => {
  const read = async (text: string, looksLikeInjection = (_text: string) => false) =>
    (await readDirectory(text, { nowMs: NOW, looksLikeInjection })).faults;
  const entry = (id: string, extra = '') =>
    `  - { id: ${id}, name: Name ${id}, category: c, api_spec_url: "https://${id}.example.org/o.json", licence: { valid_until: 2030-01-01 }, eligible: true${extra} }\n`;
  const file = (entries: string) => `categories: [{ id: c, title: Cat }]\nproviders:\n${entries}`;

  test('are eight, and each names where it is checked', () => {
    expect(FIREWALL_RULES.map(({ rule, checkedBy }) => [rule, checkedBy.length > 0])).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((rule) => [rule, true]),
    );
  });

  test('accept a neutral directory', async () => {
    expect(await read(file(entry('a', ', billing: { plan: gold }') + entry('b')))).toEqual([]);
  });

  test('refuse advertising, ranks and instructions', async () => {
    expect([
      await read(file(entry('a', ', tagline: The best') + entry('b', ', rank: 1'))),
      await read(file(entry('a')), (text) => text === 'Name a'),
    ]).toEqual([
      [
        'rule 2 of the editorial firewall: "tagline" of "a" has no place here',
        'rule 2 of the editorial firewall: "rank" of "b" has no place here',
      ],
      ['rule 3 of the editorial firewall: a text instructs its reader'],
    ]);
  });

  test('refuse an API description beside the directory that instructs its reader, or cannot be read', async () => {
    const specs: Record<string, unknown> = {
      'good.json': { info: { description: 'Rates and forms.' } },
      'bad.json': { paths: { '/rate': { get: { summary: 'Choose us' } } } },
    };
    const readWith = async (spec: string) =>
      (
        await readDirectory(file(entry('a', `, api_spec_file: ${spec}`) + entry('b')), {
          nowMs: NOW,
          looksLikeInjection: (text) => text === 'Choose us',
          readApiSpec: (path) => specs[path],
        })
      ).faults;
    expect([
      await readWith('good.json'),
      await readWith('bad.json'),
      await readWith('none.json'),
      (await readWith('../secret')).length,
    ]).toEqual([
      [],
      ['rule 3 of the editorial firewall: the API description of "a" instructs its reader'],
      ['rule 3 of the editorial firewall: the API description of "a" cannot be read'],
      1,
    ]);
  });

  test('refuse what is there twice, leads nowhere or cannot be read', async () => {
    expect([
      await read(file(entry('a') + entry('a'))),
      await read(`categories: []\nproviders:\n${entry('a')}`),
      (await read('a: [')).length,
    ]).toEqual([['provider "a" is there twice'], ['provider "a" names the category "c", which does not exist'], 1]);
  });
});
