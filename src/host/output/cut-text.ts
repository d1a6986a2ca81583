/** Truncates a text to a number of UTF-8 bytes, between characters; a truncated text ends with `mark`, which counts too. */
export function cutUtf8(text: string, bytesMax: number, mark = ''): string {
  if (Buffer.byteLength(text) <= bytesMax) return text;
  return `${prefixOfBytes(text, bytesMax - Buffer.byteLength(mark))}${mark}`;
}

export interface CutText {
  readonly shown: string;
  /** The byte offset of the rest. */
  readonly nextOffset: number;
  readonly totalBytes: number;
}

/** The beginning of a text: whole lines if at least one fits, otherwise a part of the first line. */
export function cutAtLine(text: string, bytesMax: number): CutText {
  const totalBytes = Buffer.byteLength(text);
  if (totalBytes <= bytesMax) return { shown: text, nextOffset: totalBytes, totalBytes };
  const prefix = prefixOfBytes(text, bytesMax);
  const lineEnd = prefix.lastIndexOf('\n');
  const shown = lineEnd >= 0 ? prefix.slice(0, lineEnd + 1) : prefix;
  return { shown, nextOffset: Buffer.byteLength(shown), totalBytes };
}

function prefixOfBytes(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  let end = Math.max(0, Math.min(bytesMax, bytes.length));
  while (end > 0 && end < bytes.length && isContinuation(bytes[end] as number)) end -= 1;
  return bytes.toString('utf8', 0, end);
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
