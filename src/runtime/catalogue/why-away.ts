import { BinderyError } from '../../contract/errors.ts';
import { knownCause } from '../../host/connection/supervision/likely-cause.ts';

/** What is known about a server that offers nothing. */
export interface AwayFacts {
  readonly config: {
    find(id: string): { readonly state: string | undefined; readonly reason: string | undefined } | undefined;
  };
  readonly connections: {
    readonly host: {
      statusOf(
        id: string,
      ):
        | { readonly state: string; readonly reason: string | undefined; readonly lastError: string | undefined }
        | undefined;
    };
  };
}

/**
 * Why a server offers nothing, for callers. It consists of Bindery's own phrases only: what `mcp status` shows can hold paths, addresses,
 * and words of the server.
 */
export function whyAway({ config, connections }: AwayFacts, server: string): BinderyError {
  const configured = config.find(server);
  if (configured?.state !== undefined) {
    const detail = CONFIGURED.get(configured.reason ?? '') ?? `the entry of the server ${server} is invalid`;
    return new BinderyError('SERVER_UNAVAILABLE', { detail: detail.replace('SERVER', server) });
  }
  const status = connections.host.statusOf(server);
  if (status?.state === 'auth_required')
    return new BinderyError('AUTH_REQUIRED', {
      next: `Ask a person to sign in with \`bindery mcp auth login ${server}\`.`,
    });
  const why = toldReason(status?.lastError) ?? toldReason(status?.reason);
  const how = status === undefined || status.state === 'error' ? 'did not start' : 'has not started yet';
  return new BinderyError('SERVER_UNAVAILABLE', {
    detail: `the server ${server} ${how}${why === undefined ? '' : `: ${why}`}`,
    next: `Look at \`bindery mcp logs ${server}\`. Use a tool of another server meanwhile.`,
  });
}

const CONFIGURED: ReadonlyMap<string, string> = new Map([
  ['disabled', 'the server SERVER is switched off'],
  ['untrusted', 'a person has not trusted the server SERVER yet'],
]);

/** Failures in words of ours, without the text that follows them. */
const PHRASES = [
  /^the server ended(?: with (?:exit code \d{1,10}|SIG[A-Z0-9]{2,8}))?(?=;|$|\.| \()/,
  /^the server did not start within \d{1,12} ms/,
  /^waiting for its [a-z ]{1,40} for \d{1,12} s/,
  /^the server answered HTTP \d{3}/,
  /^the server (?:does not read its input|floods its stdout with lines that are no messages)/,
  /^the server did not answer [a-z/]{1,40} (?:for|within) \d{1,12} ms/,
];

/** The part of a failure's text that callers may read; undefined: nothing of it. */
export function toldReason(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const phrase = PHRASES.flatMap((pattern) => pattern.exec(text)?.[0] ?? [])[0];
  const cause = knownCause(text);
  const noise = /; (it printed a line that is not MCP): /.exec(text)?.[1];
  const parts = [phrase, noise, cause === undefined ? undefined : `likely cause: ${cause}`];
  return parts.some((part) => part !== undefined) ? parts.filter((part) => part !== undefined).join('; ') : undefined;
}
