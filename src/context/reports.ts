import { z } from 'zod';

/** What `inspect` answers; the order of the members is part of the format. */
export const Inspection = z.strictObject({
  cache_version: z.string(),
  document_count: z.int().min(0),
  total_bytes: z.int().min(0),
  valid: z.boolean(),
});
export type Inspection = z.infer<typeof Inspection>;

/** What `list_caches` answers. */
export const CacheList = z.strictObject({
  caches: z.array(z.strictObject({ path: z.string(), has_manifest: z.boolean() })),
});
export type CacheList = z.infer<typeof CacheList>;

/** What a build leaves to say. */
export const BuildReport = z.strictObject({ cache_version: z.string(), document_count: z.int().min(0) });
export type BuildReport = z.infer<typeof BuildReport>;

/** What `verify` found; a cache without problems is valid. */
export const Verification = z.strictObject({
  cache_version: z.string(),
  document_count: z.int().min(0),
  valid: z.boolean(),
  /** Sentences that name files relative to the cache. */
  problems: z.array(z.string()),
});
export type Verification = z.infer<typeof Verification>;
