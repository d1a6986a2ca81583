// The public API of `mcp-bindery/context`: adding a line here makes it public.
export type { BuildRequest, CacheBuilder, Caches } from '../../context/ports.ts';
export type { BuildReport, CacheList, Inspection, Verification } from '../../context/reports.ts';
export { type OpenCache, resolveContext } from '../../context/resolve-context.ts';
export { searchContext } from '../../context/search/search-context.ts';
export type { SearchResult } from '../../context/search/search-result.ts';
export { encodeSelection, encodeSelectionPretty, type SelectionResult } from '../../context/selection-result.ts';
export { createCacheBuilder } from './build-cache.ts';
export { createCaches } from './caches.ts';
export { type CacheLocator, cachesByPath, cachesUnderRoot } from './locate-cache.ts';
