/** Tokens of a document: a quarter of its UTF-8 bytes, rounded up, without a tokenizer. */
export function countTokens(contentBytes: number): number {
  return Math.ceil(contentBytes / 4);
}
