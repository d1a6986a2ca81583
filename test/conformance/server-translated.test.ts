import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runServerSuite, serverScenarios, startBareBindery, startConformanceFixture } from './server-suite.ts';

const RUN_TIMEOUT_MS = 110_000;

const notTranslated: Record<string, Record<string, string>> = parse(
  await readFile(new URL('server-translated-failures.yaml', import.meta.url), 'utf8'),
);

describe.each([
  ['2025-11-25', '2026-07-28'],
  ['2026-07-28', '2025-11-25'],
])('scenarios of revision %s with a server of revision %s', async (revision, other) => {
  const { scored } = await serverScenarios(revision);
  const known = notTranslated[revision] ?? {};
  let verdicts: ReadonlyMap<string, boolean> = new Map();
  const ending: (() => unknown)[] = [];

  beforeAll(async () => {
    const fixture = await startConformanceFixture(other);
    ending.push(() => fixture.process.kill());
    const bare = await startBareBindery(fixture.url);
    ending.unshift(bare.stop);
    verdicts = await runServerSuite(bare.url, revision);
  }, RUN_TIMEOUT_MS);

  afterAll(async () => {
    for (const end of ending) await end();
  });

  test.each(scored)('[gateway:CONFORMANCE] [gateway:E6] [gateway:E7] %s', (scenario) => {
    expect({ scenario, passed: verdicts.get(scenario) }).toEqual({ scenario, passed: !(scenario in known) });
  });

  test('every scenario that is not translated is scored and has its reason', () => {
    const stale = Object.entries(known).filter(([scenario, reason]) => !scored.includes(scenario) || !reason);
    expect(stale).toEqual([]);
  });
});
