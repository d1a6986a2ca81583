import { randomBytes } from 'node:crypto';

/** Keys by id; the first one encrypts, all of them decrypt. */
export interface KeyRing {
  readonly current: string;
  readonly keys: ReadonlyMap<string, Uint8Array>;
}

const KEY_BYTES = 32;

/** One line of a key file: the key, and its id, which is stored with everything it encrypts. */
export function newKeyLine(): string {
  return `${randomBytes(6).toString('hex')} ${randomBytes(KEY_BYTES).toString('base64url')}`;
}

/** Parses a key file: the newest key first, older ones below it as long as something is encrypted with them. */
export function parseKeyRing(text: string): KeyRing {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const keys = new Map(lines.map(parseLine));
  const [current] = keys.keys();
  if (current === undefined) throw new Error('it has no key');
  return { current, keys };
}

function parseLine(line: string, at: number): [string, Uint8Array] {
  const [, id, text] = /^(\S+) ([\w-]+)\s*$/.exec(line) ?? [];
  const key = Buffer.from(text ?? '', 'base64url');
  if (id === undefined || key.length !== KEY_BYTES) throw new Error(`key ${at + 1} is damaged`);
  return [id, key];
}
