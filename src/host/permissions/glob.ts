/** Compiles a permission glob: `*` is any run without `/`, `?` one character other than `/`; case counts. */
export function compileGlob(glob: string): (name: string) => boolean {
  const segments = glob.split('/').map((segment) => [...segment]);
  return (name) => {
    const given = name.split('/');
    return (
      given.length === segments.length && segments.every((units, at) => matches(units, [...(given[at] as string)]))
    );
  };
}

/** Whether a name can stand in a rule and mean itself alone. */
export function isGlobFree(name: string): boolean {
  return !/[*?/]/.test(name);
}

/**
 * Whether a segment fits. Where it does not go on, the last `*` takes one character more: one before it need not, so the time is
 * at most the length of the name for every character of the glob.
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
