import { FIELDS, fieldsOf, type SearchableTool } from '../searchable-tool.ts';
import { splitWords } from '../words/split-words.ts';
import { gramsOf, termsOf } from '../words/terms.ts';

/** The limit of a term's weight in a tool, for many occurrences in important fields. */
const WEIGHT_ONE = 1_024;
/** The sum of occurrences at which a term has half of it. */
const WEIGHT_HALF = 40 * 16;
const GRAM_WEIGHT = 6 * 16;
const FIELD_BITS = 3;
const FIELD_MASK = 7;

/** Caches the terms of texts that several tools of a server share, while its catalogue is indexed. */
export type TermCache = Map<string, readonly string[]>;

/** Each term of a tool with its saturated weight and its main field, packed into one number. */
export function weighTerms(tool: SearchableTool, cache: TermCache): Map<string, number> {
  const sums = new Map<string, TermSum>();
  for (const { field, identifier, weight, typicalWords, text } of fieldsOf(tool)) {
    const terms = cachedTerms(text, identifier, cache);
    const each = Math.floor((weight * 64 * typicalWords) / (typicalWords + 3 * terms.length));
    const at = FIELDS.indexOf(field);
    for (const term of terms) add(sums, term, each, at);
  }
  for (const { text } of splitWords(`${tool.original_name} ${tool.server}`)) {
    for (const gram of gramsOf(text)) if (!sums.has(gram)) add(sums, gram, GRAM_WEIGHT, 0);
  }
  const weights = new Map<string, number>();
  for (const [term, { sum, field }] of sums) {
    weights.set(term, (Math.floor((WEIGHT_ONE * sum) / (sum + WEIGHT_HALF)) << FIELD_BITS) | field);
  }
  return weights;
}

export function weightOf(packed: number): number {
  return packed >> FIELD_BITS;
}

export function fieldOf(packed: number): (typeof FIELDS)[number] {
  return FIELDS[packed & FIELD_MASK] as (typeof FIELDS)[number];
}

interface TermSum {
  sum: number;
  best: number;
  field: number;
}

function add(sums: Map<string, TermSum>, term: string, weight: number, field: number): void {
  const entry = sums.get(term);
  if (!entry) {
    sums.set(term, { sum: weight, best: weight, field });
    return;
  }
  entry.sum += weight;
  if (weight > entry.best) {
    entry.best = weight;
    entry.field = field;
  }
}

function cachedTerms(text: string, identifier: boolean, cache: TermCache): readonly string[] {
  const key = identifier ? `i${text}` : `t${text}`;
  let terms = cache.get(key);
  if (!terms) {
    terms = termsOf(text, identifier);
    cache.set(key, terms);
  }
  return terms;
}
