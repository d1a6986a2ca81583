import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { lateLibrary } from '../../libraries/late-library.ts';
import { ADAPTER_LIMITS } from '../adapters/limits.ts';
import { readText } from '../config/update-file.ts';

const writeFileAtomic = lateLibrary<typeof import('write-file-atomic')>('write-file-atomic');

/** Stores outputs that are too long for a model. */
export interface OutputStore {
  /** Returns the reference for reading the text again. */
  put(text: string): Promise<string>;
  get(reference: string): Promise<string | undefined>;
}

/** A store in memory, for the lifetime of the process. */
export function memoryOutputs(): OutputStore {
  const outputs = new Map<string, string>();
  return {
    async put(text) {
      const reference = referenceOf(text);
      outputs.delete(reference);
      outputs.set(reference, text);
      let bytes = 0;
      for (const [key, kept] of [...outputs].reverse()) {
        bytes += kept.length;
        if (bytes > ADAPTER_LIMITS.outputsKeptBytesMax && key !== reference) outputs.delete(key);
      }
      for (const key of [...outputs.keys()].slice(0, -ADAPTER_LIMITS.outputsKeptMax)) outputs.delete(key);
      return reference;
    },
    get: async (reference) => outputs.get(reference),
  };
}

/** A store of files in a folder, which is created with the first output. */
export function folderOutputs(folder: string): OutputStore {
  const fileOf = (reference: string) => join(folder, `${reference}.txt`);
  return {
    async put(text) {
      const reference = referenceOf(text);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFileAtomic()(fileOf(reference), text, { mode: 0o600 });
      await prune(folder, `${reference}.txt`);
      return reference;
    },
    async get(reference) {
      if (!/^out_[0-9a-f]{24}$/.test(reference)) return undefined;
      const text = await readText(fileOf(reference));
      const now = new Date();
      // Reading an output postpones its eviction.
      if (text !== undefined) await utimes(fileOf(reference), now, now);
      return text;
    },
  };
}

/** Equal texts have equal references. */
function referenceOf(text: string): string {
  return `out_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
}

async function prune(folder: string, newest: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^out_[0-9a-f]{24}\.txt$/.test(name) && name !== newest);
  const files = await Promise.all(
    names.map(async (name) => {
      const { mtimeMs, size } = await stat(join(folder, name));
      return { name, mtimeMs, size };
    }),
  );
  let bytes = (await stat(join(folder, newest))).size;
  let count = 1;
  for (const { name, size } of files.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
    bytes += size;
    count += 1;
    if (bytes > ADAPTER_LIMITS.outputsKeptBytesMax || count > ADAPTER_LIMITS.outputsKeptMax)
      await rm(join(folder, name), { force: true });
  }
}
