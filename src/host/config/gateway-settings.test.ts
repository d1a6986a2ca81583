import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Surface } from '../../contract/approval-surfaces.ts';
import { BEARER_RULE } from '../../contract/bearer-token.ts';
import { parseLayer } from './config-layer.ts';
import { gatewaySettings, surfacesOf } from './gateway-settings.ts';

const read = (global: unknown, project: unknown) =>
  gatewaySettings([
    parseLayer('global', '/g', JSON.stringify({ gateway: global })),
    parseLayer('project', '/p', JSON.stringify({ gateway: project })),
  ]);

describe('gateway settings', () => {
  test('[host:M2] the project narrows by key', () => {
    expect(read({ exposure: 'all', budget_tokens: 5 }, { exposure: 'search', budget_tokens: 6 }).settings).toEqual({
      exposure: 'search',
      budget_tokens: 5,
      pin_definitions: false,
      quarantine: 'registered',
      profiles: {},
    });
  });

  test('[host:M2] a project may quarantine servers but never release one; an invalid value means the strictest', () => {
    const levels = ['off', 'registered', 'on'] as const;
    for (const [at, global] of levels.entries())
      for (const [other, project] of levels.entries())
        expect(read({ quarantine: global }, { quarantine: project }).settings.quarantine).toBe(
          levels[Math.max(at, other)],
        );
    expect(read({}, { quarantine: 'off' }).settings.quarantine).toBe('registered');
    const { settings, warnings } = read({ quarantine: true, pin_definitions: 'yes' }, {});
    expect([settings.quarantine, settings.pin_definitions, warnings]).toEqual([
      'on',
      true,
      [
        expect.stringContaining('gateway.quarantine of the global config counts as "on"'),
        expect.stringContaining('gateway.pin_definitions of the global config counts as true'),
      ],
    ]);
  });

  test('[host:M2] the members of the audit settings are validated separately, and an invalid one never weakens the log', () => {
    const { settings, warnings } = read(
      {
        audit: {
          fsync: 'yes',
          sync: 'db',
          retention_days: 0,
          raw_arguments: 1,
          heads_file: '/h',
          'x-note': 1,
          heads_flie: '/h',
        },
      },
      {},
    );
    expect([settings.audit, settings.profiles]).toEqual([
      { fsync: true, sync: 'database', heads_file: '/h', 'x-note': 1, heads_flie: '/h' },
      {},
    ]);
    const said = [
      'fsync of the global config counts as true',
      'sync of the global config counts as "database"',
      'retention_days of the global config is ignored',
      'raw_arguments of the global config is ignored',
      'heads_flie of the global config is not known',
    ];
    expect(warnings).toEqual(said.map((words) => expect.stringContaining(`gateway.audit.${words}`)));
  });

  test.each([[{ heads_file: 7 }], [7], [[]], [null]])(
    '[host:M2] with an audit log of %j every call is denied',
    (audit) => {
      const { settings, warnings } = read({ audit }, {});
      expect([settings.profiles.default?.policies.map(({ error }) => typeof error), warnings]).toEqual([
        ['string'],
        [expect.stringMatching(/^gateway\.audit(\.heads_file)? of the global config.*: every call is denied$/)],
      ]);
    },
  );

  test('[host:M2] a project cannot set audit, approval or credentials', () => {
    const { settings, warnings } = read(
      { audit: { fsync: true } },
      { audit: { fsync: false }, approval: { wait_ms: 1 }, auth: { token: 'x' }, search: { learn: true } },
    );
    expect(settings).toEqual({
      audit: { fsync: true },
      pin_definitions: false,
      quarantine: 'registered',
      profiles: {},
    });
    expect(warnings).toEqual(
      ['audit', 'approval', 'auth', 'search'].map(
        (key) => `gateway.${key} of the project config is ignored: only your own config may set it`,
      ),
    );
  });

  test('[host:M2] [gateway:V6] a project removes surfaces and adds none', () => {
    const surfaces = (global: unknown, project: unknown, profile = 'dev', key?: Surface[]) =>
      surfacesOf(read(global, project).settings, profile, key);
    const own = (list: unknown) => ({ profiles: { dev: { approval: { surfaces: list } } } });
    const all = ['console', 'cli', 'webhook', 'client'];
    expect([
      surfaces({}, {}),
      surfaces(own(undefined), own(['client', 'console'])),
      surfaces(own(undefined), own([])),
      surfaces(own(['client', 'cli']), {}),
      surfaces(own(['client', 'cli']), own(['client', 'console'])),
      surfaces({ approval: { surfaces: ['cli', 'client'] }, ...own(undefined) }, own(['client'])),
      surfaces({ approval: { surfaces: ['cli'] }, ...own(['cli', 'client']) }, {}),
      surfaces({}, { approval: { surfaces: ['client'] } }),
      surfaces({ approval: { surfaces: ['client'] } }, {}, 'default'),
    ]).toEqual([
      ['console', 'cli', 'webhook'],
      ['console'],
      [],
      ['cli', 'client'],
      ['client'],
      ['client'],
      ['cli'],
      ['console', 'cli', 'webhook'],
      ['client'],
    ]);
    // A key has a list of its own; a project that asks for everything takes nothing from it.
    expect([
      surfaces(own(undefined), own(all), 'dev', ['console', 'client']),
      surfaces(own(undefined), own(['console']), 'dev', ['console', 'client']),
      surfaces(own(['console']), {}, 'dev', ['console', 'client']),
      surfaces(own(['console']), {}, 'dev', ['client']),
    ]).toEqual([['console', 'client'], ['console'], ['console'], []]);
  });

  test('[gateway:P3] an invalid list of surfaces allows none', () => {
    const profile = read({ profiles: { dev: { approval: { surfaces: ['clinet'] } } } }, undefined);
    const all = read({ approval: { surfaces: ['clinet'] } }, undefined);
    expect([profile.settings.profiles.dev?.policies[0]?.error, all.settings.approval, all.warnings.length]).toEqual([
      expect.stringContaining('gateway.profiles.dev.approval.surfaces.0'),
      undefined,
      1,
    ]);
  });

  test('[host:M2] policies of a profile in both files both apply', () => {
    const { settings, warnings } = read(
      { profiles: { dev: { servers: ['a'], policy: { servers: ['a'] } } } },
      { profiles: { dev: { names: 'bare', servers: ['a', 'b'], policy: { servers: ['b'] } }, ci: {} } },
    );
    expect(warnings).toEqual(
      ['dev.names', 'ci'].map(
        (key) => `gateway.profiles.${key} of the project config is ignored: only your own config may set it`,
      ),
    );
    expect(settings.profiles).toEqual({
      dev: {
        servers: ['a'],
        policies: ['/g', '/p'].map((file) => ({
          file,
          text: expect.stringContaining('"policy"'),
          path: ['gateway', 'profiles', 'dev', 'policy'],
        })),
      },
    });
  });

  test('[host:M2] [gateway:P3] an invalid profile denies everything, and does not affect others', () => {
    const { settings, warnings } = read(
      { profiles: { default: { policy: { servers: [] } }, wrong: { servers: 'a' }, 'No Name': {} } },
      undefined,
    );
    const place = { file: '/g', text: expect.any(String) };
    expect([settings.profiles, warnings]).toEqual([
      {
        default: { policies: [{ ...place, path: ['gateway', 'profiles', 'default', 'policy'] }] },
        wrong: {
          policies: [
            {
              ...place,
              path: ['gateway', 'profiles', 'wrong'],
              error: 'gateway.profiles.wrong.servers: Invalid input: expected array, received string',
            },
          ],
        },
      },
      [
        'gateway.profiles.wrong of the global config denies every call: Invalid input: expected array, received string',
        'gateway.profiles.No Name of the global config is ignored: no profile can have that name',
      ],
    ]);
  });

  test('[host:M2] [gateway:P3] a file with unreadable profiles denies in every profile, because it may have contained policies', () => {
    const broken = parseLayer('global', '/g', '{');
    const good = parseLayer('project', '/p', '{"gateway":{"profiles":{"dev":{}}}}');
    const errors = (settings: ReturnType<typeof read>['settings']) =>
      Object.entries(settings.profiles).map(([name, { policies }]) => [name, policies.map(({ error }) => error)]);
    expect([
      errors(gatewaySettings([broken, good]).settings),
      errors(read({ profiles: [] }, undefined).settings),
      errors(read('none', undefined).settings),
    ]).toEqual([
      [['default', [broken.error]]],
      [['default', ['gateway.profiles of the global config is not an object']]],
      [['default', ['gateway of the global config is not an object']]],
    ]);
  });

  test('[host:M2] [gateway:P3] a misspelt key of a profile denies; note keys are ignored', () => {
    const { settings } = read({ profiles: { dev: { polcy: {} }, ci: { 'x-note': 1, $comment: 'y' } } }, undefined);
    expect([settings.profiles.dev?.policies[0]?.error, settings.profiles.ci]).toEqual([
      'gateway.profiles.dev: Unrecognized key: "polcy"',
      { policies: [] },
    ]);
  });

  test('[host:M2] invalid settings are named, and the others apply', () => {
    const { settings, warnings } = read({ exposure: 'some', budget_tokens: 7, colour: 1 }, 'text');
    expect([settings.budget_tokens, settings.exposure, warnings.length]).toEqual([7, undefined, 3]);
  });

  test('[host:M2] a project only lowers limits and only switches pinning on', () => {
    const limit = fc.option(fc.integer({ min: 1, max: 1000 }), { nil: undefined });
    const side = fc.record({
      client: limit,
      server: limit,
      bytes: limit,
      pin: fc.option(fc.boolean(), { nil: undefined }),
    });
    const written = ({
      client,
      server,
      bytes,
      pin,
    }: {
      client?: number;
      server?: number;
      bytes?: number;
      pin?: boolean;
    }) => ({
      limits: { client_per_minute: client, server_per_minute: server },
      output_bytes_max: bytes,
      pin_definitions: pin,
    });
    const smaller = (a: number | undefined, b: number | undefined) =>
      a === undefined ? b : b === undefined ? a : a < b ? a : b;
    fc.assert(
      fc.property(side, side, (global, project) => {
        const { settings } = read(written(global as never), written(project as never));
        expect([settings.limits?.client_per_minute, settings.limits?.server_per_minute]).toEqual([
          smaller(global.client, project.client),
          smaller(global.server, project.server),
        ]);
        expect(settings.output_bytes_max).toBe(smaller(global.bytes, project.bytes));
        expect(settings.pin_definitions).toBe(Boolean(global.pin) || Boolean(project.pin));
      }),
    );
  });
});

test('other settings of a project are ignored with a warning', () => {
  const said = {
    version: 1,
    context: { roots: ['/'] },
    civic: {},
    bind: {},
    mcp: { servers: {}, token_store: 'file' },
    permissions: { allow: ['*'], deny: ['a/*'], ask: [], projects: {} },
  };
  const warned = (scope: 'global' | 'project') =>
    gatewaySettings([parseLayer(scope, '/x', JSON.stringify(said))]).warnings;
  expect(warned('project')).toEqual(
    ['context', 'civic', 'bind', 'mcp.token_store', 'permissions.allow', 'permissions.projects'].map(
      (key) => `${key} of the project config is ignored: only your own config may set it`,
    ),
  );
  expect(warned('global')).toEqual([]);
});

test('a token that no header can carry, or an empty one, leaves it unknown which credentials callers need', () => {
  const of = (auth: unknown) => {
    const { settings, warnings } = read({ auth }, {});
    return [settings.auth, settings.authError, warnings.length];
  };
  expect([of({ token: 'schlüssel' }), of({ token: '' }), of('x'), of({ token: 'fine' })]).toEqual([
    [undefined, `gateway.auth.token: ${BEARER_RULE}`, 1],
    [undefined, expect.stringMatching(/^gateway\.auth\.token: /), 1],
    [undefined, expect.stringMatching(/^gateway\.auth: /), 1],
    [{ token: 'fine' }, undefined, 0],
  ]);
});
