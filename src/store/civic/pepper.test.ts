import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Random } from '../../contract/ports.ts';
import { loadPepper } from './pepper.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'civic-pepper-'));
  file = join(dir, 'civic', 'pepper');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const drawing = (fill: number): Random => ({ bytes: (length) => new Uint8Array(length).fill(fill) });

describe('loadPepper [civic:C6]', () => {
  test('makes the file once, for its owner alone, and leaves nothing beside it', () => {
    const first = loadPepper(file, drawing(1));
    const again = loadPepper(file, drawing(2));
    const mode = (statSync(file).mode & 0o777).toString(8);
    expect([first[0], again[0], again.byteLength, mode, readdirSync(join(dir, 'civic'))]).toEqual([
      1,
      1,
      32,
      '600',
      ['pepper'],
    ]);
  });

  test('of two processes that make it at once, both use the first one’s', () => {
    let other: Uint8Array | undefined;
    const slow: Random = {
      bytes: (length) => {
        if (length === 32) other = loadPepper(file, drawing(1));
        return new Uint8Array(length).fill(2);
      },
    };
    expect([loadPepper(file, slow)[0], other?.[0], readdirSync(join(dir, 'civic'))]).toEqual([1, 1, ['pepper']]);
  });

  test('a file that is no pepper is never replaced', () => {
    loadPepper(file, drawing(1));
    writeFileSync(file, '');
    expect(() => loadPepper(file, drawing(2))).toThrow('does not hold 32 bytes');
    expect(statSync(file).size).toBe(0);
  });
});
