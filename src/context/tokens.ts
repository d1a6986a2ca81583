/** Tokens of a document: a quarter of its UTF-8 bytes, rounded up; no model's tokenizer is asked. */
export function countTokens(contentBytes: number): number {
  return Math.ceil(contentBytes / 4);
}
