import { OAUTH_LIMITS as LIMITS } from './limits.ts';

/** A parsed `WWW-Authenticate: Bearer …` header. */
export interface BearerChallenge {
  /** Whether there is a Bearer challenge. */
  readonly asksForToken: boolean;
  readonly resourceMetadata: string | undefined;
  readonly scope: string | undefined;
  readonly error: string | undefined;
}

export const NO_CHALLENGE: BearerChallenge = {
  asksForToken: false,
  resourceMetadata: undefined,
  scope: undefined,
  error: undefined,
};
const SCHEMES = new Set(['bearer', 'dpop']);
const BLANKS = /[\s,]*/y;
const TOKEN = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
const EQUALS = /\s*=\s*/y;
const PLAIN_VALUE = /[^\s,"]*/y;

/** Parses the Bearer challenge of a header; ignores other schemes. If a parameter is repeated, the first one counts. */
export function parseChallenge(header: string | undefined): BearerChallenge {
  if (header === undefined || header.length > LIMITS.challengeCharsMax) return NO_CHALLENGE;
  const found = new Map<string, string>();
  let isOurs = false;
  let asksForToken = false;
  for (let at = 0; at < header.length; ) {
    at = matchEnd(BLANKS, header, at);
    const nameEnd = matchEnd(TOKEN, header, at);
    if (nameEnd === at) {
      // Skip stray text, such as a value without a name.
      at = header[at] === '"' ? readQuoted(header, at).end : at + 1;
      continue;
    }
    const name = header.slice(at, nameEnd).toLowerCase();
    const valueStart = matchEnd(EQUALS, header, nameEnd);
    if (valueStart === nameEnd) {
      isOurs = SCHEMES.has(name);
      asksForToken ||= isOurs;
      at = nameEnd;
      continue;
    }
    const { value, end } = readValue(header, valueStart);
    if (isOurs && value !== undefined && !found.has(name)) found.set(name, value);
    at = end;
  }
  return {
    asksForToken,
    resourceMetadata: found.get('resource_metadata'),
    scope: found.get('scope'),
    error: found.get('error'),
  };
}

interface Value {
  /** Undefined if it is absent or unterminated. */
  readonly value: string | undefined;
  readonly end: number;
}

function readValue(header: string, at: number): Value {
  if (header[at] === '"') return readQuoted(header, at);
  const end = matchEnd(PLAIN_VALUE, header, at);
  return { value: end > at ? header.slice(at, end) : undefined, end };
}

/** A quoted string. */
function readQuoted(header: string, start: number): Value {
  let value = '';
  let from = start + 1;
  for (let at = from; at < header.length; at += 1) {
    if (header[at] === '"') return { value: value + header.slice(from, at), end: at + 1 };
    if (header[at] !== '\\') continue;
    value += header.slice(from, at);
    at += 1;
    from = at;
  }
  return { value: undefined, end: header.length };
}

/** The end of the pattern's match at this position; the position itself if it does not match. */
function matchEnd(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}
