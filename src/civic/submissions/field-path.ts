/** `sources[id=web].priority` as steps: a member name, or the list element with this id. */
export type FieldStep = { readonly name: string } | { readonly id: string };

const STEP = /^(?!__proto__(?:\[|$))([A-Za-z_][A-Za-z0-9_-]*)(?:\[id=([A-Za-z0-9_-]+)\])?$/;

/** Members that only the server sets, at any depth [SU16]. */
const READONLY_NAMES: ReadonlySet<string> = new Set(['id', 'uid', 'status', 'version', 'origin', 'last_validated']);

/** Undefined if the path contains anything but names, dots and `[id=x]`. */
export function parseFieldPath(path: string): FieldStep[] | undefined {
  const steps: FieldStep[] = [];
  for (const part of path.split('.')) {
    const match = STEP.exec(part);
    if (!match) return undefined;
    steps.push({ name: match[1] as string });
    if (match[2] !== undefined) steps.push({ id: match[2] });
  }
  return steps;
}

export function isReadonlyPath(steps: readonly FieldStep[]): boolean {
  return steps.some((step) => 'name' in step && READONLY_NAMES.has(step.name));
}
