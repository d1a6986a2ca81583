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
    const remedy = hasAuth ? `Sign in: \`bindery mcp auth login ${id}\`.` : triedRemedy(server, transport, reason);
    return [trouble('error', 'servers', `${id}: ${reason}`, remedy)];
  }
}

/** A server, and the config file with its entry. */
export interface FailedServer {
  readonly id: string;
  readonly file?: string | undefined;
}

const VARIABLE = /\b[A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|URL)\b/;

/** Variables of the shell do not reach a server, so the entry has to name them. */
function variableRemedy(id: string, file = 'the config', reason = ''): string {
  const name = VARIABLE.exec(reason)?.[0] ?? 'NAME';
  return `It does not get the variables of your shell: add \`"env": { "${name}": "VALUE" }\` to mcp.servers.${id} in ${file}.`;
}

/** The remedy if no gateway runs that would keep the server's output. */
function triedRemedy(server: FailedServer, transport: string, reason: string): string {
  const remedy = remedyOf(server, transport, reason);
  return remedy.includes('mcp logs') ? `Correct it, and try it again: \`bindery mcp test ${server.id}\`.` : remedy;
}

/** The remedy for a server's failure. */
export function remedyOf({ id, file }: FailedServer, transport: string | null, reason: string): string {
  if (/\bit needs a variable that is not set\b/.test(reason)) return variableRemedy(id, file, reason);
  if (/\bvariables? .* (?:is|are) not set\b/.test(reason))
    return 'Set it where `bindery up` is started, and start the gateway again.';
  if (/requires authorization|denies access|HTTP 40[13]\b/.test(reason))
    return `Give it a token: \`bindery mcp auth set ${id}\`, or \`headers\` in its entry.`;
  if (transport === 'stdio') return `Its last lines: \`bindery mcp logs ${id}\`.`;
  return `See at which step it fails: \`bindery mcp test ${id}\`.`;
}
