/** What a `WWW-Authenticate: Bearer …` header says. */
export interface BearerChallenge {
  readonly resourceMetadata: string | undefined;
  readonly scope: string | undefined;
  readonly error: string | undefined;
}

const NONE: BearerChallenge = { resourceMetadata: undefined, scope: undefined, error: undefined };
const PARAMETER = /([a-zA-Z0-9_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g;

/** Whether the server asks for a token at all. */
export function asksForToken(header: string | undefined): boolean {
  return beginOf(header) >= 0;
}

function beginOf(header: string | undefined): number {
  return header === undefined ? -1 : header.search(/(?:^|,\s*)(?:Bearer|DPoP)(?:\s|$)/i);
}

/** Reads the Bearer challenge of a header; other schemes in it are passed over. */
export function parseChallenge(header: string | undefined): BearerChallenge {
  const start = beginOf(header);
  if (header === undefined || start < 0) return NONE;
  const found: Record<string, string> = {};
  for (const [, name = '', quoted, plain] of header.slice(start).matchAll(PARAMETER)) {
    found[name.toLowerCase()] ??= quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '';
  }
  return { resourceMetadata: found.resource_metadata, scope: found.scope, error: found.error };
}
