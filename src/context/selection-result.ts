import { z } from 'zod';
import { scoreText } from './score.ts';

/** The answer of `context.resolve`; the order of the members is part of the format. */
export const SelectionResult = z.strictObject({
  documents: z.array(
    z.strictObject({
      id: z.string(),
      version: z.string(),
      content: z.string(),
      score: z.number().min(0).max(1),
      tokens: z.int().min(0),
      why: z.strictObject({
        query_terms: z.array(z.string()),
        term_matches: z.int().min(0),
        total_words: z.int().min(0),
      }),
    }),
  ),
  selection: z.strictObject({
    query: z.string(),
    budget: z.int().min(0),
    tokens_used: z.int().min(0),
    documents_considered: z.int().min(0),
    documents_selected: z.int().min(0),
    documents_excluded_by_budget: z.int().min(0),
  }),
});

export type SelectionResult = z.infer<typeof SelectionResult>;
export type SelectedDocument = SelectionResult['documents'][number];

/** The exact bytes of a result: compact, scores as 32-bit floats are written, one newline at the end. */
export function encodeSelection(result: SelectionResult): string {
  const documents = result.documents.map(encodeSelected).join(',');
  return `{"documents":[${documents}],"selection":${JSON.stringify(result.selection)}}\n`;
}

function encodeSelected(document: SelectedDocument): string {
  const { id, version, content, score, tokens, why } = document;
  return `{"id":${JSON.stringify(id)},"version":${JSON.stringify(version)},"content":${JSON.stringify(content)},"score":${scoreText(score)},"tokens":${tokens},"why":${JSON.stringify(why)}}`;
}

/** The same result, indented by two spaces. */
export function encodeSelectionPretty(result: SelectionResult): string {
  const scores = result.documents.map((document) => scoreText(document.score));
  let next = 0;
  // Only this member of a document begins a line like this, because newlines inside texts are escaped.
  const lines = JSON.stringify(result, null, 2)
    .split('\n')
    .map((line) => (line.startsWith('      "score": ') ? `      "score": ${scores[next++]},` : line));
  return `${lines.join('\n')}\n`;
}
