import { isObject, type JsonObject } from '../../../contract/json.ts';
import { scanHeaderDeclarations } from '../../../wire/param-headers.ts';
import { type CallUpstream, UpstreamError } from '../../../wire/upstream.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';
import type { Catalogue, ToolDefinition } from './catalogue.ts';

/** The result of listing a server. A list other than the tools that failed keeps its previous items. */
export interface Listing {
  readonly catalogue: Catalogue;
  /** The lists that failed, with the reason. */
  readonly failures: readonly string[];
}

/** Reads every list that the server announces, page by page. Rejects if the tools cannot be listed. */
export async function listCatalogue(
  upstream: CallUpstream,
  known: Catalogue,
  now: number,
  signal?: AbortSignal,
): Promise<Listing> {
  const failures: string[] = [];
  const hints: CacheHint[] = [];
  const has = (capability: string) => isObject(upstream.capabilities[capability]);
  const list = async (capability: string, method: string, member: string) => {
    if (!has(capability)) return [];
    return listAll(upstream, method, member, hints, signal);
  };
  const optional = async (
    capability: string,
    method: string,
    member: string,
    key: string,
    fallback: readonly JsonObject[],
  ) => {
    try {
      // An item without a name cannot be requested, and the code below relies on names.
      return (await list(capability, method, member)).filter((item) => typeof item[key] === 'string');
    } catch (thrown) {
      // Some servers announce lists that they do not have; -32601 then means an empty list.
      if (thrown instanceof UpstreamError && thrown.rpc?.code === -32601) return [];
      if (thrown instanceof UpstreamError && thrown.kind === 'cancelled') throw thrown;
      failures.push(`${method}: ${thrown instanceof Error ? thrown.message : 'failed'}`);
      return fallback;
    }
  };
  const [tools, resources, resourceTemplates, prompts] = await Promise.all([
    list('tools', 'tools/list', 'tools'),
    optional('resources', 'resources/list', 'resources', 'uri', known.resources),
    optional('resources', 'resources/templates/list', 'resourceTemplates', 'uriTemplate', known.resourceTemplates),
    optional('prompts', 'prompts/list', 'prompts', 'name', known.prompts),
  ]);
  const { kept, dropped } = sortTools(tools, upstream);
  const ttlMs = hints.length === 0 ? 0 : Math.min(...hints.map((hint) => hint.ttlMs));
  const isPublic = hints.length > 0 && hints.every((hint) => hint.scope === 'public');
  const catalogue: Catalogue = {
    tools: kept,
    resources,
    resourceTemplates,
    prompts,
    dropped,
    scope: isPublic ? 'public' : 'private',
    freshUntil: upstream.era === '2026' ? now + ttlMs : undefined,
  };
  return { catalogue, failures };
}

async function listAll(
  upstream: CallUpstream,
  method: string,
  member: string,
  hints: CacheHint[],
  signal: AbortSignal | undefined,
): Promise<readonly JsonObject[]> {
  const items: JsonObject[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let bytes = 0;
  for (let page = 0; page < LIMITS.listPagesMax; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await upstream.request({ method, params }, signal === undefined ? {} : { signal });
    if (!Array.isArray(result[member])) throw new UpstreamError('bad_answer', `${method} answered without ${member}`);
    const isLast = typeof result.nextCursor !== 'string' || result.nextCursor === '';
    // A single page is already limited by the message size: only a list of several pages is measured.
    if (page > 0 || !isLast) bytes += JSON.stringify(result[member]).length;
    if (bytes > LIMITS.listBytesMax) throw new UpstreamError('too_large', `${method} lists more than can be kept`);
    // No spread: a page may have more items than a call can have arguments.
    for (const item of result[member]) if (isObject(item)) items.push(item);
    hints.push(readCacheHint(result));
    if (items.length > LIMITS.listItemsMax) {
      throw new UpstreamError('too_large', `${method} lists more than ${LIMITS.listItemsMax} items`);
    }
    if (isLast) return items;
    cursor = result.nextCursor as string;
    if (cursors.has(cursor)) throw new UpstreamError('bad_answer', `${method} repeats a cursor`);
    cursors.add(cursor);
  }
  throw new UpstreamError('too_large', `${method} has more than ${LIMITS.listPagesMax} pages`);
}

/** Drops tools without a name, duplicates, and tools with invalid header annotations. */
function sortTools(tools: readonly JsonObject[], upstream: CallUpstream) {
  const kept = new Map<string, ToolDefinition>();
  const dropped: { name: string; reason: string }[] = [];
  // Only 2026 HTTP sends these headers; on other transports the annotations have no effect.
  const hasHeaders = upstream.transport === 'http' && upstream.era === '2026';
  for (const tool of tools) {
    const { name } = tool;
    if (typeof name !== 'string') dropped.push({ name: '', reason: 'it has no name' });
    else if (kept.has(name)) dropped.push({ name, reason: 'it is listed twice' });
    else {
      const scan = hasHeaders ? scanHeaderDeclarations(tool.inputSchema) : undefined;
      if (scan?.valid === false) dropped.push({ name, reason: scan.reason });
      else kept.set(name, { ...tool, name, inputSchema: tool.inputSchema });
    }
  }
  return { kept: [...kept.values()], dropped };
}

/** How long a 2026 result may be cached, and by whom. */
export interface CacheHint {
  readonly ttlMs: number;
  readonly scope: 'public' | 'private';
}

/** Reads the cache hints of a result. An absent or malformed hint means: do not cache, do not share. */
export function readCacheHint(result: JsonObject): CacheHint {
  const { ttlMs, cacheScope } = result;
  return {
    ttlMs: typeof ttlMs === 'number' && Number.isSafeInteger(ttlMs) && ttlMs >= 0 ? ttlMs : 0,
    scope: cacheScope === 'public' ? 'public' : 'private',
  };
}
