import { createMemoryLog } from '../../../contract/testing/memory-log.ts';
import { FolderZones } from '../folder-zones.ts';

// Writes one zone repeatedly until it is refused, and prints how many were stored: `write-until-refused.ts <folder>`.
const TURNS_MAX = 200;
// Without a listener, the lock's library ends the process at this signal; a full disk sends none.
process.on('SIGXFSZ', () => {});
const store = new FolderZones(process.argv[2] as string, createMemoryLog());
let stored = 0;
try {
  for (; stored < TURNS_MAX; stored += 1) {
    const text = JSON.stringify({ identity: 'acme', turn: stored, records: [] });
    await store.update('acme', new Date().toISOString(), () => ({ text, by: 'test' }));
  }
} catch (error) {
  process.stdout.write(JSON.stringify([stored, (error as { code: string }).code]));
}
await store.close();
