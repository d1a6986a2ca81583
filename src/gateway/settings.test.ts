import { expect, test } from 'vitest';
import { gatewaySettings } from './settings.ts';

test('the project wins by key, and can only lower limits and switch pinning on [gateway:M2]', () => {
  const { section } = gatewaySettings(
    { exposure: 'all', limits: { client_per_minute: 10 }, output_bytes_max: 100, pin_definitions: true },
    {
      exposure: 'search',
      limits: { client_per_minute: 50, server_per_minute: 5 },
      output_bytes_max: 1_000,
      pin_definitions: false,
    },
  );
  expect(section).toMatchObject({
    exposure: 'search',
    limits: { client_per_minute: 10, server_per_minute: 5 },
    output_bytes_max: 100,
    pin_definitions: true,
  });
});

test('what is a person’s own is ignored in a project, with a warning [gateway:M2]', () => {
  const { section, warnings } = gatewaySettings(
    { auth: { token: 'mine' } },
    { auth: { token: 'theirs' }, audit: { fsync: false } },
  );
  expect([section.auth, section.audit, warnings.length]).toEqual([{ token: 'mine' }, undefined, 2]);
});

test('there is always a default profile, and a bare one has exactly one server [gateway:F1] [gateway:N3]', () => {
  const { profiles, warnings } = gatewaySettings(
    { profiles: { one: { names: 'bare', servers: ['s'] }, two: { names: 'bare' } } },
    undefined,
  );
  expect([[...profiles.keys()], warnings]).toEqual([
    ['default', 'one'],
    ['profile two is bare, so it needs exactly one server'],
  ]);
});

test('a section of the wrong form counts as absent, and says so', () => {
  expect(gatewaySettings({ exposure: 'some' }, undefined)).toMatchObject({
    section: { output_bytes_max: Number.MAX_SAFE_INTEGER },
    warnings: [expect.stringContaining('gateway.exposure')],
  });
});
