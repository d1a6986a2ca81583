import { createHash } from 'node:crypto';
import { integerRoot } from '../ranking/integer-root.ts';
import { allImpliedQueries } from '../ranking/intents.ts';
import { type Semantics, spokenText } from '../ranking/rank-tools.ts';
import type { SearchableTool } from '../searchable-tool.ts';
import { splitWords } from '../words/split-words.ts';
import type { Encoder, VectorCache } from './encoder.ts';

/** The vectors of one catalogue's tools; a search uses those that are ready and never waits. */
export class ToolVectors {
  readonly #encoder: Encoder;
  readonly #cache: VectorCache | undefined;
  /** The texts to encode by public name, the tool's own text first. */
  #texts = new Map<string, readonly string[]>();
  /** By text: of tools, past queries, and sub-queries of rules. */
  readonly #vectors = new Map<string, UnitVector>();
  /** Texts without a vector, in the order of encoding. */
  #missing = new Set<string>();

  /** Looks up the cache before encoding, and stores new vectors there. */
  constructor(encoder: Encoder, cache?: VectorCache) {
    this.#encoder = encoder;
    this.#cache = cache;
  }

  /** The number of tools with a vector. */
  get size(): number {
    let size = 0;
    for (const [text] of this.#texts.values()) if (text !== undefined && this.#vectors.has(text)) size += 1;
    return size;
  }

  /** Whether every text has its vector. */
  get isComplete(): boolean {
    return this.#missing.size === 0;
  }

  /** The cache keys of all vectors of the catalogue. */
  keys(): string[] {
    return [...this.#wanted()].map((text) => vectorKey(this.#encoder.id, text));
  }

  /** Follows the catalogue: changed texts have no vector until the next `build`. */
  follow(tools: Iterable<SearchableTool>): void {
    this.#texts = new Map();
    for (const tool of tools) this.#texts.set(tool.name, [encodedText(tool), ...(tool.learnedQueries ?? [])]);
    const wanted = this.#wanted();
    for (const text of this.#vectors.keys()) if (!wanted.has(text)) this.#vectors.delete(text);
    this.#missing = new Set([...wanted].filter((text) => !this.#vectors.has(text)));
  }

  /** Computes missing vectors in batches, from the cache if possible; runs beside the searches. */
  async build(batchSize = BATCH_SIZE): Promise<void> {
    while (this.#missing.size > 0) {
      const batch = firstOf(this.#missing, batchSize);
      const vectors = await this.#encode(batch);
      // The catalogue may have changed and no longer need a text.
      for (const [place, text] of batch.entries())
        if (this.#missing.delete(text)) this.#vectors.set(text, vectors[place] as UnitVector);
    }
  }

  /** The similarities for some queries by the current vectors; undefined if there is none. */
  async ask(queries: readonly string[]): Promise<Semantics | undefined> {
    if (this.size === 0) return undefined;
    const texts = [...new Set(queries.map(spokenText))];
    const vectors = (await this.#encoder.encode(texts)).map(toUnit);
    const asked = new Map(texts.map((text, at) => [text, vectors[at] as UnitVector]));
    const answers = new Map<string, Map<string, number>>();
    return {
      similarities: (query) => {
        const vector = asked.get(query) ?? this.#vectors.get(query);
        if (!vector) return undefined;
        const answer = answers.get(query) ?? this.#similarities(vector);
        answers.set(query, answer);
        return answer;
      },
    };
  }

  #wanted(): Set<string> {
    return new Set([...[...this.#texts.values()].flat(), ...allImpliedQueries()]);
  }

  /** The similarity of each tool to a query, from -2^14 to 2^14: by its own text, or by a past query that led to it. */
  #similarities(query: UnitVector): Map<string, number> {
    const similarities = new Map<string, number>();
    for (const [name, texts] of this.#texts) {
      for (const text of texts) {
        const vector = this.#vectors.get(text);
        if (!vector) continue;
        const value = similarity(query, vector);
        similarities.set(name, Math.max(value, similarities.get(name) ?? value));
      }
    }
    return similarities;
  }

  async #encode(texts: readonly string[]): Promise<UnitVector[]> {
    const keys = texts.map((text) => vectorKey(this.#encoder.id, text));
    const known = new Map((await this.#cache?.get(keys)) ?? []);
    const unknown = texts.flatMap((text, at) =>
      known.has(keys[at] as string) ? [] : [{ text, key: keys[at] as string }],
    );
    if (unknown.length > 0) {
      const made = await this.#encoder.encode(unknown.map(({ text }) => text));
      const fresh = new Map(unknown.map(({ key }, at) => [key, made[at] as Int8Array]));
      await this.#cache?.put(fresh);
      for (const [key, vector] of fresh) known.set(key, vector);
    }
    return keys.map((key) => toUnit(known.get(key) as Int8Array));
  }
}

interface UnitVector {
  readonly values: Int8Array;
  /** The length of the vector, times 256. */
  readonly norm: number;
}

/** The cache key of a vector, from model and text only. */
export function vectorKey(encoderId: string, text: string): string {
  return createHash('sha256').update(`${encoderId}\n${text}`).digest('hex');
}

/** The encoded text of a tool: its name and description, without its parameters. */
export function encodedText(tool: SearchableTool): string {
  const words = splitWords(tool.original_name).filter(({ compound }) => !compound);
  const name = words.map(({ text }) => text).join(' ');
  return `${name}: ${(tool.description ?? '').slice(0, ENCODED_CHARS_MAX)}`;
}

const BATCH_SIZE = 16;
const ENCODED_CHARS_MAX = 600;
/** The similarity of a text to itself. */
export const SIMILARITY_ONE = 2 ** 14;

function firstOf<T>(items: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const item of items) {
    if (first.length === count) break;
    first.push(item);
  }
  return first;
}

function toUnit(values: Int8Array): UnitVector {
  let sum = 0;
  for (const value of values) sum += value * value;
  return { values, norm: integerRoot(sum * 65_536) };
}

function similarity(a: UnitVector, b: UnitVector): number {
  if (a.norm === 0 || b.norm === 0 || a.values.length !== b.values.length) return 0;
  let dot = 0;
  for (let at = 0; at < a.values.length; at += 1) dot += (a.values[at] as number) * (b.values[at] as number);
  return Math.floor((dot * 65_536 * SIMILARITY_ONE) / (a.norm * b.norm));
}
