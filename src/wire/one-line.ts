const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const SEPARATORS = ['\u2028', '\u2029'].map((separator) => ({
  bytes: Buffer.from(separator),
  escaped: Buffer.from(`\\u${separator.charCodeAt(0).toString(16)}`),
}));

/**
 * A message as one line for any reader. Line breaks between tokens become spaces; JSON strings have none. U+2028 and U+2029, which
 * strings may contain, are escaped, because some readers (such as Node's `readline`) end lines there.
 */
export function oneLine(message: Uint8Array): Uint8Array {
  let line: Buffer = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  if (line.includes(LINE_FEED) || line.includes(CARRIAGE_RETURN))
    line = Buffer.from(line.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? BLANK : byte)));
  for (const { bytes, escaped } of SEPARATORS) if (line.includes(bytes)) line = replaceAll(line, bytes, escaped);
  return line;
}

function replaceAll(text: Buffer, from: Uint8Array, to: Uint8Array): Buffer {
  const parts: Uint8Array[] = [];
  let start = 0;
  for (let at = text.indexOf(from); at >= 0; at = text.indexOf(from, start)) {
    parts.push(text.subarray(start, at), to);
    start = at + from.length;
  }
  return Buffer.concat([...parts, text.subarray(start)]);
}
