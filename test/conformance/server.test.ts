import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runServerSuite, serverScenarios, startBareBindery, startConformanceFixture } from './server-suite.ts';

const RUN_TIMEOUT_MS = 110_000;

const expectedFailures: Record<string, Record<string, string>> = parse(
  await readFile(new URL('server-expected-failures.yaml', import.meta.url), 'utf8'),
);

describe.each(['2025-11-25', '2026-07-28'])('server scenarios of revision %s', async (revision) => {
  const { scored, unscored } = await serverScenarios(revision);
  const known = expectedFailures[revision] ?? {};
  let direct: ReadonlyMap<string, boolean> = new Map();
  let proxied: ReadonlyMap<string, boolean> = new Map();
  const ending: (() => unknown)[] = [];

  beforeAll(async () => {
    const fixture = await startConformanceFixture(revision);
    ending.push(() => fixture.process.kill());
    direct = await runServerSuite(fixture.url, revision);
    const bare = await startBareBindery(fixture.url);
    ending.unshift(bare.stop);
    proxied = await runServerSuite(bare.url, revision);
  }, RUN_TIMEOUT_MS);

  afterAll(async () => {
    for (const end of ending) await end();
  });

  test.each(scored)('[gateway:CONFORMANCE] [gateway:R15] %s passes directly and through the gateway', (scenario) => {
    expect({ scenario, direct: direct.get(scenario), proxied: proxied.get(scenario) }).toEqual({
      scenario,
      direct: true,
      proxied: !(scenario in known),
    });
  });

  test.each(unscored)('not required: %s fares through the gateway as it does directly', (scenario) => {
    const passed = !(scenario in known);
    expect({ scenario, direct: direct.get(scenario), proxied: proxied.get(scenario) }).toEqual({
      scenario,
      direct: passed,
      proxied: passed,
    });
  });

  test('every known failure names a scenario of the suite and says why', () => {
    const stale = Object.entries(known).filter(([scenario, reason]) => !proxied.has(scenario) || !reason);
    expect(stale).toEqual([]);
  });
});
