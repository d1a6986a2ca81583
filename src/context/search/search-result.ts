import { z } from 'zod';

/** The answer of `context.search`. */
export const SearchResult = z.strictObject({
  chunks: z.array(
    z.strictObject({
      id: z.string(),
      version: z.string(),
      /** Bytes of the document's content. */
      start: z.int().min(0),
      end: z.int().min(0),
      headings: z.array(z.string()),
      text: z.string(),
      score: z.number().min(0),
      tokens: z.int().min(0),
      why: z.array(
        z.strictObject({
          term: z.string(),
          heading: z.int().min(0),
          path: z.int().min(0),
          body: z.int().min(0),
          chunks_with_term: z.int().min(1),
          score: z.number().min(0),
        }),
      ),
    }),
  ),
  selection: z.strictObject({
    query: z.string(),
    budget: z.int().min(0),
    tokens_used: z.int().min(0),
    chunks_considered: z.int().min(0),
    chunks_selected: z.int().min(0),
    chunks_excluded_by_budget: z.int().min(0),
  }),
});
export type SearchResult = z.infer<typeof SearchResult>;
