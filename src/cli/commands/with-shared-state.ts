import type { Clock, Log } from '../../contract/ports.ts';
import type { SharedState } from '../../runtime/nodes/shared-state.ts';
import { createLog } from '../log.ts';

const clock: Clock = { now: Date.now };

/** Runs a command on the shared state without joining as a node. Flushes its changes when done. */
export async function withSharedState<T>(
  url: string,
  registryFile: string,
  work: (shared: SharedState) => T | Promise<T>,
): Promise<T> {
  const log: Log = createLog((line) => process.stderr.write(line), 'error');
  const { openDatabase } = await import('../../store/postgres/open-database.ts');
  const { openSharedState } = await import('../../runtime/nodes/shared-state.ts');
  const database = await openDatabase(url, log);
  try {
    const shared = await openSharedState(database, { registryFile, clock, log });
    try {
      const done = await work(shared);
      await shared.registry.flush();
      return done;
    } finally {
      await shared.close();
    }
  } finally {
    await database.close();
  }
}
