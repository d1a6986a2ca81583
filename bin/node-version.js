// Nothing but this file may load before the check: some dependencies crash on an older Node.
export const MAJOR_MIN = 22;
export const MINOR_MIN = 19;

/** Runs a command's module on a supported Node; on an older one says so in one sentence and exits 1. */
export async function runWithSupportedNode(name, run) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < MAJOR_MIN || (major === MAJOR_MIN && minor < MINOR_MIN)) {
    process.stderr.write(
      `error: Bindery needs Node ${MAJOR_MIN}.${MINOR_MIN} or newer, and this is Node ${process.versions.node}: install a newer Node from https://nodejs.org.\n`,
    );
    process.exit(1);
  }
  const [{ keepCompiledCode }, { entry }] = await Promise.all([import('./compile-cache.js'), import('./entry.js')]);
  keepCompiledCode();
  await run(await import(entry(name)));
}
