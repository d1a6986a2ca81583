/** A line that ends the paragraph before it. An ordered list ends one only if it begins with 1, and a quote may continue it. */
const OWN_PARAGRAPH = /^(?:\s*$| {0,3}(?:[-+*] +\S|#{1,6}\s))/;
const MARKERS = /^(?:[\s>]|[-+*](?=\s|$)|\d{1,9}[.)](?=\s|$))*/;
/** A rule across the page, or the line below a heading. */
const RULE = /^[\s*-]*$/;
/** Levels of lists and quotes that ordinary pages have. */
const USUAL_LEVELS = 2;
/** Indentation that may be one level. */
const LEVEL_COLUMNS = 4;

const STAR = 42;
const LOW_LINE = 95;
const BRACKET = 91;
const LESS = 60;
const TICK = 96;

/** What makes the parser look at a whole paragraph again. */
interface Paragraph {
  chars: number;
  /** `*` and `_`: each is compared with those before it. */
  marks: number;
  brackets: number;
  /** `<!` and `<?`: each is searched for its end. */
  declarations: number;
  /** Lengths of runs of backticks: of each length one may have no partner. */
  readonly runs: Set<number>;
}

/**
 * An upper bound of the steps, of about 30 ns each, that the Markdown parser takes beyond those that grow with the length of the text. It
 * is counted in one pass.
 */
export function markdownSteps(body: string): number {
  let steps = 0;
  let levels = 0;
  let paragraph = emptyParagraph();
  for (const line of body.split('\n')) {
    if (OWN_PARAGRAPH.test(line)) {
      steps += stepsOf(paragraph);
      paragraph = emptyParagraph();
    }
    levels += Math.max(0, levelsOf(line) - USUAL_LEVELS);
    addLine(paragraph, line);
  }
  return steps + stepsOf(paragraph) + levels ** 2;
}

function emptyParagraph(): Paragraph {
  return { chars: 0, marks: 0, brackets: 0, declarations: 0, runs: new Set() };
}

function stepsOf({ chars, marks, brackets, declarations, runs }: Paragraph): number {
  return marks ** 2 + brackets ** 2 + (declarations + runs.size) * chars;
}

function levelsOf(line: string): number {
  if (RULE.test(line)) return 0;
  const markers = MARKERS.exec(line)?.[0] ?? '';
  const signs = markers.replaceAll(/\s/g, '').length;
  return signs + Math.floor((markers.length - signs) / LEVEL_COLUMNS);
}

function addLine(paragraph: Paragraph, line: string): void {
  paragraph.chars += line.length + 1;
  let run = 0;
  for (let at = 0; at <= line.length; at++) {
    const code = line.charCodeAt(at);
    if (code === TICK) {
      run += 1;
      continue;
    }
    if (run > 0) paragraph.runs.add(run);
    run = 0;
    if (code === STAR || code === LOW_LINE) paragraph.marks += 1;
    else if (code === BRACKET) paragraph.brackets += 1;
    else if (code === LESS && (line[at + 1] === '!' || line[at + 1] === '?')) paragraph.declarations += 1;
  }
}
