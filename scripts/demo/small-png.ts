import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLORS = 256;

/** The same picture with at most 256 colours: pages have few, and the file shrinks to a third. */
export function smallPng(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png);
  const palette = paletteOf(pixels);
  const rows = Buffer.alloc((width + 1) * height);
  const known = new Map<number, number>();
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const color = pixels[y * width + x] as number;
      let index = known.get(color);
      if (index === undefined) {
        index = nearest(palette, color);
        known.set(color, index);
      }
      rows[y * (width + 1) + 1 + x] = index;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colors = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', colors),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** The most frequent colours that differ by more than a shade. */
function paletteOf(pixels: Uint32Array): number[] {
  const counts = new Map<number, number>();
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1);
  const shades = new Map<number, { color: number; count: number; most: number }>();
  for (const [color, count] of counts) {
    const shade = color & 0xf8f8f8;
    const known = shades.get(shade) ?? { color, count: 0, most: 0 };
    known.count += count;
    if (count > known.most) Object.assign(known, { color, most: count });
    shades.set(shade, known);
  }
  return [...shades.values()]
    .sort((a, b) => b.count - a.count)
    .slice(0, COLORS)
    .map(({ color }) => color);
}

function nearest(palette: readonly number[], color: number): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  palette.forEach((one, index) => {
    const [red, green, blue] = [16, 8, 0].map((shift) => ((one >> shift) & 255) - ((color >> shift) & 255)) as [
      number,
      number,
      number,
    ];
    const distance = red * red + green * green + blue * blue;
    if (distance < least) [best, least] = [index, distance];
  });
  return best;
}

/** Decodes the PNGs that Chromium writes: eight bits, RGB or RGBA, not interlaced. */
function decode(png: Buffer): { width: number; height: number; pixels: Uint32Array } {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const size = png[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * size;
  const pixels = new Uint32Array(width * height);
  let above = new Uint8Array(stride);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)];
    const row = new Uint8Array(raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    for (let x = 0; x < stride; x += 1) {
      const left = x < size ? 0 : (row[x - size] as number);
      const up = above[x] as number;
      const corner = x < size ? 0 : (above[x - size] as number);
      const added = [0, left, up, (left + up) >> 1, paeth(left, up, corner)].at(filter ?? 0);
      row[x] = (row[x] as number) + (added ?? 0);
    }
    for (let x = 0; x < width; x += 1) {
      const at = x * size;
      pixels[y * width + x] = ((row[at] as number) << 16) | ((row[at + 1] as number) << 8) | (row[at + 2] as number);
    }
    above = row;
  }
  return { width, height, pixels };
}

function paeth(left: number, up: number, corner: number): number {
  const [byLeft, byUp, byCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}
