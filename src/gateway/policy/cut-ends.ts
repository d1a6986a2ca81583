/** A text without the characters at its end that are asked for. In one pass: an expression would try every run of them again and again. */
export function cutEnd(text: string, isCut: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isCut(text[end - 1] as string)) end -= 1;
  return text.slice(0, end);
}

/** A text without the blanks and control characters around it, which many programs leave out. */
export function cutBlanks(text: string): string {
  const cut = cutEnd(text, isBlank);
  let start = 0;
  while (start < cut.length && isBlank(cut[start] as string)) start += 1;
  return cut.slice(start);
}

function isBlank(character: string): boolean {
  const code = character.charCodeAt(0);
  // Nearly every character is decided by its number; an expression for each would take most of the time of a long text.
  return code <= 0x20 || (code >= 0x7f && code <= 0x9f) || (code > 0x9f && /\s/.test(character));
}
