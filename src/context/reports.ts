import { z } from 'zod';
import { SOURCE_FORMATS } from './source-formats.ts';

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

/** The report of a build. */
export const BuildReport = z.strictObject({
  cache_version: z.string(),
  document_count: z.int().min(0),
  /** How many files were left out, by kind; absent: none. */
  left_out: z.partialRecord(z.enum([...SOURCE_FORMATS, 'links']), z.int().min(1)).optional(),
  /** Sources that are not UTF-8, the first of them by name; absent: none. */
  skipped: z.strictObject({ files: z.int().min(1), first: z.array(z.string()) }).optional(),
});
export type BuildReport = z.infer<typeof BuildReport>;

/** The report of a build in one line. */
export function buildNote({ cache_version, document_count, left_out, skipped }: BuildReport): string {
  const counts = SOURCE_FORMATS.flatMap((format) => (left_out?.[format] ? [`${left_out[format]} ${format}`] : []));
  return [
    `built ${document_count} documents, ${cache_version}`,
    ...(counts.length > 0 ? [`left out ${counts.join(', ')} (--also takes them)`] : []),
    ...(left_out?.links ? [`did not follow ${left_out.links} links that lead out of the sources or to nothing`] : []),
    ...(skipped ? [`skipped ${skipped.files} that are not UTF-8: ${skipped.first.join(', ')}`] : []),
  ].join('; ');
}

/** What `verify` found; a cache without problems is valid. */
export const Verification = z.strictObject({
  cache_version: z.string(),
  document_count: z.int().min(0),
  valid: z.boolean(),
  /** Sentences that name files relative to the cache. */
  problems: z.array(z.string()),
});
export type Verification = z.infer<typeof Verification>;
