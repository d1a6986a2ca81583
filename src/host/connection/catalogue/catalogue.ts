import type { JsonObject } from '../../../contract/json.ts';

export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: JsonObject;
  readonly [member: string]: unknown;
}

/** What a server offers, paged to the end. Definitions are as the server gave them: untrusted. */
export interface Catalogue {
  readonly tools: readonly ToolDefinition[];
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  /** Tools left out, with the reason (an invalid `x-mcp-header`). */
  readonly dropped: readonly { readonly name: string; readonly reason: string }[];
  /** 2026: who may share the answer, and until when (milliseconds since 1970) it need not be asked again. */
  readonly scope: 'public' | 'private';
  readonly freshUntil: number | undefined;
}

export const EMPTY_CATALOGUE: Catalogue = {
  tools: [],
  resources: [],
  resourceTemplates: [],
  prompts: [],
  dropped: [],
  scope: 'private',
  freshUntil: undefined,
};

/** What changed between two catalogues, by name or URI. */
export interface CatalogueChange {
  readonly tools: ListChange;
  readonly resources: ListChange;
  readonly resourceTemplates: ListChange;
  readonly prompts: ListChange;
}

export interface ListChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}
