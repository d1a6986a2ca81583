import type { AskedCapability } from './asked-tools.ts';
import type { Claims } from './claims.ts';
import type { DefinitionFlag } from './definition-limits.ts';
import { definitionSha256, isUsableName, type RawTool, safeTool } from './tool-definition.ts';

type JsonObject = Readonly<Record<string, unknown>>;

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
  readonly reason?: string;
  /** What a client must declare for the server to show it; absent: everyone sees it. */
  readonly needs?: readonly AskedCapability[];
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
}

/** What to do with a tool whose definition is not the accepted one. */
export interface PinPolicy {
  readonly pinned: boolean;
  /** The accepted digest by original tool name, removed tools included. */
  readonly accepted: ReadonlyMap<string, string>;
}

/** Turns a fresh catalogue into what is offered: limited, digested, and held back where a pinned definition changed. */
export function offeredTools(raw: readonly RawTool[], pins: PinPolicy): OfferedTool[] {
  const seen = new Set<string>();
  return raw.map((tool) => {
    const sha256 = definitionSha256(tool);
    const { tool: definition, flags } = safeTool(tool);
    const accepted = pins.accepted.get(tool.name);
    const unusable = !isUsableName(tool.name) || seen.has(tool.name);
    seen.add(tool.name);
    if (unusable) return { definition, sha256, flags, status: 'quarantined', reason: 'name_conflict' };
    if (pins.pinned && accepted !== undefined && accepted !== sha256)
      return { definition, sha256, flags, status: 'changed' };
    return { definition, sha256, flags, status: 'active' };
  });
}
