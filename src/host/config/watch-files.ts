import { type StatsListener, unwatchFile, watchFile } from 'node:fs';

/** Polling twice a second finds a change within a second, also on file systems without change events. */
const LOOK_EVERY_MS = 500;

/** Calls back after one of the files is created, changed, replaced or removed; returns a function that stops watching. */
export function watchFiles(files: readonly string[], onChange: () => void): () => void {
  const listener: StatsListener = (now, before) => {
    // `ctime` also shows changed permissions, and editors that restore `mtime`.
    const same = (['mtimeMs', 'ctimeMs', 'size', 'ino'] as const).every((member) => now[member] === before[member]);
    if (!same) onChange();
  };
  // In the home folder, the user's and the project's file are the same: report one change.
  const watched = new Set(files);
  for (const file of watched) watchFile(file, { interval: LOOK_EVERY_MS, persistent: false }, listener);
  return () => {
    for (const file of watched) unwatchFile(file, listener);
  };
}
