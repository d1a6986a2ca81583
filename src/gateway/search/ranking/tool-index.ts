import type { Field, SearchableTool } from '../searchable-tool.ts';
import { isGram } from '../words/terms.ts';
import { BestHits, type Hit } from './best-hits.ts';
import { inverseDocumentFrequency } from './fixed-log.ts';
import { fieldOf, type TermCache, weighTerms, weightOf } from './weigh-terms.ts';

/** A term of a query; of the variants of one concept only the best counts. */
export interface QueryVariant {
  readonly term: string;
  /** Share of a full hit, in sixteenths. */
  readonly weight: number;
}
export interface QueryConcept {
  /** The words of the query, as shown in a reason. */
  readonly label: string;
  readonly variants: readonly QueryVariant[];
}

export interface Hits {
  readonly hits: readonly Hit[];
  /** All matching tools, shown or not. */
  readonly matched: number;
}
export interface Reason {
  readonly term: string;
  readonly field: Field;
  readonly score: number;
}

/** The tools that contain a term: ascending slots, each with weight and field packed into one number. */
interface Postings {
  readonly slots: number[];
  readonly packed: number[];
  live: number;
}

/** An inverted index over tools, updated by server; its results depend on its content, not on its history. */
export class ToolIndex {
  readonly #postings = new Map<string, Postings>();
  #tools: (SearchableTool | undefined)[] = [];
  readonly #servers = new Map<string, number[]>();
  readonly #slotsByName = new Map<string, number>();
  #scores = new Int32Array(0);
  #best = new Int32Array(0);
  readonly #remembered = new Map<string, unknown>();

  /** The number of tools. */
  get size(): number {
    return this.#slotsByName.size;
  }

  /** The ids of all servers with tools, in byte order. */
  servers(): string[] {
    return [...this.#servers.keys()].sort(byCodeUnits);
  }

  tool(name: string): SearchableTool | undefined {
    const slot = this.#slotsByName.get(name);
    return slot === undefined ? undefined : this.#tools[slot];
  }

  /** All tools, in no particular order. */
  *all(): Generator<SearchableTool> {
    for (const tool of this.#tools) if (tool) yield tool;
  }

  /** All tools, in byte order of the public names. */
  tools(): SearchableTool[] {
    return [...this.#slotsByName.keys()].sort(byCodeUnits).map((name) => this.tool(name) as SearchableTool);
  }

  /** Replaces the tools of a server. */
  replaceServer(server: string, tools: readonly SearchableTool[]): void {
    this.removeServer(server);
    const cache: TermCache = new Map();
    if (tools.length === 0) return;
    // Registered before the tools are added, so that a partly indexed server can be removed.
    const slots: number[] = [];
    this.#servers.set(server, slots);
    for (const tool of tools) slots.push(this.#add(tool, cache));
  }

  removeServer(server: string): void {
    this.#remembered.clear();
    const cache: TermCache = new Map();
    for (const slot of this.#servers.get(server) ?? []) this.#remove(slot, cache);
    this.#servers.delete(server);
    if (this.#tools.length > 2 * this.size + COMPACTION_SLACK) this.#compact();
  }

  /** Caches a value that depends only on the tools, until they change. */
  remember<T>(key: string, make: () => T): T {
    if (!this.#remembered.has(key)) this.#remembered.set(key, make());
    return this.#remembered.get(key) as T;
  }

  /** The number of tools that contain a term. */
  frequency(term: string): number {
    return this.#postings.get(term)?.live ?? 0;
  }

  /** The tools that match any of the concepts, best first, ties by public name. */
  score(concepts: readonly QueryConcept[], limit: number, server?: string): Hits {
    this.#grow();
    const touched: number[] = [];
    for (const concept of concepts) this.#addConcept(concept, touched);
    const best = new BestHits(limit);
    let matched = 0;
    for (const slot of touched) {
      const tool = this.#tools[slot];
      if (tool && (server === undefined || tool.server === server)) {
        matched += 1;
        best.offer(tool, this.#scores[slot] as number);
      }
      this.#scores[slot] = 0;
    }
    return { hits: best.sorted(), matched };
  }

  /** The contribution of each query word to a tool's score, largest first. */
  explain(name: string, concepts: readonly QueryConcept[], limit: number): Reason[] {
    const slot = this.#slotsByName.get(name);
    if (slot === undefined) return [];
    const reasons = new Map<string, Reason>();
    for (const { label, variants } of concepts) {
      const best = this.#bestVariant(slot, variants);
      if (!best) continue;
      const before = reasons.get(label);
      const field = before && before.score > best.score ? before.field : best.field;
      reasons.set(label, { term: label, field, score: best.score + (before?.score ?? 0) });
    }
    return [...reasons.values()].sort((a, b) => b.score - a.score || byCodeUnits(a.term, b.term)).slice(0, limit);
  }

  #bestVariant(slot: number, variants: readonly QueryVariant[]): Omit<Reason, 'term'> | undefined {
    let best: Omit<Reason, 'term'> | undefined;
    for (const [place, { term, weight }] of variants.entries()) {
      const postings = this.#telling(term, place);
      const at = postings === undefined ? -1 : find(postings.slots, slot);
      if (postings === undefined || at < 0) continue;
      const packed = postings.packed[at] as number;
      const score = contribution(weightOf(packed), this.#idf(postings) * weight);
      if (score > (best?.score ?? 0)) best = { field: fieldOf(packed), score };
    }
    return best;
  }

  #addConcept({ variants }: QueryConcept, touched: number[]): void {
    const best = this.#best;
    const scores = this.#scores;
    const seen: number[] = [];
    for (const [place, { term, weight }] of variants.entries()) {
      const postings = this.#telling(term, place);
      if (postings === undefined) continue;
      const factor = this.#idf(postings) * weight;
      const { slots, packed } = postings;
      for (let at = 0; at < slots.length; at += 1) {
        const slot = slots[at] as number;
        const score = contribution(weightOf(packed[at] as number), factor);
        const before = best[slot] as number;
        if (score <= before) continue;
        if (before === 0) seen.push(slot);
        best[slot] = score;
      }
    }
    for (const slot of seen) {
      if (scores[slot] === 0) touched.push(slot);
      scores[slot] = (scores[slot] as number) + (best[slot] as number);
      best[slot] = 0;
    }
  }

  /**
   * The tools with a term, unless it is too common to be useful: in a third of a large catalogue, or in thousands if it is only implied.
   */
  #telling(term: string, place: number): Postings | undefined {
    const postings = this.#postings.get(term);
    if (postings === undefined || postings.live === 0) return undefined;
    const isCommon = postings.live > COMMON_TOOLS && (place > 0 || isGram(term) || 3 * postings.live > this.size);
    return isCommon ? undefined : postings;
  }

  #idf(postings: Postings): number {
    return inverseDocumentFrequency(this.size, postings.live);
  }

  #add(tool: SearchableTool, cache: TermCache): number {
    const slot = this.#tools.length;
    const weights = weighTerms(tool, cache);
    const namesake = this.#slotsByName.get(tool.name);
    if (namesake !== undefined) this.#remove(namesake, cache);
    this.#tools.push(tool);
    this.#slotsByName.set(tool.name, slot);
    for (const [term, packed] of weights) this.#post(term, slot, packed);
    return slot;
  }

  #post(term: string, slot: number, packed: number): void {
    let postings = this.#postings.get(term);
    if (!postings) {
      postings = { slots: [], packed: [], live: 0 };
      this.#postings.set(term, postings);
    }
    postings.slots.push(slot);
    postings.packed.push(packed);
    postings.live += 1;
  }

  /** Removes a tool's terms from the counts; recomputes the terms instead of storing them. */
  #remove(slot: number, cache: TermCache): void {
    const tool = this.#tools[slot];
    if (!tool) return;
    for (const term of weighTerms(tool, cache).keys()) (this.#postings.get(term) as Postings).live -= 1;
    this.#tools[slot] = undefined;
    if (this.#slotsByName.get(tool.name) === slot) this.#slotsByName.delete(tool.name);
  }

  /** Drops the slots and postings of removed tools. */
  #compact(): void {
    const moved = new Map<number, number>();
    for (const [slot, tool] of this.#tools.entries()) if (tool) moved.set(slot, moved.size);
    this.#tools = this.#tools.filter((tool) => tool !== undefined);
    for (const [server, slots] of this.#servers)
      this.#servers.set(
        server,
        slots.flatMap((slot) => moved.get(slot) ?? []),
      );
    for (const [name, slot] of this.#slotsByName) this.#slotsByName.set(name, moved.get(slot) as number);
    for (const [term, { slots, packed, live }] of this.#postings) {
      if (live === 0) {
        this.#postings.delete(term);
        continue;
      }
      const kept = slots.flatMap((slot, at) => (moved.has(slot) ? [at] : []));
      this.#postings.set(term, {
        slots: kept.map((at) => moved.get(slots[at] as number) as number),
        packed: kept.map((at) => packed[at] as number),
        live,
      });
    }
  }

  #grow(): void {
    if (this.#scores.length >= this.#tools.length) return;
    this.#scores = new Int32Array(this.#tools.length * 2);
    this.#best = new Int32Array(this.#tools.length * 2);
  }
}

export function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const COMPACTION_SLACK = 256;
/** A term in fewer tools is never too common. */
const COMMON_TOOLS = 2_000;
/** Weight times rarity times share of the query, as an integer below 2^31. */
function contribution(weight: number, factor: number): number {
  return (weight * factor) >> CONTRIBUTION_BITS;
}

const CONTRIBUTION_BITS = 12;

/** The contribution of a term of this rarity in a tool that is all about it. */
export function fullContribution(idf: number, share: number): number {
  return contribution(WEIGHT_FULL, idf * share);
}

/** The weight of a term in a tool's name and description. */
const WEIGHT_FULL = 700;

function find(slots: readonly number[], slot: number): number {
  let low = 0;
  let high = slots.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const value = slots[middle] as number;
    if (value === slot) return middle;
    if (value < slot) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
