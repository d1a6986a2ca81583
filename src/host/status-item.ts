import { z } from 'zod';
import type { ConfiguredServer } from './config/configured-servers.ts';
import { isTrusted, type TrustEntry } from './trust/trust-store.ts';

/** The state of one server, for commands and programs. */
export const StatusItem = z.object({
  id: z.string(),
  transport: z.string().nullable(),
  source: z.string(),
  enabled: z.boolean(),
  state: z.enum(['disabled', 'stopped', 'connecting', 'auth_required', 'ready', 'error']),
  reason: z.string().nullable(),
  connected: z.boolean(),
  tools: z.number(),
  last_error: z.string().nullable(),
  last_connected_at: z.string().nullable(),
});
export type StatusItem = z.output<typeof StatusItem>;

/** The status of a server from its config alone; `reason` is the fallback. */
export function offlineStatus(
  server: ConfiguredServer,
  trusted: readonly TrustEntry[],
  reason: string | null,
): StatusItem {
  const isInvalid = server.reason !== undefined;
  const untrusted = !isInvalid && !isTrusted(server, trusted);
  const state = isInvalid
    ? 'error'
    : !server.enabled || untrusted
      ? 'disabled'
      : reason === null
        ? 'connecting'
        : 'stopped';
  return {
    id: server.id,
    transport: server.transport,
    source: server.source,
    enabled: server.enabled,
    state,
    reason: server.reason ?? (server.enabled && untrusted ? 'untrusted' : reason),
    connected: false,
    tools: 0,
    last_error: server.reason ?? null,
    last_connected_at: null,
  };
}
