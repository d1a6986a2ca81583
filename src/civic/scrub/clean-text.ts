/** Zero-width characters, bidi controls and the tag block: nothing that a reader can see [PV15]. */
const INVISIBLE = /[\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/** The text to store: well-formed, NFC, without zero-width and bidi control characters. */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(INVISIBLE, '').normalize('NFC');
}
