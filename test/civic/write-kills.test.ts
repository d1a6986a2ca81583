import { expect, test } from 'vitest';
import { MERGE_POINTS, WRITE_POINTS } from '../../src/store/civic/testing/kill-points.ts';
import { type KillRow, runKills } from '../../src/store/civic/testing/kills.ts';

/** Every point once; `npm run bench:civic-kills` kills ten times at each. */
test('a server that is killed in the midst of submissions loses nothing that was answered and tears nothing [civic:K8]', async () => {
  expectNoFaults(await runKills({ writes: WRITE_POINTS.length, merges: 0 }), WRITE_POINTS);
});

test('a server that is killed in the midst of merges loses nothing, merges nothing twice and leaves no copies [civic:K8]', async () => {
  expectNoFaults(await runKills({ writes: 0, merges: MERGE_POINTS.length }), MERGE_POINTS);
});

function expectNoFaults(rows: readonly KillRow[], points: readonly string[]): void {
  const killed = rows.filter(({ kills }) => kills > 0);
  expect(killed.map(({ point, underWay, answered, faults }) => [point, underWay > 0, answered > 0, faults])).toEqual(
    points.map((point) => [point, true, true, []]),
  );
}
