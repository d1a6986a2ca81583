import { SCHEMA_LIMITS } from './limits.ts';

/** Why a pattern is not run: it is invalid in ECMAScript, or a linear matcher cannot run it. */
export class UnusablePattern extends Error {
  readonly isUnsupported: boolean;

  constructor(message: string, isUnsupported = true) {
    super(message);
    this.isUnsupported = isUnsupported;
  }
}

/** The operations of a state. */
export const OP = { match: 0, atom: 1, split: 2, start: 3, end: 4, word: 5, notWord: 6 } as const;
type Op = (typeof OP)[keyof typeof OP];

/** A nondeterministic automaton. State 0 is the match. */
export interface PatternProgram {
  readonly ops: readonly Op[];
  /** The next state; for a split, one of the two. */
  readonly next: readonly number[];
  /** The other state of a split, or the index of the atom. */
  readonly other: readonly number[];
  readonly atoms: readonly Atom[];
  readonly first: number;
}

/** Tests one code point. */
export type Atom = (codePoint: number) => boolean;

type Node =
  | { readonly kind: 'empty' }
  | { readonly kind: 'atom'; readonly source: string }
  | { readonly kind: 'assertion'; readonly op: Op }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly min: number; readonly max: number };

/** Compiles an ECMAScript pattern with the flag `u`. Throws `UnusablePattern`. */
export function compileProgram(source: string): PatternProgram {
  if (source.length > SCHEMA_LIMITS.patternCharsMax)
    throw new UnusablePattern(`is longer than ${SCHEMA_LIMITS.patternCharsMax} characters`);
  try {
    new RegExp(source, 'u');
  } catch (cause) {
    throw new UnusablePattern(`is not a regular expression: ${(cause as Error).message}`, false);
  }
  return new ProgramWriter().write(new PatternReader(source).read());
}

const ASSERTIONS: Readonly<Record<string, Op>> = { '^': OP.start, $: OP.end, '\\b': OP.word, '\\B': OP.notWord };

/** Parses the structure of a valid pattern; atoms stay text. */
class PatternReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): Node {
    const choices: Node[] = [this.#sequence()];
    while (this.#take('|')) choices.push(this.#sequence());
    return choices.length === 1 ? (choices[0] as Node) : { kind: 'choice', parts: choices };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] as string))
      parts.push(this.#repeated(this.#term()));
    return parts.length === 1 ? (parts[0] as Node) : { kind: 'sequence', parts };
  }

  #term(): Node {
    if (this.#take('(')) return this.#group();
    const source = this.#unit();
    const op = ASSERTIONS[source];
    return op === undefined ? { kind: 'atom', source } : { kind: 'assertion', op };
  }

  #group(): Node {
    if (this.#take('?')) {
      const [, mark = ''] = /^(:|<?[=!]|<[^>]*>|[ims-]+:)/.exec(this.#source.slice(this.#at)) ?? [];
      if (/^<?[=!]/.test(mark))
        throw new UnusablePattern(`uses ${mark.startsWith('<') ? 'lookbehind' : 'lookahead'} (?${mark}…)`);
      if (/[ims-]:$/.test(mark)) throw new UnusablePattern(`uses modifiers (?${mark}…)`);
      this.#at += mark.length;
    }
    const inner = this.read();
    this.#take(')');
    return inner;
  }

  /** The text of one code point, class, escape or assertion. */
  #unit(): string {
    const rest = this.#source.slice(this.#at, this.#at + 80);
    if (/^\\[1-9k]/.test(rest)) throw new UnusablePattern(`uses a backreference ${rest.slice(0, 2)}`);
    const [unit] = rest.startsWith('[') ? [this.#class()] : (UNIT.exec(rest) ?? [rest]);
    this.#at += unit.length;
    return unit;
  }

  #class(): string {
    let end = this.#at + 1;
    while (this.#source[end] !== ']') end += this.#source[end] === '\\' ? 2 : 1;
    return this.#source.slice(this.#at, end + 1);
  }

  #repeated(part: Node): Node {
    const [mark, min, comma, max] = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(this.#source.slice(this.#at)) ?? [];
    if (mark === undefined) return part;
    this.#at += mark.length;
    // Lazy and greedy quantifiers match the same texts.
    this.#take('?');
    if (mark === '*') return { kind: 'repeat', part, min: 0, max: Number.POSITIVE_INFINITY };
    if (mark === '+') return { kind: 'repeat', part, min: 1, max: Number.POSITIVE_INFINITY };
    if (mark === '?') return { kind: 'repeat', part, min: 0, max: 1 };
    const most = comma === '' ? min : max === '' ? Number.POSITIVE_INFINITY : max;
    return { kind: 'repeat', part, min: Number(min), max: Number(most) };
  }

  #take(character: string): boolean {
    const isThere = this.#source[this.#at] === character;
    if (isThere) this.#at += 1;
    return isThere;
  }
}

/** One code point or escape; two escapes that form a surrogate pair count as one. */
const UNIT =
  /^(?:\\u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}|\\u\{[^}]*\}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\c[A-Za-z]|\\[pP]\{[^}]*\}|\\.|.)/su;

/** Builds the automaton from its end: each part gets its next state. */
class ProgramWriter {
  readonly #ops: Op[] = [OP.match];
  readonly #next: number[] = [0];
  readonly #other: number[] = [0];
  readonly #atoms: Atom[] = [];
  readonly #atomPlaces = new Map<string, number>();
  #work = 0;

  write(node: Node): PatternProgram {
    const first = this.#write(node, 0);
    return { ops: this.#ops, next: this.#next, other: this.#other, atoms: this.#atoms, first };
  }

  #write(node: Node, next: number): number {
    this.#count();
    switch (node.kind) {
      case 'empty':
        return next;
      case 'atom':
        return this.#state(OP.atom, next, this.#atom(node.source));
      case 'assertion':
        return this.#state(node.op, next, 0);
      case 'sequence':
        return node.parts.reduceRight((after, part) => this.#write(part, after), next);
      case 'choice':
        return node.parts
          .map((part) => this.#write(part, next))
          .reduceRight((other, one) => this.#state(OP.split, one, other));
      case 'repeat':
        return this.#repeat(node, next);
    }
  }

  #repeat({ part, min, max }: Extract<Node, { kind: 'repeat' }>, next: number): number {
    let first = next;
    if (max === Number.POSITIVE_INFINITY) {
      first = this.#state(OP.split, 0, next);
      (this.#next as number[])[first] = this.#write(part, first);
    } else {
      for (let copy = min; copy < max; copy += 1) first = this.#state(OP.split, this.#write(part, first), next);
    }
    for (let copy = 0; copy < min; copy += 1) first = this.#write(part, first);
    return first;
  }

  #state(op: Op, next: number, other: number): number {
    this.#count();
    this.#next.push(next);
    this.#other.push(other);
    return this.#ops.push(op) - 1;
  }

  /** Counts parts, because small nested repetitions multiply. */
  #count(): void {
    this.#work += 1;
    if (this.#work > SCHEMA_LIMITS.patternPartsMax)
      throw new UnusablePattern(`repeats more than ${SCHEMA_LIMITS.patternPartsMax} parts`);
  }

  #atom(source: string): number {
    const known = this.#atomPlaces.get(source);
    if (known !== undefined) return known;
    const literal = source.codePointAt(0) as number;
    const isLiteral = source.length === String.fromCodePoint(literal).length && !'.[\\'.includes(source);
    // The native engine cannot backtrack on a single code point, so it defines the meaning of the atom.
    const expression = new RegExp(`^${source}$`, 'u');
    const atom: Atom = isLiteral
      ? (codePoint) => codePoint === literal
      : (codePoint) => expression.test(String.fromCodePoint(codePoint));
    this.#atomPlaces.set(source, this.#atoms.length);
    return this.#atoms.push(atom) - 1;
  }
}
