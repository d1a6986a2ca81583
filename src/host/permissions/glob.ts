/** Compiles a permission glob: `*` is any run without `/`, `?` one character other than `/`; case counts. */
export function compileGlob(glob: string): (name: string) => boolean {
  const source = [...glob].map((unit) => (unit === '*' ? '[^/]*' : unit === '?' ? '[^/]' : escapeUnit(unit))).join('');
  const pattern = new RegExp(`^${source.replaceAll(/(?:\[\^\/\]\*)+/g, '[^/]*')}$`, 'su');
  return (name) => pattern.test(name);
}

/** Whether a name can stand in a rule and mean itself alone. */
export function isGlobFree(name: string): boolean {
  return !/[*?/]/.test(name);
}

function escapeUnit(unit: string): string {
  return /[\\^$.+()[\]{}|/]/.test(unit) ? `\\${unit}` : unit;
}
