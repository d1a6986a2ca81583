/**
 * Whether a schema stays small with the target written in the place of each reference. Each definition can refer to the next
 * one twice, and a text of a few lines is then checked a billion times. A reference back to what is being unfolded counts
 * once: how often it is followed depends on the arguments. One that is not a pointer into the schema cannot be counted.
 */
export function isSmallUnfolded(schema: object, partsMax: number): boolean {
  const known = new Map<object, number>();
  const partsOf = (node: unknown): number => {
    if (typeof node !== 'object' || node === null) return 0;
    const before = known.get(node);
    if (before !== undefined) return before;
    // Within a part with an own address, pointers begin there.
    if (node !== schema && '$id' in node && typeof node.$id === 'string') return Number.POSITIVE_INFINITY;
    known.set(node, 1);
    let parts = 1;
    for (const [name, value] of Object.entries(node)) {
      parts += REFERENCES.has(name) && typeof value === 'string' ? partsOfTarget(value) : partsOf(value);
    }
    known.set(node, parts);
    return parts;
  };
  const partsOfTarget = (reference: string): number => {
    const target = reference === '#' ? schema : reference.startsWith('#/') ? targetOf(schema, reference) : undefined;
    return target === undefined ? Number.POSITIVE_INFINITY : partsOf(target);
  };
  return partsOf(schema) <= partsMax;
}

const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

function targetOf(schema: object, reference: string): unknown {
  let node: unknown = schema;
  for (const step of reference.slice(2).split('/')) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return undefined;
    node = (node as Record<string, unknown>)[name];
  }
  return node;
}
