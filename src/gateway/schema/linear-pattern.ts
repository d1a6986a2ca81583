import { SCHEMA_LIMITS } from './limits.ts';
import { type Atom, compileProgram, OP, type PatternProgram } from './pattern-program.ts';
import type { StepBudget } from './steps.ts';

/** What precedes a position. */
const BEFORE = { start: 0, other: 1, word: 2 } as const;
type Before = (typeof BEFORE)[keyof typeof BEFORE];

/** A DFA state: the NFA states of a position, and the transitions by code point. */
interface Place {
  readonly states: readonly number[];
  readonly before: Before;
  readonly ascii: (Place | undefined)[];
  readonly others: Map<number, Place>;
  endsMatched: boolean | undefined;
}

/** The cost of a transition that is not cached: it allocates a state with its table, which dominates if many patterns run only once. */
const NEW_TRANSITION_STEPS = 40;
const ASCII = 128;
const MATCHED = place([], BEFORE.other);
const FAILED = place([], BEFORE.other);

/** The cached states of all patterns are dropped together if they use too much memory. */
const kept = { epoch: 0, size: 0 };

/**
 * An ECMAScript regular expression (flag `u`) without lookaround and backreferences. Matches in one pass: reads every code point once,
 * and follows all alternatives in parallel. Caches transitions.
 */
export class LinearPattern {
  readonly parts: number;
  readonly #program: PatternProgram;
  readonly #isAnchored: boolean;
  readonly #hasWords: boolean;
  readonly #marks: Uint32Array;
  #mark = 0;
  #epoch = -1;
  #places = new Map<string, Place>();
  #first: Place = FAILED;

  /** Throws `UnusablePattern`. */
  constructor(source: string) {
    this.#program = compileProgram(source);
    const { ops, first } = this.#program;
    this.parts = ops.length;
    this.#isAnchored = ops[first] === OP.start;
    this.#hasWords = ops.includes(OP.word) || ops.includes(OP.notWord);
    this.#marks = new Uint32Array(ops.length);
  }

  /** Whether the text contains a match. */
  test(text: string, budget: StepBudget): boolean {
    budget.spend(4 + (text.length >> 3));
    if (this.#epoch !== kept.epoch) this.#forget();
    let current = this.#first;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      let next = unit < ASCII ? current.ascii[unit] : undefined;
      if (next === undefined) {
        const codePoint = text.codePointAt(at) as number;
        if (codePoint > 0xffff) at += 1;
        next = this.#after(current, codePoint, budget);
      }
      if (next === MATCHED) return true;
      if (next === FAILED) return false;
      current = next;
    }
    current.endsMatched ??= this.#open(current, undefined, budget) === undefined;
    return current.endsMatched;
  }

  #after(from: Place, codePoint: number, budget: StepBudget): Place {
    const known = from.others.get(codePoint);
    if (known) return known;
    budget.spend(NEW_TRANSITION_STEPS);
    const next = this.#follow(from, codePoint, budget);
    if (codePoint < ASCII) from.ascii[codePoint] = next;
    else from.others.set(codePoint, next);
    kept.size += 4;
    return next;
  }

  #follow(from: Place, codePoint: number, budget: StepBudget): Place {
    const open = this.#open(from, codePoint, budget);
    if (open === undefined) return MATCHED;
    const { next, other, atoms, first } = this.#program;
    const states = new Set<number>();
    const fits = new Map<number, boolean>();
    for (const state of open) {
      const atom = other[state] as number;
      const isFit = fits.get(atom) ?? (atoms[atom] as Atom)(codePoint);
      fits.set(atom, isFit);
      if (isFit) states.add(next[state] as number);
    }
    // A match may also begin here.
    if (!this.#isAnchored) states.add(first);
    if (states.size === 0) return FAILED;
    return this.#place([...states], this.#hasWords && isWord(codePoint) ? BEFORE.word : BEFORE.other);
  }

  /** The atoms that can be read next, after following transitions without input; undefined if the match is reached. */
  #open({ states, before }: Place, codePoint: number | undefined, budget: StepBudget): number[] | undefined {
    const { ops, next, other } = this.#program;
    const isAtWordEnd = (before === BEFORE.word) !== (codePoint !== undefined && isWord(codePoint));
    const open: number[] = [];
    const waiting = [...states];
    this.#mark += 1;
    let steps = 0;
    for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
      steps += 1;
      if (this.#marks[state] === this.#mark) continue;
      this.#marks[state] = this.#mark;
      const op = ops[state];
      if (op === OP.match) return undefined;
      if (op === OP.atom) open.push(state);
      else if (op === OP.split) waiting.push(next[state] as number, other[state] as number);
      else if (
        op === OP.start
          ? before === BEFORE.start
          : op === OP.end
            ? codePoint === undefined
            : isAtWordEnd === (op === OP.word)
      )
        waiting.push(next[state] as number);
    }
    budget.spend(4 + 3 * steps);
    return open;
  }

  #place(states: number[], before: Before): Place {
    const key = `${before} ${states.sort((a, b) => a - b).join()}`;
    const known = this.#places.get(key);
    if (known) return known;
    if (kept.size > SCHEMA_LIMITS.keptTransitionsMax) {
      kept.epoch += 1;
      kept.size = 0;
      this.#forget();
    }
    const made = place(states, before);
    kept.size += ASCII + 4 * states.length;
    this.#places.set(key, made);
    return made;
  }

  #forget(): void {
    this.#epoch = kept.epoch;
    this.#places = new Map();
    this.#first = place([this.#program.first], BEFORE.start);
  }
}

const patterns = new Map<string, LinearPattern>();
let keptParts = 0;

/** Compiles a pattern, cached while there is room. Throws `UnusablePattern`. */
export function linearPattern(source: string): LinearPattern {
  const known = patterns.get(source);
  if (known) return known;
  const pattern = new LinearPattern(source);
  keptParts += pattern.parts;
  if (keptParts > SCHEMA_LIMITS.keptPatternPartsMax) {
    patterns.clear();
    keptParts = pattern.parts;
  }
  patterns.set(source, pattern);
  return pattern;
}

function place(states: readonly number[], before: Before): Place {
  return { states, before, ascii: new Array(ASCII).fill(undefined), others: new Map(), endsMatched: undefined };
}

function isWord(codePoint: number): boolean {
  return (
    (codePoint >= 0x30 && codePoint <= 0x39) ||
    (codePoint >= 0x41 && codePoint <= 0x5a) ||
    (codePoint >= 0x61 && codePoint <= 0x7a) ||
    codePoint === 0x5f
  );
}
