import { BUILD_CONFIG_BYTES, DocumentTable, VERSION_TAIL } from './document-table.ts';
import { sha256Hex } from './hash.ts';
import { isTimestamp } from './timestamp.ts';
import { decodeUtf8, encodeUtf8 } from './utf8.ts';

const HEAD =
  /^\{\n {2}"cache_version": "(sha256:[0-9a-f]{64})",\n {2}"build_config": \{\n {4}"version": "1",\n {4}"hash_algorithm": "sha256"\n {2}\},\n {2}"created_at": "([^"\\]{1,40})",\n {2}"document_count": (0|[1-9]\d{0,8}),\n {2}"documents": \[/;
const TAIL =
  /^\n {2}\](?:,\n {2}"postings": \{\n {4}"file": "postings\.bin",\n {4}"sha256": "([0-9a-f]{64})"\n {2}\})?\n\}$/;
const HEAD_BYTES_MAX = 400;
const TAIL_BYTES_MAX = 200;

const OPEN = template('\n    {\n      "id": "');
const NEXT = template('.json"\n    },\n    {\n      "id": "');
const VERSION = template('",\n      "version": "sha256:');
const FILE = template('",\n      "file": "documents/');
const CLOSE = template('.json"\n    }');
const HASH_MARK = template(':sha256:');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const DASH = 0x2d;
const FILE_DIGITS = 12;
const SUFFIX_DIGITS = 8;

/** The parts of a manifest that readers need. */
export interface Manifest {
  readonly cacheVersion: string;
  readonly table: DocumentTable;
  /** Hex SHA-256 of the postings file, if the builder wrote one. */
  readonly postingsSha256: string | undefined;
}

/**
 * Reads a manifest in the exact layout that builders write, with ids in order and without escapes. Any other layout
 * is left to the parser: undefined means "not this layout", never "not valid".
 */
export function scanManifest(bytes: Uint8Array): Manifest | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = HEAD.exec(buffer.toString('latin1', 0, HEAD_BYTES_MAX));
  if (!head || !isTimestamp(head[2])) return undefined;
  const count = Number(head[3]);
  if (count === 0) return undefined;
  const scanned = scanEntries(bytes, head[0].length, count);
  if (!scanned || bytes.length - scanned.end > TAIL_BYTES_MAX) return undefined;
  const tail = TAIL.exec(buffer.toString('latin1', scanned.end));
  if (!tail) return undefined;
  return { cacheVersion: head[1] as string, table: scanned.table, postingsSha256: tail[1] };
}

/**
 * One pass over the entries that also copies the bytes that cache_version is computed over. It is one long function over
 * local variables and compares eight bytes at a time, because the start time of a command depends on it.
 */
function scanEntries(
  bytes: Uint8Array,
  start: number,
  count: number,
): { table: DocumentTable; end: number } | undefined {
  // Every entry is longer than this, so a false count cannot allocate much memory.
  if (count > bytes.length / 100) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // After its id an entry has at least this many bytes, so they are read without another bounds check.
  const limit = bytes.length - (VERSION.length + 64 + FILE.length + FILE_DIGITS + 1 + SUFFIX_DIGITS);
  const out = new Uint8Array(bytes.length - count * (VERSION.length + FILE.length + FILE_DIGITS + CLOSE.length));
  const outView = new DataView(out.buffer);
  const starts = new Uint32Array(count + 1);
  const repeated = new Uint8Array(count);
  out.set(BUILD_CONFIG_BYTES);
  let length = BUILD_CONFIG_BYTES.length;
  let position = start + OPEN.length;
  let previous = 0;
  let previousEnd = 0;
  let bits = 0;
  if (start > limit || !matches(view, start, OPEN)) return undefined;
  for (let index = 0; index < count; index++) {
    starts[index] = length;
    let isGreater = index === 0;
    const idStart = position;
    for (;;) {
      const byte = bytes[position] as number;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH || byte < 0x20 || position >= limit) return undefined;
      if (!isGreater) {
        if (previous === previousEnd) isGreater = true;
        else {
          const other = out[previous++] as number;
          if (byte < other) return undefined;
          isGreater = byte > other;
        }
      }
      bits |= byte;
      out[length++] = byte;
      position++;
    }
    // Only a false count leaves too little room for the copy.
    if (!isGreater || position === idStart || length + VERSION_TAIL > out.length) return undefined;
    previous = starts[index] as number;
    previousEnd = length;
    if (!matches(view, position, VERSION)) return undefined;
    position += VERSION.length;
    outView.setFloat64(length, HASH_MARK.eights[0] as number, true);
    length += HASH_MARK.length;
    for (const end = position + 64; position < end; position += 4, length += 4) {
      const four = view.getInt32(position, true);
      if (!areHexDigits(four)) return undefined;
      outView.setInt32(length, four, true);
    }
    if (!matches(view, position, FILE)) return undefined;
    position += FILE.length;
    // The file has the first digits of the version that was just copied.
    if (
      view.getFloat64(position, true) !== outView.getFloat64(length - 64, true) ||
      view.getUint32(position + 8, true) !== outView.getUint32(length - 56, true)
    )
      return undefined;
    position += FILE_DIGITS;
    if (bytes[position] === DASH) {
      const suffix = sha256Hex(out.subarray(previous, previousEnd)).slice(0, SUFFIX_DIGITS);
      if (!matches(view, position + 1, template(suffix))) return undefined;
      position += 1 + SUFFIX_DIGITS;
      repeated[index] = 1;
    }
    const after = index === count - 1 ? CLOSE : NEXT;
    if (position > bytes.length - after.length || !matches(view, position, after)) return undefined;
    position += after.length;
    if (after === NEXT && position >= limit) return undefined;
  }
  starts[count] = length;
  if (bits >= 0x80 && decodeUtf8(out.subarray(0, length)) === undefined) return undefined;
  return { table: new DocumentTable(out.subarray(0, length), starts, repeated), end: position };
}

/** Whether four bytes are all `0`–`9` or `a`–`f`, checked at once. */
function areHexDigits(four: number): boolean {
  // One bit for each byte that must be a letter: those have bit 6.
  const letters = (four >>> 6) & 0x01010101;
  const low = four & 0x0f0f0f0f;
  const isHighRight = (four & 0xf0f0f0f0) === ((0x30303030 + letters * 0x30) | 0);
  // A digit may be up to 9 and a letter up to 6 before the sum reaches 16; a letter must be at least 1.
  const isLowRight = ((low + 0x06060606 + letters * 3) & 0x10101010) === 0;
  return isHighRight && isLowRight && ((low + 0x0f0f0f0f) & (letters << 4)) === letters << 4;
}

/** ASCII text as overlapping numbers of eight bytes: such bytes are never NaN or zero, so equal numbers are equal bytes. */
interface Template {
  readonly length: number;
  readonly eights: Float64Array;
}

function template(text: string): Template {
  const bytes = encodeUtf8(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const count = Math.ceil(text.length / 8);
  const eights = Float64Array.from({ length: count }, (_, index) =>
    view.getFloat64(Math.min(index * 8, text.length - 8), true),
  );
  return { length: text.length, eights };
}

function matches(view: DataView, position: number, { length, eights }: Template): boolean {
  const last = eights.length - 1;
  for (let index = 0; index < last; index++) {
    if (view.getFloat64(position + index * 8, true) !== eights[index]) return false;
  }
  return view.getFloat64(position + length - 8, true) === eights[last];
}
