import { DEFINITION_LIMITS as LIMITS } from './definition-limits.ts';

/**
 * Whether a URI can come from an RFC 6570 template. An expression stands for any text: a simple one for text without `/`,
 * one with an operator for text without line ends.
 *
 * The template is a server's and the URI a client's, and either may be made to be slow to compare. So nothing is tried and
 * taken back: after each expression all positions of the URI that it can end at are known, and the time is at most about
 * the length of the URI for every expression.
 */
export function matchesTemplate(template: unknown, uri: string): boolean {
  return matcherOf(template)(uri);
}

/** The same for many URIs: the template is read once. One that is too long, or has too many expressions, stands for nothing. */
export function matcherOf(template: unknown): (uri: string) => boolean {
  const read = readBounded(template);
  return read === undefined ? () => false : (uri) => matches(read, uri);
}

/** How many expressions a template has; undefined where it is not within the limits, and so stands for nothing. */
export function expressionsOf(template: unknown): number | undefined {
  return readBounded(template)?.steps.length;
}

function readBounded(template: unknown): Template | undefined {
  if (typeof template !== 'string' || template.length > LIMITS.templateCharsMax) return undefined;
  const read = readTemplate(template);
  return read.steps.length > LIMITS.templateExpressionsMax ? undefined : read;
}

function matches({ steps, end }: Template, uri: string): boolean {
  if (uri.length > LIMITS.templatedUriCharsMax || !uri.endsWith(end)) return false;
  if (steps.length === 0) return uri === end;
  if (!uri.startsWith((steps[0] as Step).text)) return false;
  const reaches = { segment: reachIn(uri, /\//g), line: reachIn(uri, /[\n\r\u2028\u2029]/g) };
  let spans: Spans = [0, 0];
  for (const { text, within } of steps) {
    spans = spansAfter(uri, spans, text, reaches[within]);
    if (spans.length === 0) return false;
  }
  const endsAt = uri.length - end.length;
  return spans.some((first, at) => at % 2 === 0 && first <= endsAt && endsAt <= (spans[at + 1] as number));
}

/** The text that everything made of a template begins with. */
export function literalStart(template: string): string {
  const at = template.search(EXPRESSION);
  return at < 0 ? template : template.slice(0, at);
}

/** One of the URIs that can come from a template. */
export function sampleOf(template: string): string {
  return template.replaceAll(new RegExp(EXPRESSION, 'g'), 'x');
}

const EXPRESSION = /\{[^{}]*\}/;

/** A literal text and the expression behind it, which stays within a segment of the path or within a line. */
interface Step {
  readonly text: string;
  readonly within: 'segment' | 'line';
}

/** Positions of a text: the first and the last of each stretch in turn, in order, no two of which touch. */
type Spans = number[];

interface Template {
  readonly steps: readonly Step[];
  /** The text behind the last expression. */
  readonly end: string;
}

function readTemplate(template: string): Template {
  const steps: Step[] = [];
  let text = '';
  for (const part of template.split(/(\{[^{}]*\})/)) {
    if (!/^\{.*\}$/.test(part)) text += part;
    else {
      const within = /^\{[+#/?&;.]/.test(part) ? 'line' : 'segment';
      // Two alike side by side are one.
      if (text !== '' || steps.at(-1)?.within !== within) steps.push({ text, within });
      text = '';
    }
  }
  return { steps, end: text };
}

/** Where one can be after the text and an expression, beginning at any of the given positions. */
function spansAfter(uri: string, spans: Spans, text: string, reach: (from: number) => number): Spans {
  const after: Spans = [];
  let at = 0;
  for (let span = 0; span < spans.length; span += 2) {
    const last = spans[span + 1] as number;
    at = Math.max(at, spans[span] as number);
    while (at <= last) {
      at = uri.indexOf(text, at);
      if (at < 0) return after;
      if (at > last) break;
      const from = at + text.length;
      const to = reach(from);
      if (after.length > 0 && (after.at(-1) as number) >= from - 1) after[after.length - 1] = to;
      else after.push(from, to);
      // Up to there an occurrence of the text adds nothing.
      at = to + 1 - text.length;
    }
  }
  return after;
}

/** How far one gets from a position before one of the stops; the last answer is kept, since many ask from within it. */
function reachIn(uri: string, stops: RegExp): (from: number) => number {
  let asked = 0;
  let answer = -1;
  return (from) => {
    if (from >= asked && from <= answer) return answer;
    stops.lastIndex = from;
    asked = from;
    answer = stops.exec(uri)?.index ?? uri.length;
    return answer;
  };
}
