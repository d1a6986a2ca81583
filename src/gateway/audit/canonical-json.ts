/**
 * RFC 8785 JSON: members sorted by UTF-16 code units, numbers and strings as in ECMAScript. Omits undefined members. Escapes a lone
 * surrogate, which the RFC does not cover.
 */
export function canonicalJson(value: unknown): string {
  // Fast path: most values are already sorted, so `JSON.stringify` gives the same text.
  return isInOrder(value) ? (JSON.stringify(value) ?? 'null') : ordered(value);
}

function ordered(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(ordered).join(',')}]`;
  const members = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const name of Object.keys(members).sort()) {
    const member = members[name];
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${ordered(member)}`;
  }
  return `{${text}}`;
}

/** Whether the members of every object, at any depth, are sorted. */
export function isInOrder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isInOrder);
  let before = '';
  for (const name of Object.keys(value)) {
    if (name < before || !isInOrder((value as Readonly<Record<string, unknown>>)[name])) return false;
    before = name;
  }
  return true;
}
