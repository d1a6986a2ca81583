/**
 * A simple backtracking matcher for the syntax that the scrub uses. It counts the steps of a backtracking engine, so that growth with text
 * length can be tested without a clock.
 */
type Continue = (at: number) => boolean;
type Matcher = (at: number, then: Continue) => boolean;

interface Run {
  readonly text: string;
  steps: number;
  readonly captures: (string | undefined)[];
}

export interface Counted {
  readonly matches: readonly (readonly [start: number, end: number])[];
  readonly steps: number;
}

/** All matches of a global pattern, and the steps they took. */
export function countSteps(pattern: RegExp, text: string): Counted {
  const run: Run = { text, steps: 0, captures: [] };
  const match = new Parser(pattern, run).parse();
  const matches: (readonly [number, number])[] = [];
  for (let at = 0; at <= text.length; ) {
    let end = -1;
    run.captures.length = 0;
    const found = match(at, (to) => {
      end = to;
      return true;
    });
    if (found) matches.push([at, end]);
    at = found && end > at ? end : at + widthAt(text, at, pattern.unicode);
  }
  return { matches, steps: run.steps };
}

function widthAt(text: string, at: number, unicode: boolean): number {
  return unicode && (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

class Parser {
  private at = 0;
  private groups = 0;
  private readonly source: string;
  private readonly pattern: RegExp;
  private readonly run: Run;

  constructor(pattern: RegExp, run: Run) {
    this.source = pattern.source;
    this.pattern = pattern;
    this.run = run;
  }

  parse(): Matcher {
    const matcher = this.alternatives();
    if (this.at !== this.source.length) throw new Error(`not understood at ${this.at}: ${this.source}`);
    return matcher;
  }

  private alternatives(): Matcher {
    const options = [this.sequence()];
    while (this.source[this.at] === '|') {
      this.at++;
      options.push(this.sequence());
    }
    return options.length === 1 ? (options[0] as Matcher) : (at, then) => options.some((option) => option(at, then));
  }

  private sequence(): Matcher {
    const parts: Matcher[] = [];
    while (this.at < this.source.length && !'|)'.includes(this.source.charAt(this.at))) parts.push(this.quantified());
    return parts.reduceRight<Matcher>(
      (rest, part) => (at, then) => part(at, (next) => rest(next, then)),
      (at, then) => then(at),
    );
  }

  private quantified(): Matcher {
    const { matcher, single } = this.atom();
    const quantifier = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})(\??)/.exec(this.source.slice(this.at));
    if (!quantifier) return matcher;
    this.at += quantifier[0].length;
    const [, sign, from, comma, to, lazy] = quantifier;
    const min = sign ? (sign === '+' ? 1 : 0) : Number(from);
    const max = sign ? (sign === '?' ? 1 : Infinity) : comma ? (to ? Number(to) : Infinity) : min;
    if (lazy) return this.lazily(matcher, min, max);
    return single ? this.greedilyOne(single, min, max) : this.greedily(matcher, min, max);
  }

  /** Repeats single characters in a loop, so that long runs need no deep stack. */
  private greedilyOne(single: (at: number) => number, min: number, max: number): Matcher {
    return (at, then) => {
      const ends = [at];
      while (ends.length <= max) {
        const next = single(ends.at(-1) as number);
        if (next < 0) break;
        ends.push(next);
      }
      for (let count = ends.length - 1; count >= min; count--) {
        this.run.steps++;
        if (then(ends[count] as number)) return true;
      }
      return false;
    };
  }

  private greedily(matcher: Matcher, min: number, max: number): Matcher {
    const repeat = (at: number, count: number, then: Continue): boolean =>
      (count < max && matcher(at, (next) => (next > at || count < min) && repeat(next, count + 1, then))) ||
      (count >= min && then(at));
    return (at, then) => repeat(at, 0, then);
  }

  private lazily(matcher: Matcher, min: number, max: number): Matcher {
    const repeat = (at: number, count: number, then: Continue): boolean =>
      (count >= min && then(at)) || (count < max && matcher(at, (next) => next > at && repeat(next, count + 1, then)));
    return (at, then) => repeat(at, 0, then);
  }

  private atom(): { matcher: Matcher; single?: (at: number) => number } {
    const rest = this.source.slice(this.at);
    const group = /^\((\?:|\?=|\?!|\?<=|\?<!)?/.exec(rest);
    if (group) return { matcher: this.group(group[1]) };
    if (rest[0] === '^' || rest[0] === '$') return { matcher: this.edge(rest[0]) };
    const reference = /^\\([1-9])/.exec(rest);
    if (reference) return { matcher: this.reference(Number(reference[1])) };
    const char = /^(?:\[(?:\\.|[^\]\\])*\]|\\p\{[^}]*\}|\\u\{[^}]*\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\.|.)/s.exec(
      rest,
    );
    if (!char) throw new Error(`not understood: ${rest}`);
    this.at += char[0].length;
    const single = this.character(char[0]);
    return {
      single,
      matcher: (at, then) => {
        const next = single(at);
        return next >= 0 && then(next);
      },
    };
  }

  private character(source: string): (at: number) => number {
    const flags = this.pattern.flags.replace(/[gym]/g, '');
    const one = new RegExp(`^(?:${source})$`, flags);
    const known = new Map<string, boolean>();
    return (at) => {
      this.run.steps++;
      if (at >= this.run.text.length) return -1;
      const width = widthAt(this.run.text, at, this.pattern.unicode);
      const char = this.run.text.slice(at, at + width);
      let fits = known.get(char);
      if (fits === undefined) {
        fits = one.test(char);
        known.set(char, fits);
      }
      return fits ? at + width : -1;
    };
  }

  private group(kind: string | undefined): Matcher {
    this.at += 1 + (kind?.length ?? 0);
    const index = kind === undefined ? ++this.groups : 0;
    const inner = this.alternatives();
    if (this.source[this.at] !== ')') throw new Error(`open group: ${this.source}`);
    this.at++;
    switch (kind) {
      case '?:':
        return inner;
      case '?=':
        return (at, then) => inner(at, () => true) && then(at);
      case '?!':
        return (at, then) => !inner(at, () => true) && then(at);
      case '?<=':
        return (at, then) => this.behind(inner, at) && then(at);
      case '?<!':
        return (at, then) => !this.behind(inner, at) && then(at);
      default:
        return (at, then) =>
          inner(at, (next) => {
            const before = this.run.captures[index];
            this.run.captures[index] = this.run.text.slice(at, next);
            if (then(next)) return true;
            this.run.captures[index] = before;
            return false;
          });
    }
  }

  /** Lookbehinds in these patterns are short: it tries eight characters. */
  private behind(inner: Matcher, at: number): boolean {
    for (let from = at; from >= Math.max(0, at - 8); from--) if (inner(from, (next) => next === at)) return true;
    return false;
  }

  private edge(sign: string): Matcher {
    this.at++;
    const lines = this.pattern.multiline;
    return (at, then) => {
      this.run.steps++;
      const { text } = this.run;
      const fits =
        sign === '^'
          ? at === 0 || (lines && text[at - 1] === '\n')
          : at === text.length || (lines && text[at] === '\n');
      return fits && then(at);
    };
  }

  private reference(index: number): Matcher {
    this.at += 2;
    return (at, then) => {
      const captured = this.run.captures[index] ?? '';
      this.run.steps += captured.length;
      return this.run.text.startsWith(captured, at) && then(at + captured.length);
    };
  }
}
