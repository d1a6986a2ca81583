import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

/**
 * The compiled command, not bundled, so that a profile has the names of its modules: a SIGUSR2 begins a CPU profile, the
 * next one writes it to the file that `CPU_PROFILE_FILE` names. Arguments: those of the command.
 */
const SAMPLE_US = 250;
const file = process.env.CPU_PROFILE_FILE ?? '';
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });

let isRunning = false;
process.on('SIGUSR2', async () => {
  isRunning = !isRunning;
  if (isRunning) return session.post('Profiler.start');
  const { profile } = await session.post('Profiler.stop');
  writeFileSync(`${file}.part`, JSON.stringify(profile));
  renameSync(`${file}.part`, file);
});

const { start } = (await import(new URL('../../dist/cli/start.js', import.meta.url).href)) as {
  start(argv: readonly string[]): Promise<void>;
};
await start(process.argv.slice(2));
