/** Removes matching characters from the end in one pass; a regular expression would backtrack over every run of them. */
export function cutEnd(text: string, isCut: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isCut(text[end - 1] as string)) end -= 1;
  return text.slice(0, end);
}

/** Removes surrounding blanks and control characters, which many programs ignore. */
export function cutBlanks(text: string): string {
  const cut = cutEnd(text, isBlank);
  let start = 0;
  while (start < cut.length && isBlank(cut[start] as string)) start += 1;
  return cut.slice(start);
}

function isBlank(character: string): boolean {
  const code = character.charCodeAt(0);
  // Compare codes first: a regular expression per character would dominate the time for long texts.
  return code <= 0x20 || (code >= 0x7f && code <= 0x9f) || (code > 0x9f && /\s/.test(character));
}
