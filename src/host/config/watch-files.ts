import { type StatsListener, unwatchFile, watchFile } from 'node:fs';

/** Looking twice a second finds a change within a second, also on file systems that announce none. */
const LOOK_EVERY_MS = 500;

/** Calls back after one of the files was made, changed, replaced or removed; gives the function that ends it. */
export function watchFiles(files: readonly string[], onChange: () => void): () => void {
  const listener: StatsListener = (now, before) => {
    const same = now.mtimeMs === before.mtimeMs && now.size === before.size && now.ino === before.ino;
    if (!same) onChange();
  };
  for (const file of files) watchFile(file, { interval: LOOK_EVERY_MS, persistent: false }, listener);
  return () => {
    for (const file of files) unwatchFile(file, listener);
  };
}
