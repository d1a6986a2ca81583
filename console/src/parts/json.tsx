import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { count } from '../data/format.ts';
import type { CutText } from '../data/types.ts';
import { t } from '../texts.ts';
import { type Fold, marked, markedEscapes, unescapedLength } from './shown.tsx';

const LINES_SHOWN = 400;
const STRING_SHOWN = 4_000;

interface JsonProps {
  readonly value: unknown;
  /** JSON pointers of masked values; `reveal` renders the control for each. */
  readonly masked?: readonly string[];
  readonly reveal?: (pointer: string) => ComponentChildren;
  /** Texts of which the value has only the beginning. */
  readonly cut?: readonly CutText[];
  /** Opening a cut text loads the rest. */
  readonly canLoad?: boolean;
  /** Opens all folded parts together; absent: each opens on its own. */
  readonly fold?: Fold;
  /** The gateway has already escaped hidden characters. */
  readonly isEscaped?: boolean;
}

/** A JSON document as text, one member per line; nothing in it is executed or linked. */
export function Json({ value, masked = [], reveal, cut = [], canLoad = false, fold, isEscaped = false }: JsonProps) {
  const [isWhole, setWhole] = useState(false);
  const lines = linesOf(value, {
    masked: new Set(masked),
    reveal,
    cut: new Map(cut.map((one) => [one.path, one])),
    string: { fold, canLoad, isEscaped },
  });
  const shown = (fold?.isOpen ?? isWhole) ? lines : lines.slice(0, LINES_SHOWN);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <div class="json" role="region" aria-label={t.common.json} tabIndex={0}>
      {shown.map(({ depth, parts }, index) => (
        <div key={index} style={{ paddingLeft: `min(${depth * 16}px, 50%)` }}>
          {parts}
        </div>
      ))}
      {shown.length < lines.length && (
        <button type="button" class="link" onClick={fold?.open ?? (() => setWhole(true))}>
          {t.common.showAllLines(count(lines.length))}
        </button>
      )}
    </div>
  );
}

/** How many lines a document has if nothing is folded. */
export function lineCount(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const members = Object.values(value);
  return members.length === 0 ? 1 : members.reduce<number>((sum, member) => sum + lineCount(member), 2);
}

/** Whether a part of the document is folded until it is opened. */
export function isFolded(value: unknown): boolean {
  let lines = 0;
  const visit = (one: unknown): boolean => {
    lines += 1;
    if (typeof one === 'string') return one.length > STRING_SHOWN;
    if (typeof one !== 'object' || one === null) return false;
    const members = Object.values(one);
    if (members.length > 0) lines += 1;
    return members.some(visit);
  };
  return visit(value) || lines > LINES_SHOWN;
}

interface JsonLine {
  readonly depth: number;
  readonly parts: ComponentChildren[];
}

interface StringOptions {
  readonly fold: Fold | undefined;
  readonly canLoad: boolean;
  readonly isEscaped: boolean;
}

interface LineOptions {
  readonly masked: ReadonlySet<string>;
  readonly reveal: JsonProps['reveal'];
  readonly cut: ReadonlyMap<string, CutText>;
  readonly string: StringOptions;
}

function linesOf(value: unknown, { masked, reveal, cut, string }: LineOptions): JsonLine[] {
  const lines: JsonLine[] = [];
  const mark = string.isEscaped ? markedEscapes : marked;
  const add = (one: unknown, pointer: string, depth: number, before: ComponentChildren[], after: string) => {
    const extra = masked.has(pointer) && reveal ? [<span class="json-extra">{reveal(pointer)}</span>] : [];
    if (typeof one !== 'object' || one === null) {
      lines.push({ depth, parts: [...before, scalar(one, cut.get(pointer), string), ...extra, after] });
      return;
    }
    const members = Array.isArray(one) ? one.map((item, index) => [String(index), item] as const) : Object.entries(one);
    const [open, close] = Array.isArray(one) ? ['[', ']'] : ['{', '}'];
    if (members.length === 0) {
      lines.push({ depth, parts: [...before, `${open}${close}${after}`, ...extra] });
      return;
    }
    lines.push({ depth, parts: [...before, open, ...extra] });
    members.forEach(([name, member], index) => {
      const key = Array.isArray(one) ? [] : [<span class="json-key">{mark(JSON.stringify(name))}</span>, ': '];
      const escaped = name.replaceAll('~', '~0').replaceAll('/', '~1');
      add(member, `${pointer}/${escaped}`, depth + 1, key, index < members.length - 1 ? ',' : '');
    });
    lines.push({ depth, parts: [`${close}${after}`] });
  };
  add(value, '', 0, [], '');
  return lines;
}

function scalar(value: unknown, cut: CutText | undefined, options: StringOptions): ComponentChildren {
  if (typeof value !== 'string') return <span class="json-other">{String(value)}</span>;
  return <LongString text={cut ? value.slice(0, cut.shown) : value} cut={cut} {...options} />;
}

interface LongStringProps extends StringOptions {
  readonly text: string;
  readonly cut: CutText | undefined;
}

/** Notes about a text come after its closing quote, in a separate element, so that no text can imitate them. */
function LongString({ text, cut, fold, canLoad, isEscaped }: LongStringProps) {
  const [isWhole, setWhole] = useState(false);
  const isShort = text.length > STRING_SHOWN && !(fold?.isOpen ?? isWhole);
  const quoted = JSON.stringify(isShort ? text.slice(0, STRING_SHOWN).replace(/[\ud800-\udbff]$/, '') : text);
  const shown = count(isEscaped ? unescapedLength(text) : text.length);
  const all = count(cut?.characters ?? 0);
  return (
    <>
      <span class="json-string">{(isEscaped ? markedEscapes : marked)(quoted)}</span>
      {isShort && (
        <button type="button" class="link" onClick={fold?.open ?? (() => setWhole(true))}>
          {!cut ? t.common.showAll(shown) : canLoad ? t.common.showAll(all) : t.common.showSome(shown, all)}
        </button>
      )}
      {cut && !isShort && (
        <span class="cut-note" role="note">
          {t.common.cutHere(shown, all)}
        </span>
      )}
    </>
  );
}
