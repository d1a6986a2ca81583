import { notPublicHost } from '../contract/public-address.ts';
import { BIND_LIMITS } from './limits.ts';

export interface Endpoint {
  /** The canonical URL: lower-case host, punycode, no default port. */
  readonly href: string;
  /** The spelling of its host is not public: served only if the policy allows it. */
  readonly isPrivate: boolean;
}

/** The canonical form of an MCP endpoint; undefined if the value is not an acceptable HTTPS URL. */
export function parseEndpoint(value: unknown): Endpoint | undefined {
  if (typeof value !== 'string' || value.length > BIND_LIMITS.endpointLengthMax) return undefined;
  if (/[\s\p{Cc}]/u.test(value)) return undefined;
  // `URL` also accepts `https:h`, `https:\\h` and `https:///h`, which other parsers read differently.
  if (!/^https:\/\/[^/\\]/i.test(value) || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  if (url.hostname === '' || url.port === '0') return undefined;
  if (hasUserinfo(value) || value.includes('#')) return undefined;
  if (url.href.length > BIND_LIMITS.endpointLengthMax) return undefined;
  // Most values are canonical already; sharing the string keeps a zone small in memory.
  return { href: url.href === value ? value : url.href, isPrivate: notPublicHost(url.hostname) !== undefined };
}

/** Also finds an empty one (`https://@host/`), which the parsed URL does not show. */
function hasUserinfo(value: string): boolean {
  const authority = value.replace(/^[^:]*:[/\\]*/, '').split(/[/\\?#]/, 1)[0] as string;
  return authority.includes('@');
}
