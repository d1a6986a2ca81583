import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE_BYTES_MAX = 1024 * 1024 * 1024;

/** Files below these folders that hold one of these texts, as it is or as JSON has it. */
export function findTexts(dirs: readonly string[], texts: readonly string[]): string[] {
  const wanted = [...new Set(texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]))].map((text) =>
    Buffer.from(text),
  );
  if (wanted.length === 0) return [];
  return dirs.flatMap((dir) =>
    readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .map((name) => join(dir, name))
      .filter((path) => {
        const stats = lstatSync(path, { throwIfNoEntry: false });
        if (!stats?.isFile() || stats.size > FILE_BYTES_MAX) return false;
        const bytes = readFileSync(path);
        return wanted.some((text) => bytes.includes(text));
      }),
  );
}
