import type { JsonObject } from '../../contract/json.ts';
import { canonicalJson } from '../audit/canonical-json.ts';
import { sha256Hex } from '../audit/chain.ts';
import type { DefinitionFlag } from './definition-limits.ts';
import { type AskedCapability, isUsableName, preparedTool, type RawTool } from './tool-definition.ts';

/** A catalogue as host gives it. */
export interface RawCatalogue {
  readonly tools: readonly RawTool[];
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
}

export type ToolStatus = 'active' | 'changed' | 'quarantined' | 'removed';

export interface OfferedTool {
  /** Held to the limits; under its original name. */
  readonly definition: RawTool;
  readonly sha256: string;
  readonly flags: readonly DefinitionFlag[];
  readonly status: ToolStatus;
  /** Why it is in quarantine. */
  readonly reason?: 'name_conflict' | 'not_accepted';
  /** What a client must declare for the server to show it; absent: everyone sees it. */
  readonly needs?: readonly AskedCapability[];
}

/** Whether its server says that the tool changes nothing. */
export function readsOnly({ definition }: Pick<OfferedTool, 'definition'>): boolean {
  return definition.annotations?.readOnlyHint === true;
}

/**
 * Since when a server has had what it lists, in milliseconds since 1970: where two servers list the same, the first one keeps it.
 * What was there when the server was first seen has one time for all of it.
 */
export interface Claims {
  readonly since: number;
  /** What came later, by kind and name. */
  readonly later: Readonly<Record<string, number>>;
}

/** What is remembered of a server: enough to answer every list while it is away. */
export interface ServerOffer {
  readonly server: string;
  /** The caller who alone sees it; absent: everybody does. */
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
  /** Since when the server has had what it lists; absent: for longer than anyone remembers. */
  readonly claims?: Claims;
  /** Digests of the tools that everyone sees, when those that only some see were last looked for. */
  readonly probedFor?: string;
  /** Whether what it offers beside tools is held until a person accepts it; absent: it is not. */
  readonly extras?: OfferedExtras;
  /** Where the server was, as the registry names it: another server under the same name did not offer this. */
  readonly endpoint?: string;
  /** Which registration of this name the server is, where it registered itself: one that was removed did not offer this. */
  readonly registration?: string;
}

/** The server that an offer is of: a name can go from one server to another. */
export interface ServerIdentity {
  readonly server: string;
  /** Empty for a server that a person configured. */
  readonly registration: string;
  /** Empty for a server that registered itself: a registration has one address for all its life. */
  readonly endpoint: string;
}

export function identityOf({
  server,
  registration = '',
  endpoint = '',
}: Pick<ServerOffer, 'server' | 'registration' | 'endpoint'>): ServerIdentity {
  return { server, registration, endpoint: registration === '' ? endpoint : '' };
}

/** What a server offers beside tools: instructions, prompts, resources and templates. It is held, or not, as a whole. */
export interface OfferedExtras {
  readonly sha256: string;
  readonly status: Exclude<ToolStatus, 'removed'>;
}

/** The name under which the extras of a server are accepted; no tool can have it. */
export const EXTRAS = '';

/** A definition that a person looked at: of a tool, or (`EXTRAS`) of what a server offers beside tools. */
export interface SeenDefinition {
  readonly tool: string;
  readonly sha256: string;
}

/** What to do with a definition that is not the accepted one. */
export interface PinPolicy {
  /** A definition that changed is held until a person accepts it. */
  readonly pinned: boolean;
  /** A definition that is not accepted yet is held as well. */
  readonly quarantined?: boolean;
  /** The digest that was last in use by original tool name, removed tools included; that of the extras by `EXTRAS`. */
  readonly inUse: ReadonlyMap<string, string>;
  /** Whether a person accepted this very definition. */
  readonly isAccepted?: (tool: string, sha256: string) => boolean;
}

/** Turns a fresh catalogue into what is offered: limited, digested, and held where a person has to look at it first. */
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

/** The tools as another policy of pins has them; their definitions stay. */
export function repinned(tools: readonly OfferedTool[], pins: PinPolicy): OfferedTool[] {
  return tools.map(({ status, reason, ...tool }) =>
    reason === 'name_conflict'
      ? { ...tool, status, reason }
      : { ...tool, ...judgedByPins(tool.definition.name, tool.sha256, pins) },
  );
}

/** What was in use frees a definition from pins only: quarantine needs the word of a person. */
function judgedByPins(tool: string, sha256: string, pins: PinPolicy): Pick<OfferedTool, 'status' | 'reason'> {
  const { pinned, quarantined, inUse, isAccepted } = pins;
  if ((!pinned && !quarantined) || isAccepted?.(tool, sha256)) return { status: 'active' };
  const known = inUse.get(tool);
  if (known !== undefined && known !== sha256) return { status: 'changed' };
  return quarantined ? { status: 'quarantined', reason: 'not_accepted' } : { status: 'active' };
}

/** What a person accepts of a server beside its tools. Lists of resources change with the data, and so are not part of it. */
export function extrasDefinition({
  serverInfo,
  instructions,
  prompts,
  resourceTemplates,
}: Pick<ServerOffer, 'serverInfo' | 'instructions' | 'prompts' | 'resourceTemplates'>): JsonObject {
  const { version: _renewed, ...info } = serverInfo ?? {};
  return { serverInfo: info, instructions, prompts, resourceTemplates };
}

/** Whether the extras of an offer are held. Only quarantine holds them, and only where there are any. */
export function offeredExtras(offer: Omit<ServerOffer, 'extras'>, pins: PinPolicy): OfferedExtras {
  const sha256 = sha256Hex(canonicalJson(extrasDefinition(offer)));
  const { resources, prompts } = offer.capabilities;
  const isEmpty = offer.instructions === null && resources === undefined && prompts === undefined;
  if (!pins.quarantined || isEmpty) return { sha256, status: 'active' };
  const { status } = judgedByPins(EXTRAS, sha256, pins);
  return { sha256, status: status === 'removed' ? 'quarantined' : status };
}

export type HeldCode = 'DEFINITION_CHANGED' | 'QUARANTINED';

/** How a held definition is refused; undefined: it may be used. */
export function heldCode({ status }: Pick<OfferedTool, 'status'>): HeldCode | undefined {
  if (status === 'changed') return 'DEFINITION_CHANGED';
  return status === 'quarantined' ? 'QUARANTINED' : undefined;
}

/** How what a server offers beside tools is refused; undefined: it may be used. */
export function heldExtrasCode({ extras }: ServerOffer): HeldCode | undefined {
  return extras && heldCode(extras);
}

const shownOffers = new WeakMap<ServerOffer, ServerOffer>();

/** The offer as clients may see it: without extras that are held. The same one each time, since what is made of it is kept. */
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

/** How many definitions of an offer wait for a person. */
export function heldCount(offer: ServerOffer): number {
  const held = offer.tools.filter((tool) => heldCode(tool) !== undefined && tool.reason !== 'name_conflict').length;
  return held + (heldExtrasCode(offer) === undefined ? 0 : 1);
}
