const NAME = /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/;
const SCHEME = /^(?:ai|mcp):\/\//i;

/** A host name with at least one dot, and perhaps a port. */
const AUTHORITY = /^(?=[^:]{1,253}(?::|$))[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+(?::[1-9][0-9]{0,4})?$/;

export interface Identity {
  /** The canonical name: the key of its zone everywhere. */
  readonly name: string;
  /** The resolver of the name, as `host.example` or `host.example:8443`; absent: this one. */
  readonly authority?: string;
  /** The text after `@` if it is not a host name; the resolution ignores it. */
  readonly authorityHint?: string;
}

/**
 * Parses an identity in any spelling; undefined if it is not one. Nothing is repaired: other characters are refused, and so
 * is a path, which a resolution would have to drop.
 */
export function parseIdentity(input: string): Identity | undefined {
  if (isName(input)) return { name: input };
  const rest = input.replace(SCHEME, '').replace(/\/$/, '');
  if (/[?#%]/.test(rest)) return undefined;
  const at = rest.indexOf('@');
  const name = lowerAscii(at < 0 ? rest : rest.slice(0, at));
  if (!isName(name)) return undefined;
  if (at < 0) return { name };
  const authorityHint = rest.slice(at + 1);
  const authority = lowerAscii(authorityHint);
  if (AUTHORITY.test(authority)) return { name, authority };
  const [host = '', ...path] = authority.split('/');
  return path.length > 0 && AUTHORITY.test(host) ? undefined : { name, authorityHint };
}

/** The key of an identity's zone: its name, followed by the resolver if it is another one. */
export function zoneKey({ name, authority }: Identity): string {
  return authority === undefined ? name : `${name}@${authority}`;
}

/** The name in the key of a zone, without the resolver. */
export function bareName(key: string): string {
  const at = key.indexOf('@');
  return at < 0 ? key : key.slice(0, at);
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
