const NAME = /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/;
const SCHEME = /^(?:ai|mcp):\/\//i;

export interface Identity {
  /** The canonical name: the key of its zone everywhere. */
  readonly name: string;
  /** What stood behind `@`; it plays no part in the resolution. */
  readonly authorityHint?: string;
}

/** Reads a spelling of an identity; undefined where it is none. Nothing is repaired: other characters are refused. */
export function parseIdentity(input: string): Identity | undefined {
  if (isName(input)) return { name: input };
  const rest = input.replace(SCHEME, '');
  if (/[?#%]/.test(rest)) return undefined;
  const at = rest.indexOf('@');
  const beforeAt = at < 0 ? rest : rest.slice(0, at);
  const slash = beforeAt.indexOf('/');
  const name = lowerAscii(slash < 0 ? beforeAt : beforeAt.slice(0, slash));
  if (!isName(name)) return undefined;
  return at < 0 ? { name } : { name, authorityHint: rest.slice(at + 1) };
}

export function isName(text: string): boolean {
  return NAME.test(text);
}

/** The public spelling of a name. */
export function toUri(name: string): string {
  return `ai://${name}`;
}

/** Lower case of A–Z alone: other letters have lower-case forms that would become ASCII. */
export function lowerAscii(text: string): string {
  return /[A-Z]/.test(text) ? text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) : text;
}
