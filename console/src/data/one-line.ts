import type { Approval } from './types.ts';

const VALUE_CHARS = 40;
const MEMBERS = 8;

/** The arguments of a call in one line, as the gateway masked, escaped and cut them; long values are cut, so that each has its place. */
export function argumentsLine({ arguments: args }: Pick<Approval, 'arguments'>): string {
  if (typeof args !== 'object' || args === null) return begun(args ?? {});
  const members = Object.entries(args);
  const line = members.slice(0, MEMBERS).map(([name, value]) => `${name}: ${begun(value)}`);
  return `${line.join(', ')}${members.length > MEMBERS ? ', …' : ''}`;
}

/** The beginning of a value. An escape of the gateway is not cut in two. */
function begun(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, 2 * VALUE_CHARS)) : JSON.stringify(value);
  if (text.length <= VALUE_CHARS) return text;
  return `${text.slice(0, VALUE_CHARS).replace(/\\{1,2}(?:u(?:\{[0-9A-F]*)?)?$/, '')}…`;
}
