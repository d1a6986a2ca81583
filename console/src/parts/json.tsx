import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { count } from '../data/format.ts';
import { t } from '../texts.ts';
import { marked, markedEscapes } from './shown.tsx';

const LINES_SHOWN = 400;
const STRING_SHOWN = 4_000;

interface JsonProps {
  readonly value: unknown;
  /** JSON pointers of masked values; each gets what `reveal` makes. */
  readonly masked?: readonly string[];
  readonly reveal?: (pointer: string) => ComponentChildren;
  /** Nothing is folded, however long it is. */
  readonly isWhole?: boolean;
  /** The gateway wrote hidden characters as escapes. */
  readonly isEscaped?: boolean;
}

/** A JSON document as text, one member a line; nothing in it is run or linked. */
export function Json({ value, masked = [], reveal, isWhole: isAllShown = false, isEscaped = false }: JsonProps) {
  const [isWhole, setWhole] = useState(isAllShown);
  const mark = isEscaped ? markedEscapes : marked;
  const lines = linesOf(value, { masked: new Set(masked), reveal, isWhole: isAllShown, mark });
  const shown = isWhole ? lines : lines.slice(0, LINES_SHOWN);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <div class="json" role="region" aria-label={t.common.json} tabIndex={0}>
      {shown.map(({ depth, parts }, index) => (
        <div key={index} style={{ paddingLeft: `${depth * 16}px` }}>
          {parts}
        </div>
      ))}
      {shown.length < lines.length && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {t.common.showAllLines(count(lines.length))}
        </button>
      )}
    </div>
  );
}

interface JsonLine {
  readonly depth: number;
  readonly parts: ComponentChildren[];
}

interface LineOptions {
  readonly masked: ReadonlySet<string>;
  readonly reveal: JsonProps['reveal'];
  readonly isWhole: boolean;
  readonly mark: typeof marked;
}

function linesOf(value: unknown, { masked, reveal, isWhole, mark }: LineOptions): JsonLine[] {
  const lines: JsonLine[] = [];
  const add = (one: unknown, pointer: string, depth: number, before: ComponentChildren[], after: string) => {
    const extra = masked.has(pointer) && reveal ? [' ', reveal(pointer)] : [];
    if (typeof one !== 'object' || one === null) {
      lines.push({ depth, parts: [...before, scalar(one, isWhole, mark), after, ...extra] });
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

function scalar(value: unknown, isWhole: boolean, mark: typeof marked): ComponentChildren {
  if (typeof value !== 'string') return <span class="json-other">{String(value)}</span>;
  return <LongString text={value} isAllShown={isWhole} mark={mark} />;
}

interface LongStringProps {
  readonly text: string;
  readonly isAllShown: boolean;
  readonly mark: typeof marked;
}

function LongString({ text, isAllShown, mark }: LongStringProps) {
  const [isWhole, setWhole] = useState(isAllShown);
  const isCut = text.length > STRING_SHOWN && !isWhole;
  const quoted = JSON.stringify(isCut ? text.slice(0, STRING_SHOWN).replace(/[\ud800-\udbff]$/, '') : text);
  return (
    <span class="json-string">
      {mark(quoted)}
      {isCut && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {t.common.showAll(count(text.length))}
        </button>
      )}
    </span>
  );
}
