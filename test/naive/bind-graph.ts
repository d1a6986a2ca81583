/** Random numbers from a seed, the same on every machine. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0;
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  shuffle<T>(items: readonly T[]): T[] {
    const left = [...items];
    return items.map(() => left.splice(this.below(left.length), 1)[0] as T);
  }
}

const TOKENS = ['search', 'summarize', 'orders', 'a', 'B', 'x/y:z.1'];
const KEYS = ['A', 'B', 'C'].map((letter) => `ed25519:${Buffer.alloc(32, letter).toString('base64')}`);
const GOOD = [
  'https://one.example/mcp',
  'https://TWO.example:443/mcp',
  'https://three.example:8443/',
  'https://four.example',
  'https://8.8.8.8/',
];
const BAD = [
  'http://plain.example/',
  'https://127.1/',
  'https://[::ffff:7f00:1]/',
  'https://me@host.example/',
  'https://host.example/#',
  'https://a b/',
  'mcp://host/',
  '',
  null,
  7,
  {},
  [],
  { endpoint: 5 },
  'https://localhost./',
  'https:four.example',
  'https://100.64.0.1/',
  'https://metadata.internal/',
];

export interface RandomZones {
  readonly zones: ReadonlyMap<string, string>;
  readonly names: readonly string[];
}

/** A graph of zones in which everything that the rules speak of occurs, and most often nothing is wrong. */
export function randomZones(dice: Dice): RandomZones {
  const count = dice.chance(0.03) ? 60 + dice.below(12) : 1 + dice.below(12);
  const names = Array.from({ length: count }, (_, index) => `z${index}`);
  const isSpoilt = dice.chance(0.25);
  const shape = dice.below(4);
  const zones = new Map<string, string>();
  names.forEach((name, index) => {
    zones.set(name, randomZone(dice, name, index, names, shape, isSpoilt));
  });
  return { zones, names };
}

function randomZone(
  dice: Dice,
  name: string,
  index: number,
  names: readonly string[],
  shape: number,
  isSpoilt: boolean,
): string {
  if (isSpoilt && dice.chance(0.03)) {
    return dice.pick(['{', '[]', '\ufeff{}', `{"identity":"${name}"}`, `{"identity":"x${name}","records":[]}`]);
  }
  const records: unknown[] = [];
  for (let left = dice.below(4); left > 0; left -= 1) records.push(randomEndpoint(dice, isSpoilt));
  for (let left = dice.chance(0.3) ? 1 + dice.below(2) : 0; left > 0; left -= 1) {
    records.push({ type: 'CAPS', value: randomTokens(dice, isSpoilt), ...randomExtras(dice, isSpoilt, true) });
  }
  for (let left = dice.below(3); left > 0; left -= 1) {
    const value = !isSpoilt || dice.chance(0.9) ? dice.pick(KEYS) : dice.pick(['ed25519:BASE64...', 'ed25519:AAAA', 9]);
    records.push({ type: 'KEY', value, ...randomExtras(dice, isSpoilt, true) });
  }
  for (const value of randomTargets(dice, index, names, shape, isSpoilt)) {
    records.push({ type: 'CASCADE', value, ...randomExtras(dice, isSpoilt, true) });
  }
  if (dice.chance(0.2))
    records.push({ type: dice.pick(['TXT', 'APP', 'BIND', 'X_SHADOW', 'mcp', 'FUTURE']), ttl: 'x' });
  if (isSpoilt && dice.chance(0.02)) records.push(dice.pick<unknown>([null, 'MCP', {}, { type: 5 }, []]));
  const ttl = randomTtl(dice, isSpoilt);
  return JSON.stringify({ identity: name, ...(ttl === undefined ? {} : { ttl }), records: dice.shuffle(records) });
}

function randomEndpoint(dice: Dice, isSpoilt: boolean): unknown {
  const url = dice.chance(isSpoilt ? 0.7 : 0.93) ? dice.pick(GOOD) : dice.pick(BAD);
  const isObject = typeof url === 'string' && dice.chance(0.5);
  const ofValue = dice.chance(0.5) ? { capabilities: randomTokens(dice, isSpoilt) } : {};
  const ofRecord = dice.chance(0.2) ? { capabilities: randomTokens(dice, isSpoilt) } : {};
  const value = isObject ? { endpoint: url, ...ofValue } : url;
  return { type: 'MCP', value, ...ofRecord, ...randomExtras(dice, isSpoilt, false) };
}

function randomExtras(dice: Dice, isSpoilt: boolean, mayLackPriority: boolean): object {
  const ttl = randomTtl(dice, isSpoilt);
  const priority =
    isSpoilt && dice.chance(0.03)
      ? dice.pick<unknown>(['5', 1.5, null, true, 2 ** 31, -(2 ** 31) - 1, undefined])
      : mayLackPriority && dice.chance(0.4)
        ? undefined
        : dice.chance(0.05)
          ? dice.pick([2 ** 31 - 1, -(2 ** 31), 0, -0])
          : dice.below(4);
  return { ...(priority === undefined ? {} : { priority }), ...(ttl === undefined ? {} : { ttl }) };
}

function randomTtl(dice: Dice, isSpoilt: boolean): unknown {
  if (dice.chance(0.6)) return undefined;
  if (isSpoilt && dice.chance(0.04)) return dice.pick<unknown>(['60', 1.5, null, false]);
  return dice.pick([0, -5, 1, 60, 600, 3600, 7200, 86_400, 1e9]);
}

function randomTokens(dice: Dice, isSpoilt: boolean): unknown {
  if (isSpoilt && dice.chance(0.03)) return dice.pick<unknown>(['search', null, ['-'], [5], ['\u212a'], ['a b'], {}]);
  return Array.from({ length: dice.below(4) }, () => dice.pick(TOKENS));
}

/** Edges of a tree, of a dag, of anything, or of a line with whatever joins it. */
function randomTargets(
  dice: Dice,
  index: number,
  names: readonly string[],
  shape: number,
  isSpoilt: boolean,
): unknown[] {
  const later = names.slice(index + 1);
  if (isSpoilt && dice.chance(0.03)) {
    return [dice.pick<unknown>(['nowhere', 'ac.me', 'openai', 'ROOT', 5, null, 'a?b', '', 'AI://Meta@x'])];
  }
  if (isSpoilt && dice.chance(0.01)) return Array.from({ length: 16 + dice.below(2) }, () => dice.pick(names));
  if (shape === 0) return later.slice(0, 1);
  const pool = shape === 1 && dice.chance(0.9) ? later : names;
  if (pool.length === 0) return [];
  const count = names.length > 20 ? dice.below(5) : dice.below(3);
  const spell = (name: string) => dice.pick([name, name, `ai://${name}`, `MCP://${name.toUpperCase()}@there/p`]);
  return Array.from({ length: shape === 1 ? count : dice.chance(0.4) ? count : 0 }, () => spell(dice.pick(pool)));
}
