/**
 * JSON by RFC 8785: members in the order of their UTF-16 code units, numbers and strings as ECMAScript writes them. Members
 * that are undefined are left out. A lone surrogate, which the RFC does not know, is written as its escape.
 */
export function canonicalJson(value: unknown): string {
  // Most values have their members in order already, and then this is what the engine writes by itself.
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

/** Whether every object in a value, at any depth, has its members in order. */
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
