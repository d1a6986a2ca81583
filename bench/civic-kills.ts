import { runKills } from '../src/store/civic/testing/kills.ts';

/**
 * Kills a server with SIGKILL a hundred times in the midst of submissions and a hundred times in the midst of merges, each
 * time at a point that the server itself wrote down before it died. `--kills=10` does fewer of each.
 */

const kills = Number(process.argv.find((arg) => arg.startsWith('--kills='))?.slice('--kills='.length) ?? 100);
const rows = await runKills({ writes: kills, merges: kills });
console.log('| killed when | kills | under way | answered before | lost, torn or doubled |\n|---|--:|--:|--:|--:|');
for (const { point, kills, underWay, answered, faults } of rows) {
  console.log(`| ${point} | ${kills} | ${underWay} | ${answered} | ${faults.length} |`);
  for (const fault of faults) console.error(`${point}: ${fault}`);
}
if (rows.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
