// Nothing but this file may load before the check: some dependencies crash on an older Node.
export const MAJOR_MIN = 22;
export const MINOR_MIN = 19;

/** Runs a command's module on a supported Node; on an older one says so, with the remedy, and exits 1. */
export async function runWithSupportedNode(name, run) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < MAJOR_MIN || (major === MAJOR_MIN && minor < MINOR_MIN)) {
    process.stderr.write(
      `error: Bindery needs Node ${MAJOR_MIN}.${MINOR_MIN} or newer, and this is Node ${process.versions.node}.\nnext: Install a newer Node from https://nodejs.org.\n`,
    );
    process.exit(1);
  }
  leaveOutSqliteWarning();
  const [{ keepCompiledCode }, { entry }] = await Promise.all([import('./compile-cache.js'), import('./entry.js')]);
  keepCompiledCode();
  await run(await import(entry(name)));
}

/** Node 22 warns of its SQLite in every process that opens a database. Nobody who runs a command can do anything about it; every other warning stays. */
function leaveOutSqliteWarning() {
  const { emitWarning } = process;
  process.emitWarning = (warning, ...rest) => {
    const type = typeof rest[0] === 'string' ? rest[0] : rest[0]?.type;
    const isOfSqlite =
      type === 'ExperimentalWarning' && String(warning).startsWith('SQLite is an experimental feature');
    if (!isOfSqlite) emitWarning.call(process, warning, ...rest);
  };
}
