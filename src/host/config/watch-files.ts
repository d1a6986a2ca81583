import { type StatsListener, unwatchFile, watchFile } from 'node:fs';

/** Looking twice a second finds a change within a second, also on file systems that announce none. */
const LOOK_EVERY_MS = 500;

/** Calls back after one of the files was made, changed, replaced or removed; gives the function that ends it. */
export function watchFiles(files: readonly string[], onChange: () => void): () => void {
  const listener: StatsListener = (now, before) => {
    // The time of change is there for new permissions, and for editors that set the time of the last write back.
    const same = (['mtimeMs', 'ctimeMs', 'size', 'ino'] as const).every((member) => now[member] === before[member]);
    if (!same) onChange();
  };
  // Who works in the home folder has one file as the person's and the project's: a change of it is one change.
  const watched = new Set(files);
  for (const file of watched) watchFile(file, { interval: LOOK_EVERY_MS, persistent: false }, listener);
  return () => {
    for (const file of watched) unwatchFile(file, listener);
  };
}
