import { visibleLine } from './visible-text.ts';

/** The JSON pointer to a member. */
export function pointerTo(...parts: readonly (string | number)[]): string {
  return parts.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The value that a JSON pointer leads to, if there is one. Names also match in the form shown to people. */
export function valueAt(root: unknown, pointer: string): { readonly value: unknown } | undefined {
  if (pointer === '') return { value: root };
  if (!pointer.startsWith('/')) return undefined;
  let value = root;
  for (const part of pointer.slice(1).split('/')) {
    if (typeof value !== 'object' || value === null) return undefined;
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const names = Object.keys(value);
    const found = names.includes(name) ? name : names.find((own) => visibleLine(own) === name);
    if (found === undefined) return undefined;
    value = (value as Record<string, unknown>)[found];
  }
  return { value };
}
