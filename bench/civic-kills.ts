import { MERGE_POINTS, WRITE_POINTS } from '../src/store/civic/testing/kill-points.ts';
import { type KillRow, runKills } from '../src/store/civic/testing/kills.ts';

/**
 * Kills a server with SIGKILL a hundred times during submissions and merges: ten times at each of ten points, which the
 * server itself records before it is killed. `--each=2` does fewer; `--only=writes` or `--only=merges` does one part.
 */

const flag = (name: string) => process.argv.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
const each = Number(flag('each') ?? 10);
const only = flag('only');

function print(rows: readonly KillRow[]): void {
  for (const { point, kills, underWay, answered, faults } of rows.filter((row) => row.kills > 0)) {
    console.log(`| ${point} | ${kills} | ${underWay} | ${answered} | ${faults.length} |`);
    for (const fault of faults) console.error(`${point}: ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  }
}

console.log('| killed when | kills | under way | answered | lost, torn or doubled |\n|---|--:|--:|--:|--:|');
if (only !== 'merges') print(await runKills({ writes: each * WRITE_POINTS.length, merges: 0 }));
if (only !== 'writes') print(await runKills({ writes: 0, merges: each * MERGE_POINTS.length }));
