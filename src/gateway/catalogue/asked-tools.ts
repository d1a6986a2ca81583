import type { JsonObject } from '../../contract/json.ts';
import { sha256Hex } from '../audit/chain.ts';
import { DEFINITION_LIMITS } from './definition-limits.ts';
import type { OfferedTool, ServerOffer } from './server-offer.ts';
import { ASKED_CAPABILITIES, type AskedCapability, preparedTool, type RawTool } from './tool-definition.ts';

/** A tool that a server shows only to clients with these capabilities. */
export interface AskedTool {
  readonly tool: RawTool;
  readonly needs: readonly AskedCapability[];
}

/** The capabilities of a client that let a server ask it something. */
export function askedOf(capabilities: JsonObject): AskedCapability[] {
  return ASKED_CAPABILITIES.filter((capability) => capabilities[capability] !== undefined);
}

/** The offers as the servers would make them to a client with these capabilities. */
export function offersFor(offers: Iterable<ServerOffer>, declared: readonly AskedCapability[]): ServerOffer[] {
  return [...offers].map((offer) =>
    hasAskedTools(offer)
      ? { ...offer, tools: offer.tools.filter(({ needs = [] }) => needs.every((need) => declared.includes(need))) }
      : offer,
  );
}

export function hasAskedTools({ tools }: ServerOffer): boolean {
  return tools.some(({ needs }) => needs !== undefined);
}

/** The tools that every client sees. */
export function plainTools(offer: ServerOffer | undefined): OfferedTool[] {
  return offer?.tools.filter(({ needs }) => needs === undefined) ?? [];
}

/** Digest of the tools that every client sees: when it changes, the server is probed again for tools that only some clients see. */
export function plainDigest(offer: ServerOffer): string {
  return sha256Hex(
    plainTools(offer)
      .map(({ sha256 }) => sha256)
      .join(),
  );
}

/** Whether the server was probed for tools that only some clients see since its other tools last changed. */
export function isProbed(offer: ServerOffer | undefined): boolean {
  return offer === undefined || offer.probedFor === plainDigest(offer);
}

/** The first of these tools within the limit. */
export function fittingAsked(tools: readonly AskedTool[]): readonly AskedTool[] {
  let chars = 0;
  const end = tools.findIndex(({ tool }) => {
    chars += preparedTool(tool).chars;
    return chars > DEFINITION_LIMITS.askedToolsCharsMax;
  });
  return end < 0 ? tools : tools.slice(0, end);
}

/** Keeps the tools that only some clients see until the next probe. */
export function withAsked(plain: readonly OfferedTool[], before: readonly OfferedTool[]): OfferedTool[] {
  const names = new Set(plain.map(({ definition }) => definition.name));
  return [...plain, ...before.filter(({ needs, definition }) => needs !== undefined && !names.has(definition.name))];
}

/**
 * Finds the tools that only clients with certain capabilities see, and which capabilities each needs: those that are not among the
 * `plain` ones, which every client is shown, even if they are left out of the offer because it is too large. `shownTo` lists the tools for a
 * client with these capabilities. Nearly all servers show the same tools to all clients and are asked only once.
 */
export async function findAskedTools(
  plain: ReadonlySet<string>,
  shownTo: (declared: readonly AskedCapability[]) => Promise<readonly RawTool[]>,
): Promise<AskedTool[]> {
  const further = (await shownTo(ASKED_CAPABILITIES)).filter(({ name }) => !plain.has(name));
  if (further.length === 0) return [];
  const shown: [AskedCapability, ReadonlySet<string>][] = [];
  for (const capability of ASKED_CAPABILITIES) {
    const names = (await shownTo([capability])).map(({ name }) => name);
    shown.push([capability, new Set(names)]);
  }
  return further.map((tool) => {
    const enough = shown.find(([, names]) => names.has(tool.name))?.[0];
    return { tool, needs: enough ? [enough] : ASKED_CAPABILITIES };
  });
}
