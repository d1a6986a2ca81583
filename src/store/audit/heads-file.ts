import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { NotedHead, NotedHeads } from '../../gateway/audit/verify-chain.ts';

/** Heads from a file, with warnings about lines that could not be read. */
export interface ReadHeads {
  readonly heads: NotedHeads;
  readonly warnings: readonly string[];
}

/** A relative path is resolved from the folder of the configuration. */
export function headsFilePath(configFile: string, written: string | undefined): string | undefined {
  return written === undefined ? undefined : resolve(dirname(configFile), written);
}

/** Appends a line per head. The file may be a pipe to a logger: if it has no reader, this fails instead of blocking. */
export async function appendHeads(file: string, heads: NotedHeads, time: string): Promise<void> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;
  const lines = [...heads].flatMap(([chain, noted]) =>
    noted.map(({ seq, hash }) => `${JSON.stringify({ time, chain, seq, hash })}\n`),
  );
  const handle = await open(file, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
  try {
    await handle.appendFile(lines.join(''));
  } finally {
    await handle.close();
  }
}

/** Reads every head ever recorded in a file. */
export async function readHeadsFile(file: string): Promise<ReadHeads> {
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) return { heads: new Map(), warnings: [`${file}, where heads are noted, cannot be read`] };
  const heads = new Map<string, Map<string, NotedHead>>();
  let unread = 0;
  const handle = await open(file);
  try {
    for await (const line of handle.readLines()) {
      const head = parseLine(line);
      if (!head) unread += 1;
      else
        heads.set(
          head.chain,
          (heads.get(head.chain) ?? new Map()).set(`${head.noted.seq} ${head.noted.hash}`, head.noted),
        );
    }
  } finally {
    await handle.close();
  }
  return {
    heads: new Map([...heads].map(([chain, noted]) => [chain, [...noted.values()]])),
    warnings: unread === 0 ? [] : [`${unread} lines of ${file}, where heads are noted, are not of its form`],
  };
}

function parseLine(line: string): { readonly chain: string; readonly noted: NotedHead } | undefined {
  try {
    const { chain, seq, hash } = JSON.parse(line) as { chain?: unknown; seq?: unknown; hash?: unknown };
    if (typeof chain !== 'string' || !Number.isSafeInteger(seq) || typeof hash !== 'string') return undefined;
    return { chain, noted: { source: 'file', seq: seq as number, hash } };
  } catch {
    return undefined;
  }
}
