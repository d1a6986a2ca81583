import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { count } from '../data/format.ts';
import { t } from '../texts.ts';

/**
 * Characters that are not seen, or that change how their neighbours are seen: controls, directions, joiners, tags, variation
 * selectors. Lines and tabs are what they seem.
 */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

const FOLD_CHARS = 2_000;

/** Folds of one view that are opened at once. */
export interface Fold {
  readonly isOpen: boolean;
  readonly open: () => void;
}

interface ShownProps {
  readonly text: string;
  readonly fold?: number;
  /** Else it is opened by itself. */
  readonly with?: Fold;
  /** The gateway made its hidden characters visible. */
  readonly isEscaped?: boolean;
}

/** Text that somebody else wrote: always text, its hidden characters marked, its direction its own, folded where it is long. */
export function Shown({ text, fold = FOLD_CHARS, with: all, isEscaped = false }: ShownProps) {
  const [isWhole, setWhole] = useState(false);
  const isFolded = text.length > fold && !(all?.isOpen ?? isWhole);
  return (
    <bdi class="shown">
      {(isEscaped ? markedEscapes : marked)(isFolded ? text.slice(0, fold).replace(/[\ud800-\udbff]$/, '') : text)}
      {isFolded && (
        <button type="button" class="link" onClick={all?.open ?? (() => setWhole(true))}>
          {t.common.showAll(count(text.length))}
        </button>
      )}
    </bdi>
  );
}

/** A hidden character as the gateway wrote it: into a text, which is then quoted in JSON with two backslashes, or into the JSON itself. */
const ESCAPED = /\\{1,2}u\{([0-9A-F]{1,6})\}/g;

/** The text in pieces; what is hidden becomes its code point in a box. */
export function marked(text: string): ComponentChildren[] {
  return inPieces(text, HIDDEN, (hidden) => hidden.codePointAt(0) as number);
}

/** The same for a text in which the gateway made hidden characters visible. */
export function markedEscapes(text: string): ComponentChildren[] {
  return inPieces(text, ESCAPED, (shown) => Number.parseInt(shown.replace(/^\\+u\{/, ''), 16));
}

/** How long such a text was before the gateway made hidden characters visible. */
export function unescapedLength(text: string): number {
  return text.replaceAll(ESCAPED, '·').length;
}

function inPieces(text: string, hidden: RegExp, codePointOf: (match: string) => number): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const match of text.matchAll(hidden)) {
    if (match.index > from) parts.push(text.slice(from, match.index));
    parts.push(
      <span class="hidden-character" title={t.common.hiddenCharacter}>
        {codeOf(codePointOf(match[0]))}
      </span>,
    );
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

/** The same as plain text, for places that take no elements: titles, and the entries of a list to choose from. */
export function plain(text: string): string {
  return text.replaceAll(HIDDEN, (hidden) => `[${codeOf(hidden.codePointAt(0) as number)}]`);
}

function codeOf(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
}

interface LineProps {
  readonly text: string;
  readonly max?: number;
  readonly isEscaped?: boolean;
}

/** A text of ours or of the gateway in which commands stand between backticks: they become code, all else stays text. */
export function WithCode({ text }: { readonly text: string }) {
  return (
    <bdi class="shown">
      {text
        .split(/(`[^`]+`)/)
        .map((part, index) => (index % 2 === 1 ? <code key={index}>{marked(part.slice(1, -1))}</code> : marked(part)))}
    </bdi>
  );
}

/** One line of it, for cells of a table. */
export function Line({ text, max = 200, isEscaped = false }: LineProps) {
  // Of a long text only as much is looked at as could be shown.
  const start = text.slice(0, max * 8);
  const line = start.replaceAll(/\s+/g, ' ').trim();
  const cut =
    line.length > max || start.length < text.length ? `${line.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…` : line;
  return <bdi class="shown">{(isEscaped ? markedEscapes : marked)(cut)}</bdi>;
}
