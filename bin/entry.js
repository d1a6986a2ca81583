const { statSync } = process.getBuiltinModule('node:fs');

/**
 * The module of a command: joined with all that it needs where that is at least as new as what was compiled, which it always is
 * in a published package; else as it was compiled.
 */
export function entry(name) {
  const joined = new URL(`../dist/bundle/${name}.js`, import.meta.url);
  const compiled = new URL('../.tsbuildinfo/src', import.meta.url);
  const isNew = modifiedMs(joined) > 0 && modifiedMs(joined) >= modifiedMs(compiled);
  return isNew ? joined.href : new URL(`../dist/cli/${name}.js`, import.meta.url).href;
}

function modifiedMs(url) {
  return statSync(url, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
