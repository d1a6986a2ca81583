import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flameGraph } from './gateway/flame-graph.ts';
import { type Load, run } from './gateway/load.ts';
import { endAll, loadAverage, start } from './gateway/processes.ts';
import { profileTree, treeLines } from './gateway/profile-tree.ts';
import { bindery, UPSTREAM } from './gateway/subjects.ts';

/**
 * How the gateway spends the time of a call: a CPU profile of `--calls=N` calls after a warm-up, at 32 concurrent calls and one at a
 * time, as a tree in shares. Parts below `--least=PERCENT` are left out. `--svg=FOLDER` also writes each as a flame graph.
 */
const option = (name: string, otherwise: number) =>
  Number(process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split('=')[1] ?? otherwise);
const CALLS = option('calls', 25_000);
const LEAST_PERCENT = option('least', 1);
const SVG_FOLDER = process.argv.find((argument) => argument.startsWith('--svg='))?.slice('--svg='.length);
const WARM_UP_CALLS = 20_000;
const LOADS: readonly Load[] = [
  { name: '32 concurrent', tool: 'echo', upstream: 'json', concurrency: 32, calls: CALLS },
  { name: 'one at a time', tool: 'echo', upstream: 'json', concurrency: 1, calls: CALLS },
];
const folder = mkdtempSync(join(tmpdir(), 'bindery-profile-'));
const file = join(folder, 'load.cpuprofile');

try {
  const upstream = await start(process.execPath, [UPSTREAM]);
  const program = join(import.meta.dirname, 'gateway', 'profiled-bindery.ts');
  const subject = await bindery(upstream.url, folder, 1, { file: program, env: { CPU_PROFILE_FILE: file } });
  const [gateway] = subject.pids() as [number];
  await run(subject, { ...(LOADS[0] as Load), calls: WARM_UP_CALLS });
  for (const load of LOADS) {
    process.kill(gateway, 'SIGUSR2');
    const { cpuUs } = await run(subject, load);
    process.kill(gateway, 'SIGUSR2');
    while (!existsSync(file)) await new Promise((next) => setTimeout(next, 50));
    const tree = profileTree(JSON.parse(readFileSync(file, 'utf8')));
    rmSync(file);
    if (!tree.below.has('proxy/call/pipeline')) throw new Error('the profile does not show the calls');
    const title = `${load.name}: ${CALLS} calls, ${Math.round(cpuUs ?? 0)} µs of CPU each with the profiler`;
    console.log(`${title}, load average ${loadAverage()}\n\n${treeLines(tree, LEAST_PERCENT).join('\n')}\n`);
    if (SVG_FOLDER !== undefined)
      writeFileSync(join(SVG_FOLDER, `flame-${load.name.replaceAll(' ', '-')}.svg`), flameGraph(tree, title));
  }
} finally {
  await endAll();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
