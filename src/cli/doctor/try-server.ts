import { BinderyError } from '../../contract/errors.ts';
import type { Diagnosis } from '../../gateway/administration/diagnosis.ts';
import type { ConfiguredServer } from '../../host/config/configured-servers.ts';
import { type ProbeServer, trouble } from './finding.ts';

const TRY_MS = 30_000;

/** Starts a server once, and reports why it failed. */
export async function tryServer(server: ConfiguredServer, probe: ProbeServer): Promise<Diagnosis[]> {
  const { id, entry } = server;
  const signal = AbortSignal.timeout(TRY_MS);
  try {
    await probe(server, signal);
    return [];
  } catch (thrown) {
    if (signal.aborted) {
      const remedy = `See what it does meanwhile: \`bindery mcp test ${id}\`.`;
      return [trouble('warning', 'servers', `${id} did not answer within ${TRY_MS / 1000} s`, remedy)];
    }
    if (!(thrown instanceof BinderyError)) throw thrown;
    const reason = thrown.detail ?? thrown.message;
    const hasAuth = /bindery mcp auth login/.test(reason);
    const transport = entry?.command === undefined ? 'http' : 'stdio';
    const remedy = hasAuth ? `Sign in: \`bindery mcp auth login ${id}\`.` : triedRemedy(id, transport, reason);
    return [trouble('error', 'servers', `${id}: ${reason}`, remedy)];
  }
}

/** The remedy if no gateway runs that would keep the server's output. */
function triedRemedy(id: string, transport: string, reason: string): string {
  const remedy = remedyOf(id, transport, reason);
  return remedy.includes('mcp logs') ? `Correct it, and try it again: \`bindery mcp test ${id}\`.` : remedy;
}

/** The remedy for a server's failure. */
export function remedyOf(id: string, transport: string | null, reason: string): string {
  if (/\bvariables? .* (?:is|are) not set\b/.test(reason))
    return 'Set it where `bindery up` is started, and start the gateway again.';
  if (/requires authorization|denies access|HTTP 40[13]\b/.test(reason))
    return `Give it a token: \`bindery mcp auth set ${id}\`, or \`headers\` in its entry.`;
  if (transport === 'stdio') return `Its last lines: \`bindery mcp logs ${id}\`.`;
  return `See at which step it fails: \`bindery mcp test ${id}\`.`;
}
