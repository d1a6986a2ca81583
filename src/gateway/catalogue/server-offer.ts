import type { JsonObject } from '../../contract/json.ts';
import { canonicalJson } from '../audit/canonical-json.ts';
import { sha256Hex } from '../audit/chain.ts';
import type { DefinitionFlag } from './definition-limits.ts';
import { type AskedCapability, isUsableName, preparedTool, type RawTool } from './tool-definition.ts';

/** A server's catalogue from the host. */
export interface RawCatalogue {
  readonly tools: readonly RawTool[];
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
}

export type ToolStatus = 'active' | 'changed' | 'quarantined' | 'removed';

export interface OfferedTool {
  /** Within the limits, and with its original name. */
  readonly definition: RawTool;
  readonly sha256: string;
  readonly flags: readonly DefinitionFlag[];
  readonly status: ToolStatus;
  /** Why it is quarantined. */
  readonly reason?: 'name_conflict' | 'not_accepted';
  /** Capabilities that a client must declare to see it; absent: every client does. */
  readonly needs?: readonly AskedCapability[];
}

/** Whether the server declares the tool as read-only. */
export function readsOnly({ definition }: Pick<OfferedTool, 'definition'>): boolean {
  return definition.annotations?.readOnlyHint === true;
}

/**
 * When a server first listed its items, in milliseconds since 1970: if two servers list the same, the first one keeps it. Items of the
 * server's first listing share one time.
 */
export interface Claims {
  readonly since: number;
  /** Times of items that were added later, by kind and name. */
  readonly later: Readonly<Record<string, number>>;
  /** Its resources were usable once: quarantine does not give their URIs to another server. */
  readonly wereUsable?: true;
}

/** A server's stored offer: enough to answer every list while it is offline. */
export interface ServerOffer {
  readonly server: string;
  /** The only caller who sees it; absent: all callers do. */
  readonly owner?: string;
  readonly era: '2025' | '2026' | null;
  readonly protocolVersion: string | null;
  readonly serverInfo: JsonObject | null;
  readonly capabilities: JsonObject;
  readonly instructions: string | null;
  readonly tools: readonly OfferedTool[];
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  /** When the server first listed its items; absent: before claims were stored. */
  readonly claims?: Claims;
  /** `plainDigest` at the last probe for tools that only some clients see. */
  readonly probedFor?: string;
  /** Whether prompts, resources and instructions are quarantined; absent: they are not. */
  readonly extras?: OfferedExtras;
  /** The server's endpoint in the registry: another server with the same name did not make this offer. */
  readonly endpoint?: string;
  /** The registration of a server that registered itself: a removed registration did not make this offer. */
  readonly registration?: string;
}

/** Identifies the server of an offer, because a name can pass from one server to another. */
export interface ServerIdentity {
  readonly server: string;
  /** Empty for a server from the config. */
  readonly registration: string;
  /** Empty for a server that registered itself, because a registration never changes its address. */
  readonly endpoint: string;
}

export function identityOf({
  server,
  registration = '',
  endpoint = '',
}: Pick<ServerOffer, 'server' | 'registration' | 'endpoint'>): ServerIdentity {
  return { server, registration, endpoint: registration === '' ? endpoint : '' };
}

/**
 * Everything that a server offers besides tools: instructions, prompts, resources and templates. It is quarantined as a whole or not at
 * all.
 */
export interface OfferedExtras {
  readonly sha256: string;
  readonly status: Exclude<ToolStatus, 'removed'>;
}

/** The name under which the extras of a server are accepted; no tool can have it. */
export const EXTRAS = '';

/** A definition that a person reviewed: of a tool, or of the extras (`EXTRAS`). */
export interface SeenDefinition {
  readonly tool: string;
  readonly sha256: string;
}

/** How to treat a definition that is not accepted. */
export interface PinPolicy {
  /** A changed definition is held until a person accepts it. */
  readonly pinned: boolean;
  /** A new definition is held too. */
  readonly quarantined?: boolean;
  /** The digest last in use, by original tool name, including removed tools; the extras are under `EXTRAS`. */
  readonly inUse: ReadonlyMap<string, string>;
  /** Whether a person accepted exactly this definition. */
  readonly isAccepted?: (tool: string, sha256: string) => boolean;
}

/** Converts a catalogue to offered tools: limited, digested, and held if a person has to review them first. */
export function offeredTools(raw: readonly RawTool[], pins: PinPolicy): OfferedTool[] {
  const seen = new Set<string>();
  return raw.map((tool) => {
    const { sha256, tool: definition, flags } = preparedTool(tool);
    const unusable = !isUsableName(tool.name) || seen.has(tool.name);
    seen.add(tool.name);
    if (unusable) return { definition, sha256, flags, status: 'quarantined', reason: 'name_conflict' };
    return { definition, sha256, flags, ...judgedByPins(tool.name, sha256, pins) };
  });
}

/** Applies another pin policy to the same definitions. */
export function repinned(tools: readonly OfferedTool[], pins: PinPolicy): OfferedTool[] {
  return tools.map(({ status, reason, ...tool }) =>
    reason === 'name_conflict'
      ? { ...tool, status, reason }
      : { ...tool, ...judgedByPins(tool.definition.name, tool.sha256, pins) },
  );
}

/** Earlier use satisfies pinning only: quarantine needs a person's acceptance. */
function judgedByPins(tool: string, sha256: string, pins: PinPolicy): Pick<OfferedTool, 'status' | 'reason'> {
  const { pinned, quarantined, inUse, isAccepted } = pins;
  if ((!pinned && !quarantined) || isAccepted?.(tool, sha256)) return { status: 'active' };
  const known = inUse.get(tool);
  if (known !== undefined && known !== sha256) return { status: 'changed' };
  return quarantined ? { status: 'quarantined', reason: 'not_accepted' } : { status: 'active' };
}

/** The part of a server, besides tools, that a person accepts. Without resource lists, because those change with the data. */
export function extrasDefinition({
  serverInfo,
  instructions,
  prompts,
  resourceTemplates,
}: Pick<ServerOffer, 'serverInfo' | 'instructions' | 'prompts' | 'resourceTemplates'>): JsonObject {
  const { version: _renewed, ...info } = serverInfo ?? {};
  return { serverInfo: info, instructions, prompts, resourceTemplates };
}

/** Whether the extras of an offer are held. Only quarantine holds them, and only if there are any. */
export function offeredExtras(offer: Omit<ServerOffer, 'extras'>, pins: PinPolicy): OfferedExtras {
  const sha256 = sha256Hex(canonicalJson(extrasDefinition(offer)));
  const { resources, prompts } = offer.capabilities;
  const isEmpty = offer.instructions === null && resources === undefined && prompts === undefined;
  if (!pins.quarantined || isEmpty) return { sha256, status: 'active' };
  const { status } = judgedByPins(EXTRAS, sha256, pins);
  return { sha256, status: status === 'removed' ? 'quarantined' : status };
}

export type HeldCode = 'DEFINITION_CHANGED' | 'QUARANTINED';

/** The error code of a held definition; undefined: it may be used. */
export function heldCode({ status }: Pick<OfferedTool, 'status'>): HeldCode | undefined {
  if (status === 'changed') return 'DEFINITION_CHANGED';
  return status === 'quarantined' ? 'QUARANTINED' : undefined;
}

/** The error code of held extras; undefined: they may be used. */
export function heldExtrasCode({ extras }: Pick<ServerOffer, 'extras'>): HeldCode | undefined {
  return extras && heldCode(extras);
}

const shownOffers = new WeakMap<ServerOffer, ServerOffer>();

/** The offer without held extras, as clients may see it. Cached, because others cache by its identity. */
export function shownOffer(offer: ServerOffer): ServerOffer {
  if (heldExtrasCode(offer) === undefined) return offer;
  const known = shownOffers.get(offer);
  if (known) return known;
  const shown = {
    ...offer,
    serverInfo: null,
    instructions: null,
    resources: [],
    resourceTemplates: [],
    prompts: [],
  };
  shownOffers.set(offer, shown);
  return shown;
}

/** How many definitions of an offer are held. */
export function heldCount(offer: ServerOffer): number {
  const held = offer.tools.filter((tool) => heldCode(tool) !== undefined && tool.reason !== 'name_conflict').length;
  return held + (heldExtrasCode(offer) === undefined ? 0 : 1);
}
