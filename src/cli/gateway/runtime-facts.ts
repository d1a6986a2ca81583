import { join } from 'node:path';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { definitionDiff } from '../../gateway/catalogue/definition-diff.ts';
import { BREAKER_DEFAULTS } from '../../gateway/guard/breaker.ts';
import type { ServerEntry } from '../../host/config/server-entry.ts';
import { PROXY_LIMITS } from '../../proxy/limits.ts';
import type { ChangedDefinition } from '../../store/registry/accepted-definitions.ts';
import type { EffectiveServer } from './effective-config.ts';

/** A change that is longer is cut in the log; `bindery tools changes` shows all of it. */
const DIFF_CHARS_MAX = 4_000;

export interface PolicyPlaces {
  readonly policyFile: string | undefined;
  readonly configDir: string;
  readonly projectDir: string;
}

/** The policy files that are in force: one that was named, or the person's and the project's. */
export function policyPaths({ policyFile, configDir, projectDir }: PolicyPlaces) {
  if (policyFile !== undefined) return [{ layer: 'file' as const, file: policyFile }];
  return [
    { layer: 'global' as const, file: join(configDir, 'project_mcp.json') },
    { layer: 'project' as const, file: join(projectDir, 'project_mcp.json') },
  ];
}

/** How the registry names a server's address: no arguments, since they hold secrets. */
export function endpointOf(server: EffectiveServer | undefined): string {
  const entry = server?.configured.entry;
  return entry?.url ?? entry?.identity ?? `stdio:${entry?.command ?? ''}`;
}

/** How a server is guarded, by its entry. */
export function guardSettingsOf(entry: ServerEntry | undefined) {
  return {
    breaker: {
      failures: entry?.breaker?.failures ?? BREAKER_DEFAULTS.failures,
      openMs: entry?.breaker?.open_ms ?? BREAKER_DEFAULTS.openMs,
    },
    concurrencyMax:
      entry?.max_concurrency ??
      (entry?.transport === 'stdio' ? PROXY_LIMITS.stdioConcurrencyMax : PROXY_LIMITS.concurrencyMax),
    queueMax: entry?.queue_max ?? PROXY_LIMITS.queueMax,
  };
}

/** The record of a definition that is not the accepted one. */
export function changeEntry(
  { server, tool, accepted, current }: ChangedDefinition,
  { newCallId, now }: { newCallId(): string; now(): string },
): AuditEntry {
  return {
    kind: 'system',
    phase: 'single',
    call_id: newCallId(),
    time: now(),
    action: 'definition_changed',
    server,
    tool,
    arguments: {
      accepted_sha256: accepted.sha256,
      definition_sha256: current.sha256,
      status: current.status,
      diff: definitionDiff(accepted.definition, current.definition).slice(0, DIFF_CHARS_MAX),
    },
  };
}
