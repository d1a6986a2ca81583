const ASCII = /^[\x00-\x7f]*$/;

/** Text length in code points after NFC [SU19]. */
export function codePoints(text: string): number {
  if (ASCII.test(text)) return text.length;
  let count = 0;
  for (const _ of text.normalize('NFC')) count++;
  return count;
}
