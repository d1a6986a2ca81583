/** Compiles a permission glob: `*` matches any run without `/`, `?` one character except `/`. Case-sensitive. */
export function compileGlob(glob: string): (name: string) => boolean {
  const segments = glob.split('/').map((segment) => [...segment]);
  return (name) => {
    const given = name.split('/');
    return (
      given.length === segments.length && segments.every((units, at) => matches(units, [...(given[at] as string)]))
    );
  };
}

/** Whether a name in a rule matches only itself. */
export function isGlobFree(name: string): boolean {
  return !/[*?/]/.test(name);
}

/**
 * Matches one segment. After a mismatch, only the last `*` is extended, because earlier ones need not be. So the time is at most the
 * length of the name times the length of the glob.
 */
function matches(glob: readonly string[], name: readonly string[]): boolean {
  let [at, from, star, starFrom] = [0, 0, -1, 0];
  while (from < name.length) {
    if (glob[at] === '*') {
      [star, starFrom] = [at, from];
      at += 1;
    } else if (glob[at] === '?' || glob[at] === name[from]) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      starFrom += 1;
      [at, from] = [star + 1, starFrom];
    } else return false;
  }
  while (glob[at] === '*') at += 1;
  return at === glob.length;
}
