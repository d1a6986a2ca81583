import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { definitionDiff } from '../../gateway/catalogue/definition-diff.ts';
import { EXTRAS } from '../../gateway/catalogue/server-offer.ts';
import type { ChangedDefinition } from '../../store/registry/accepted-definitions.ts';
import { UP_LIMITS } from '../limits.ts';

/** The record of a definition that is not the accepted one, or that is held because nobody accepted one. */
export function changeEntry(
  { server, tool, owner, accepted, current }: ChangedDefinition,
  { newCallId, now }: { newCallId(): string; now(): string },
): AuditEntry {
  return {
    kind: 'system',
    phase: 'single',
    call_id: newCallId(),
    time: now(),
    action: accepted ? 'definition_changed' : 'definition_held',
    server,
    ...(tool === EXTRAS ? {} : { tool }),
    arguments: {
      ...(owner === undefined ? {} : { user: owner }),
      ...(accepted ? { accepted_sha256: accepted.sha256 } : {}),
      definition_sha256: current.sha256,
      status: current.status,
      diff: definitionDiff(accepted?.definition ?? null, current.definition, UP_LIMITS.changeDiffCharsMax),
    },
  };
}
