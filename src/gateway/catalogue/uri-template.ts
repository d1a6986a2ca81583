import { DEFINITION_LIMITS as LIMITS } from './definition-limits.ts';

/**
 * Whether a URI matches an RFC 6570 template. An expression matches any text: a simple one without `/`, one with an operator without
 * line ends.
 *
 * Servers control the template and clients the URI, and either may try to make matching slow. So there is no backtracking: after each
 * expression, all positions of the URI where it can end are known. The time is at most about the length of the URI per expression.
 */
export function matchesTemplate(template: unknown, uri: string): boolean {
  return matcherOf(template)(uri);
}

/** The same for many URIs: parses the template once. A template that exceeds the limits matches nothing. */
export function matcherOf(template: unknown): (uri: string) => boolean {
  const read = readBounded(template);
  return read === undefined ? () => false : (uri) => matches(read, uri);
}

/** The number of expressions in a template; undefined if it exceeds the limits and so matches nothing. */
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

/** The literal prefix of all URIs of a template. */
export function literalStart(template: string): string {
  const at = template.search(EXPRESSION);
  return at < 0 ? template : template.slice(0, at);
}

/** Whether all URIs of a template have the same scheme. */
export function hasScheme(template: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(literalStart(template));
}

/** An example URI of a template. */
export function sampleOf(template: string): string {
  return template.replaceAll(new RegExp(EXPRESSION, 'g'), 'x');
}

const EXPRESSION = /\{[^{}]*\}/;

/** A literal text and the expression after it, which matches within a path segment or within a line. */
interface Step {
  readonly text: string;
  readonly within: 'segment' | 'line';
}

/** Ranges of positions: first and last of each range in turn, sorted and disjoint. */
type Spans = number[];

interface Template {
  readonly steps: readonly Step[];
  /** The text after the last expression. */
  readonly end: string;
}

function readTemplate(template: string): Template {
  const steps: Step[] = [];
  let text = '';
  for (const part of template.split(/(\{[^{}]*\})/)) {
    if (!/^\{.*\}$/.test(part)) text += part;
    else {
      const within = /^\{[+#/?&;.]/.test(part) ? 'line' : 'segment';
      // Merge adjacent expressions of the same kind.
      if (text !== '' || steps.at(-1)?.within !== within) steps.push({ text, within });
      text = '';
    }
  }
  return { steps, end: text };
}

/** The positions after the text and an expression, starting from any of the given positions. */
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
      // Occurrences of the text before this add nothing.
      at = to + 1 - text.length;
    }
  }
  return after;
}

/** The next stop after a position; caches the last result, because many positions have the same one. */
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
