/** Zero-width characters, bidi controls and the tag block: all invisible [PV15]. */
const INVISIBLE = /[\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/gu;

const ASCII = /^[\x00-\x7f]*$/;

/** The text to store: well-formed, NFC, without zero-width and bidi control characters. */
export function cleanText(text: string): string {
  if (ASCII.test(text)) return text;
  return text.toWellFormed().replace(INVISIBLE, '').normalize('NFC');
}
