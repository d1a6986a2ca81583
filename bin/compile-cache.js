// Taken as objects: an import reads every name of theirs, and one of `node:fs` loads all of its streams.
const { mkdirSync, statSync } = process.getBuiltinModule('node:fs');
const { enableCompileCache } = process.getBuiltinModule('node:module');
const { tmpdir } = process.getBuiltinModule('node:os');
const { join } = process.getBuiltinModule('node:path');

/**
 * Keeps what the engine compiled for the next start, in a folder that only this user can write: whoever can write there can
 * run code here. Where there is no such folder, the start is slower and nothing else.
 */
export function keepCompiledCode() {
  const user = process.getuid?.();
  if (user === undefined || process.env.NODE_COMPILE_CACHE !== undefined) return;
  try {
    const folder = join(tmpdir(), `bindery-compiled-${user}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    if (uid === user && (mode & 0o077) === 0) enableCompileCache(folder);
  } catch {
    // No cache, then.
  }
}
