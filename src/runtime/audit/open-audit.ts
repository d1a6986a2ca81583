import type { AuditLog } from '../../proxy/call/ports.ts';
import { AuditWriter } from '../../store/audit/audit-writer.ts';
import { headsFilePath } from '../../store/audit/heads-file.ts';
import { takeSlotOf } from '../../store/audit/slot-lock.ts';
import type { GatewayRuntime } from '../gateway-runtime.ts';
import type { GatewayRuntimeOptions } from '../runtime-options.ts';
import { AuditUpkeep } from './audit-upkeep.ts';

/** Opens the chain of this process. One of several nodes writes chains of its own name alone: others have such names too. */
export function openAudit(options: GatewayRuntimeOptions): AuditWriter {
  return AuditWriter.open(options, options.shared && takeSlotOf(options.dataDir, options.node));
}

/** Where calls are recorded. */
export function callLog({ audit, shared, config }: Pick<GatewayRuntime, 'audit' | 'shared' | 'config'>): AuditLog {
  return shared?.log(audit, () => config.settings.audit?.sync === 'database') ?? audit;
}

/** Who looks after the audit log. */
export function auditUpkeep(
  { audit: writer, shared, config }: Pick<GatewayRuntime, 'audit' | 'shared' | 'config'>,
  { dataDir, registryFile, configFile, follower, clock, random, log }: GatewayRuntimeOptions,
): AuditUpkeep {
  const settings = () => config.settings.audit;
  // One process writes it for all: workers note their ends in the registry.
  const headsFile = () => (follower ? undefined : headsFilePath(configFile, settings()?.heads_file));
  const heads = () => shared?.heads();
  return new AuditUpkeep({ writer, dataDir, registryFile, headsFile, heads, settings, clock, random, log });
}
