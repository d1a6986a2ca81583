import { expect, test } from 'vitest';
import { PERSON_SECTIONS } from '../../host/config/gateway-settings.ts';
import { ALL_SETTINGS } from '../all-settings.ts';
import { checkSettings } from './check-settings.ts';

const found = (config: object) =>
  checkSettings({ file: 'c.json', text: JSON.stringify(config, null, 2) }).map(
    ({ level, message, fix }) => `${level}: ${message}. ${fix}`,
  );

test('names in a config, notes and sections of other checks are not treated as settings', () => {
  expect(
    found({
      $schema: 'x',
      'x-team': 1,
      mcpServers: { a: {} },
      mcp: { servers: { b: 7 }, token_store: 'file' },
      gateway: { profiles: { work: { servers: ['b'], approval: { surfaces: ['cli'] } } } },
      bind: { resolvers: { 'names.example.com': { url: 'https://names.example.com' } } },
    }),
  ).toEqual([]);
});

test('a value of another form, below a name too, is an error with its line', () => {
  expect(found({ gateway: { profiles: { work: { exposure: 'some' } } }, civic: { site_name: '' } })).toEqual([
    expect.stringMatching(/^error: c\.json, line 5: gateway\.profiles\.\*\.exposure: Invalid option.* explain /),
    expect.stringMatching(/^error: c\.json, line 10: civic\.site_name: Too small.* explain civic\.site_name/),
  ]);
});

test('the sections that a gateway warns of are those that no setting is in', () => {
  const sections = new Set(ALL_SETTINGS.map(({ path }) => path.split('.')[0]));
  expect([...PERSON_SECTIONS].filter((name) => !['$schema', 'mcpServers'].includes(name)).sort()).toEqual(
    [...sections].sort(),
  );
});
