import { publicToolName } from '../../contract/tool-names.ts';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { sha256Hex } from '../../gateway/audit/chain.ts';
import { compareBytes } from '../../gateway/catalogue/compare-bytes.ts';
import { definitionDiff } from '../../gateway/catalogue/definition-diff.ts';
import { EXTRAS, type ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import { changeKey, type ToolChange } from '../../gateway/operations/deps.ts';
import type { AcceptedDefinitions, ChangedDefinition } from '../../store/registry/accepted-definitions.ts';
import { UP_LIMITS } from '../limits.ts';

/** The definitions that wait for a person's acceptance, each with its changes. */
export function toolChanges(offers: readonly ServerOffer[], definitions: AcceptedDefinitions): ToolChange[] {
  return offers
    .flatMap((offer) => definitions.changes(offer))
    .map(({ server, tool, owner, accepted, current }) => ({
      name: tool === EXTRAS ? server : publicToolName(server, tool, 'qualified', sha256Hex),
      server,
      original_name: tool,
      user: owner ?? null,
      status: current.status,
      flags: [...current.flags],
      definition_sha256: current.sha256,
      accepted_sha256: accepted?.sha256 ?? null,
      // Computed only for displayed entries.
      get diff() {
        return definitionDiff(accepted?.definition ?? null, current.definition);
      },
    }))
    .sort((a, b) => compareBytes(changeKey(a), changeKey(b)));
}

/** The audit record of a changed definition, or of a definition that was never accepted. */
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
