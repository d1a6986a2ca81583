import type { Client } from '../message/client.ts';

/**
 * Programs that stand between a 2025 client and us, and speak revision 2026-07-28 only as far as they can translate it: they lose
 * cancellation, URL elicitation and updates of resources on the way. They try `server/discover` first and fall back to `initialize`;
 * if the method is unknown to them, their client falls back to its own revision and loses nothing.
 */
const LEGACY_BRIDGE = /\(via mcp-remote [^()]*\)$/;

export function isLegacyBridge({ info }: Pick<Client, 'info'>): boolean {
  return info !== undefined && LEGACY_BRIDGE.test(info.name);
}
