/** How often a chunk has a term, by field. */
export interface Counts {
  readonly heading: number;
  readonly path: number;
  readonly body: number;
}

const FIELD_MAX = 0xff;
/** A packed number up to this one counts in the body alone. */
export const BODY_COUNT_MAX = 0xffff;

const HEADING_ONE = 1 << 24;
const PATH_ONE = 1 << 16;

/** One count more in a packed number; counts stop at the largest that it holds: 255 in headings and paths, 65,535 in bodies. */
export function counted(packed: number, field: keyof Counts): number {
  switch (field) {
    case 'body':
      return (packed & BODY_COUNT_MAX) === BODY_COUNT_MAX ? packed : packed + 1;
    case 'path':
      return ((packed >>> 16) & FIELD_MAX) === FIELD_MAX ? packed : packed + PATH_ONE;
    case 'heading':
      return packed >>> 24 === FIELD_MAX ? packed : packed + HEADING_ONE;
  }
}

export function packedCounts(packed: number): Counts {
  return { heading: packed >>> 24, path: (packed >>> 16) & FIELD_MAX, body: packed & BODY_COUNT_MAX };
}

export function packCounts(heading: number, path: number, body: number): number {
  return ((heading << 24) | (path << 16) | body) >>> 0;
}

/** Writes a whole number, seven bits per byte, the lowest first; returns the offset of the next one. */
export function putVarint(bytes: Uint8Array, place: number, value: number): number {
  let at = place;
  let rest = value;
  while (rest >= 0x80) {
    bytes[at++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  bytes[at++] = rest;
  return at;
}

/** Reads such numbers one after the other. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  #place = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  next(): number {
    let byte = this.#bytes[this.#place++] as number;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let scale = 0x80; byte >= 0x80; scale *= 0x80) {
      byte = this.#bytes[this.#place++] as number;
      value += (byte & 0x7f) * scale;
    }
    return value;
  }
}
