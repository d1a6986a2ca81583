import { createHmac } from 'node:crypto';

/** Bytes covered by one print; a shorter piece has one print of its own length. */
const WINDOW_BYTES = 16;
/** Shorter pieces would match by chance. */
export const PIECE_BYTES_MIN = 8;
const DIGEST_CHARS = 24;
/** Characters that JSON and YAML may escape, at any depth of quoting. */
const REWRITTEN = /[\p{Cc}"'\\]+/u;

/** A window of a text: a rolling hash to search for, and a keyed digest to confirm a hit. */
export interface TextPrint {
  readonly length: number;
  readonly rolling: number;
  readonly digest: string;
}

/** The windows of a piece of text that reads the same in every file. */
export interface PiecePrint {
  /** The member that contained the piece: `report`, `content.body_diff`. */
  readonly member: string;
  readonly prints: readonly TextPrint[];
}

/** The text of a member of a submission. */
export interface MemberText {
  readonly member: string;
  readonly text: string;
}

export function printsOf(pieces: readonly PiecePrint[]): TextPrint[] {
  return pieces.flatMap(({ prints }) => prints);
}

/** The pieces of a text that no format escapes. */
export function piecesOf(text: string): string[] {
  return text.split(REWRITTEN).filter((piece) => Buffer.byteLength(piece) >= PIECE_BYTES_MIN);
}

/**
 * Makes prints of texts and finds them in bytes, so that erased texts can be searched for without being stored. Without the key a print
 * reveals nothing about its text.
 */
export class TextPrinter {
  readonly #key: string;
  readonly #base: number;

  constructor(key: string) {
    this.#key = key;
    this.#base = Number.parseInt(this.#digestOf(Buffer.from('base')).slice(0, 8), 16) | 1;
  }

  /** Identifies the key of prints. */
  get check(): string {
    return this.#digestOf(Buffer.from('check'));
  }

  /** The prints of texts, except those also found in `known`: these words are not the sender's. */
  print(texts: readonly MemberText[], known: string): PiecePrint[] {
    const members = new Map<string, string>();
    for (const { member, text } of texts)
      for (const piece of piecesOf(text)) members.set(piece, members.get(piece) ?? member);
    const pieces = [...members].map(([piece, member]) => ({ member, prints: this.#windows(Buffer.from(piece)) }));
    return withoutPrints(pieces, this.findIn(Buffer.from(known), printsOf(pieces)));
  }

  /** The prints whose windows occur in these bytes. */
  findIn(bytes: Uint8Array, wanted: Iterable<TextPrint>): Set<TextPrint> {
    const found = new Set<TextPrint>();
    for (const [length, prints] of Map.groupBy(wanted, (print) => print.length))
      this.#scan(bytes, length, prints, found);
    return found;
  }

  #scan(bytes: Uint8Array, length: number, prints: readonly TextPrint[], found: Set<TextPrint>): void {
    if (bytes.length < length) return;
    const byHash = Map.groupBy(prints, ({ rolling }) => rolling);
    const isPossible = new Uint8Array(65536);
    for (const rolling of byHash.keys()) isPossible[rolling >>> 16] = 1;
    const base = this.#base;
    const first = power(base, length - 1);
    let rolling = this.#rolling(bytes, length);
    for (let end = length; ; end++) {
      if (isPossible[rolling >>> 16] === 1)
        this.#compare(bytes.subarray(end - length, end), byHash.get(rolling), found);
      if (end >= bytes.length) return;
      const left = Math.imul(bytes[end - length] as number, first);
      rolling = (Math.imul(rolling - left, base) + (bytes[end] as number)) | 0;
    }
  }

  #compare(window: Uint8Array, prints: readonly TextPrint[] | undefined, found: Set<TextPrint>): void {
    if (!prints || prints.every((print) => found.has(print))) return;
    const digest = this.#digestOf(window);
    for (const print of prints) if (print.digest === digest) found.add(print);
  }

  /** Adjacent windows, and the last one: a truncated copy still has most of them. */
  #windows(bytes: Buffer): TextPrint[] {
    const length = Math.min(bytes.length, WINDOW_BYTES);
    const starts = new Set([bytes.length - length]);
    for (let start = 0; start + length <= bytes.length; start += length) starts.add(start);
    return [...starts].map((start) => {
      const window = bytes.subarray(start, start + length);
      return { length, rolling: this.#rolling(window, length), digest: this.#digestOf(window) };
    });
  }

  #rolling(bytes: Uint8Array, length: number): number {
    let rolling = 0;
    for (let i = 0; i < length; i++) rolling = (Math.imul(rolling, this.#base) + (bytes[i] as number)) | 0;
    return rolling;
  }

  #digestOf(bytes: Uint8Array): string {
    return createHmac('sha256', this.#key).update(bytes).digest('hex').slice(0, DIGEST_CHARS);
  }
}

/** Removes windows from pieces; a piece without windows is dropped. */
export function withoutPrints<Piece extends PiecePrint>(
  pieces: readonly Piece[],
  taken: ReadonlySet<TextPrint>,
): Piece[] {
  return pieces
    .map((piece) => ({ ...piece, prints: piece.prints.filter((print) => !taken.has(print)) }))
    .filter(({ prints }) => prints.length > 0);
}

/** The pieces that a place contains: at least half of their windows, because pages and line ends split a text. */
export function piecesIn<Piece extends PiecePrint>(pieces: readonly Piece[], found: ReadonlySet<TextPrint>): Piece[] {
  return pieces.filter(({ prints }) => prints.filter((print) => found.has(print)).length * 2 >= prints.length);
}

function power(base: number, exponent: number): number {
  let result = 1;
  for (let i = 0; i < exponent; i++) result = Math.imul(result, base);
  return result;
}
