import { BestHits } from './best-hits.ts';
import { inverseDocumentFrequency } from './fixed-log.ts';
import { FIELDS, type Field, fieldsOf, type SearchableTool } from './searchable-tool.ts';
import { splitWords } from './split-words.ts';
import { gramsOf, termsOf } from './terms.ts';

/** A term that a query looks for; the variants of one concept compete, they do not add up. */
export interface QueryVariant {
  readonly term: string;
  /** Share of a full hit, in sixteenths. */
  readonly weight: number;
}
export interface QueryConcept {
  /** What the query says, as it is shown in a reason. */
  readonly label: string;
  readonly variants: readonly QueryVariant[];
}

export interface Hit {
  readonly tool: SearchableTool;
  readonly score: number;
}
export interface Hits {
  readonly hits: readonly Hit[];
  /** Tools that match anything, shown or not. */
  readonly matched: number;
}
export interface Reason {
  readonly term: string;
  readonly field: Field;
  readonly score: number;
}

/** The tools that contain a term: slots ascending, each with its weight and its field in one number. */
interface Postings {
  readonly slots: number[];
  readonly packed: number[];
  live: number;
}

/** An inverted index over tools that follows a server's catalogue; its answers depend on its content, not on its history. */
export class ToolIndex {
  readonly #postings = new Map<string, Postings>();
  #tools: (SearchableTool | undefined)[] = [];
  #terms: (readonly string[])[] = [];
  readonly #servers = new Map<string, number[]>();
  readonly #slotsByName = new Map<string, number>();
  #scores = new Int32Array(0);
  #best = new Int32Array(0);

  /** The number of tools. */
  get size(): number {
    return this.#slotsByName.size;
  }

  /** The ids of all servers that have tools, in byte order. */
  servers(): string[] {
    return [...this.#servers.keys()].sort(byCodeUnits);
  }

  tool(name: string): SearchableTool | undefined {
    const slot = this.#slotsByName.get(name);
    return slot === undefined ? undefined : this.#tools[slot];
  }

  /** Every tool, in no order. */
  *all(): Generator<SearchableTool> {
    for (const tool of this.#tools) if (tool) yield tool;
  }

  /** Every tool, in the byte order of the public names. */
  tools(): SearchableTool[] {
    return [...this.#slotsByName.keys()].sort(byCodeUnits).map((name) => this.tool(name) as SearchableTool);
  }

  /** Puts a server's catalogue in the place of what it had before. */
  replaceServer(server: string, tools: readonly SearchableTool[]): void {
    this.removeServer(server);
    const slots = tools.map((tool) => this.#add(tool));
    if (slots.length > 0) this.#servers.set(server, slots);
  }

  removeServer(server: string): void {
    for (const slot of this.#servers.get(server) ?? []) this.#remove(slot);
    this.#servers.delete(server);
    if (this.#tools.length > 2 * this.size + COMPACTION_SLACK) this.#compact();
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
        best.offer({ tool, score: this.#scores[slot] as number });
      }
      this.#scores[slot] = 0;
    }
    return { hits: best.sorted(), matched };
  }

  /** What each concept contributed to a tool's score, largest first. */
  explain(name: string, concepts: readonly QueryConcept[], limit: number): Reason[] {
    const slot = this.#slotsByName.get(name);
    if (slot === undefined) return [];
    const reasons: Reason[] = [];
    for (const { label, variants } of concepts) {
      let best: Reason | undefined;
      for (const { term, weight } of variants) {
        const postings = this.#postings.get(term);
        const at = postings === undefined ? -1 : find(postings.slots, slot);
        if (postings === undefined || at < 0) continue;
        const packed = postings.packed[at] as number;
        const score = contribution(packed >> FIELD_BITS, this.#idf(postings), weight);
        const field = FIELDS[packed & FIELD_MASK] as Field;
        if (score > 0 && (best === undefined || score > best.score)) best = { term: label, field, score };
      }
      if (best) reasons.push(best);
    }
    return reasons.sort((a, b) => b.score - a.score || byCodeUnits(a.term, b.term)).slice(0, limit);
  }

  #addConcept({ variants }: QueryConcept, touched: number[]): void {
    const seen: number[] = [];
    for (const { term, weight } of variants) {
      const postings = this.#postings.get(term);
      if (postings === undefined || postings.live === 0) continue;
      const idf = this.#idf(postings);
      const { slots, packed } = postings;
      for (let at = 0; at < slots.length; at += 1) {
        const slot = slots[at] as number;
        const score = contribution((packed[at] as number) >> FIELD_BITS, idf, weight);
        const best = this.#best[slot] as number;
        if (score <= best) continue;
        if (best === 0) seen.push(slot);
        this.#best[slot] = score;
      }
    }
    for (const slot of seen) {
      if (this.#scores[slot] === 0) touched.push(slot);
      this.#scores[slot] = (this.#scores[slot] as number) + (this.#best[slot] as number);
      this.#best[slot] = 0;
    }
  }

  #idf(postings: Postings): number {
    return inverseDocumentFrequency(this.size, postings.live);
  }

  #add(tool: SearchableTool): number {
    const slot = this.#tools.length;
    const weights = weighTerms(tool);
    const namesake = this.#slotsByName.get(tool.name);
    if (namesake !== undefined) this.#remove(namesake);
    this.#tools.push(tool);
    this.#terms.push([...weights.keys()]);
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

  #remove(slot: number): void {
    const tool = this.#tools[slot];
    if (!tool) return;
    for (const term of this.#terms[slot] ?? []) (this.#postings.get(term) as Postings).live -= 1;
    this.#tools[slot] = undefined;
    this.#terms[slot] = [];
    if (this.#slotsByName.get(tool.name) === slot) this.#slotsByName.delete(tool.name);
  }

  /** Drops the slots and postings of removed tools. */
  #compact(): void {
    const moved = new Map<number, number>();
    for (const [slot, tool] of this.#tools.entries()) if (tool) moved.set(slot, moved.size);
    this.#tools = this.#tools.filter((tool) => tool !== undefined);
    this.#terms = [...moved.keys()].map((slot) => this.#terms[slot] as readonly string[]);
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
const FIELD_BITS = 3;
const FIELD_MASK = 7;
/** A term's weight in a tool approaches this as it occurs more often and in better fields. */
const WEIGHT_ONE = 1_024;
/** Weight (as summed by `weighTerms`) at which a term counts half. */

const WEIGHT_HALF = 40 * 16;
const GRAM_WEIGHT = 6 * 16;

/** Each term of a tool with its saturated weight and the field that gave most of it, packed into one number. */
function weighTerms(tool: SearchableTool): Map<string, number> {
  const sums = new Map<string, { sum: number; best: number; field: number }>();
  const add = (term: string, weight: number, field: number): void => {
    const entry = sums.get(term);
    if (!entry) sums.set(term, { sum: weight, best: weight, field });
    else {
      entry.sum += weight;
      if (weight > entry.best) Object.assign(entry, { best: weight, field });
    }
  };
  for (const { field, identifier, weight, typicalWords, text } of fieldsOf(tool)) {
    const terms = termsOf(text, identifier);
    const each = Math.floor((weight * 16 * 4 * typicalWords) / (typicalWords + 3 * terms.length));
    const at = FIELDS.indexOf(field);
    for (const term of terms) add(term, each, at);
  }
  for (const word of splitWords(`${tool.original_name} ${tool.server}`)) {
    for (const gram of gramsOf(word.text)) if (!sums.has(gram)) add(gram, GRAM_WEIGHT, 0);
  }
  const weights = new Map<string, number>();
  for (const [term, { sum, field }] of sums) {
    const weight = Math.floor((WEIGHT_ONE * sum) / (sum + WEIGHT_HALF));
    weights.set(term, (weight << FIELD_BITS) | field);
  }
  return weights;
}

/** A term's weight times its rarity times its share of the query, in whole numbers. */
function contribution(weight: number, idf: number, share: number): number {
  return Math.floor((weight * idf * share) / CONTRIBUTION_ONE);
}

const CONTRIBUTION_ONE = 4_096;

/** What a term of this rarity is worth in a tool that is all about it. */
export function fullContribution(idf: number, share: number): number {
  return contribution(WEIGHT_FULL, idf, share);
}

/** The weight of a term that stands in a tool's name and description. */
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
