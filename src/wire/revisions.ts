import { isObject, type JsonObject } from '../contract/json.ts';

/** Revisions without sessions that we speak. */
export const MODERN_VERSIONS = ['2026-07-28'] as const;

/** The revisions that begin with `initialize`, newest first; we offer the first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** Revision identifiers are dates, so string order is chronological order. */
export function isModernVersion(version: string): boolean {
  return version >= MODERN_VERSIONS[0];
}

/** Members of `_meta` that revision 2026-07-28 defines. */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** `_meta` without the envelope of revision 2026-07-28. */
export function plainMeta(meta: unknown): JsonObject {
  if (!isObject(meta)) return {};
  const envelope: readonly string[] = [META.protocolVersion, META.clientCapabilities, META.clientInfo, META.logLevel];
  return Object.fromEntries(Object.entries(meta).filter(([name]) => !envelope.includes(name)));
}

/** JSON-RPC error numbers of both revisions. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedVersion: -32022,
  urlElicitationRequired: -32042,
} as const;
