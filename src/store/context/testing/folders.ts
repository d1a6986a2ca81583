import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { BuildRequest } from '../../../context/ports.ts';
import { createCacheBuilder } from '../build-cache.ts';

/** Runs `use` with a temporary folder. */
export async function inFolder<T>(use: (folder: string) => Promise<T> | T): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-context-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes files, by path below the folder. */
export function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** Every file below a folder with its bytes as text; the build time is blanked. */
export function snapshot(folder: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path, 'latin1').replace(/"created_at": "[^"]+"/, '"created_at": ""');
    files[path.slice(folder.length + 1)] = text;
  }
  return files;
}

/** Builds `<folder>/cache` from these files. */
export async function buildFrom(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  options: Partial<BuildRequest> = {},
): Promise<string> {
  const cache = join(folder, 'cache');
  const sources = join(folder, 'sources');
  rmSync(sources, { recursive: true, force: true });
  await build({ sources: writeFiles(sources, files), cache, ...options });
  return cache;
}

export function build(
  request: Partial<BuildRequest> & Pick<BuildRequest, 'sources' | 'cache'>,
  signal: AbortSignal = new AbortController().signal,
) {
  const builder = createCacheBuilder({ now: () => Date.UTC(2026, 1, 9) });
  return builder.build({ force: false, incremental: false, gitignore: false, ...request }, signal, () => {});
}
