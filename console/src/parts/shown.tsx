import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { count } from '../data/format.ts';
import { t } from '../texts.ts';

/**
 * Characters that are invisible, or that change how their neighbours look: controls, directions, joiners, tags, variation
 * selectors. Line feeds and tabs are not among them, nor are the joiners and selectors within an emoji.
 */
const HIDDEN =
  /(?<emoji>\p{RGI_Emoji})|(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gv;

const FOLD_CHARS = 2_000;

/** Folds of one view that open together. */
export interface Fold {
  readonly isOpen: boolean;
  readonly open: () => void;
}

interface ShownProps {
  readonly text: string;
  readonly fold?: number;
  /** Absent: it opens on its own. */
  readonly with?: Fold;
  /** The gateway has already escaped hidden characters. */
  readonly isEscaped?: boolean;
}

/** Untrusted text: rendered as text, hidden characters marked, text direction isolated, folded if it is long. */
export function Shown({ text, fold = FOLD_CHARS, with: all, isEscaped = false }: ShownProps) {
  const [isWhole, setWhole] = useState(false);
  const isFolded = text.length > fold && !(all?.isOpen ?? isWhole);
  return (
    <bdi class="shown">
      {(isEscaped ? markedEscapes : marked)(isFolded ? beginning(text, fold, isEscaped) : text)}
      {isFolded && (
        <button type="button" class="link" onClick={all?.open ?? (() => setWhole(true))}>
          {t.common.showAll(count(text.length))}
        </button>
      )}
    </bdi>
  );
}

/** An escape of the gateway: in a text, which JSON quotes with two backslashes, or in the JSON itself with one. */
const ESCAPED = /\\{1,2}u\{([0-9A-F]{1,6})\}/g;

/** Shown as it is: the gateway escapes a backslash that would otherwise begin such an escape. */
const BACKSLASH = 0x5c;

/** The text in pieces; each hidden character becomes its code point in a box. */
export function marked(text: string): ComponentChildren[] {
  return inPieces(text, HIDDEN, (hidden) => hidden.codePointAt(0) as number);
}

/** The same for a text in which the gateway has escaped hidden characters. */
export function markedEscapes(text: string): ComponentChildren[] {
  return inPieces(text, ESCAPED, (shown) => Number.parseInt(shown.replace(/^\\+u\{/, ''), 16));
}

/** Cuts a text without splitting its last character or escape. */
function beginning(text: string, length: number, isEscaped: boolean): string {
  const start = text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
  return isEscaped && start.length < text.length ? start.replace(/\\{1,2}(?:u(?:\{[0-9A-F]*)?)?$/, '') : start;
}

/** The length of such a text before the gateway escaped it. */
export function unescapedLength(text: string): number {
  return text.replaceAll(ESCAPED, '·').length;
}

function inPieces(text: string, hidden: RegExp, codePointOf: (match: string) => number): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const match of text.matchAll(hidden)) {
    if (match.groups?.emoji !== undefined) continue;
    if (match.index > from) parts.push(text.slice(from, match.index));
    const codePoint = codePointOf(match[0]);
    parts.push(
      codePoint === BACKSLASH ? (
        '\\'
      ) : (
        <span class="hidden-character" title={t.common.hiddenCharacter}>
          {codeOf(codePoint)}
        </span>
      ),
    );
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

/** The same as plain text, for places that accept no elements: titles, and options of a select. */
export function plain(text: string): string {
  return text.replaceAll(HIDDEN, (found, emoji?: string) => emoji ?? `[${codeOf(found.codePointAt(0) as number)}]`);
}

/** The same for a text that the gateway escaped. */
export function plainEscapes(text: string): string {
  return text.replaceAll(ESCAPED, (_, hex: string) => {
    const codePoint = Number.parseInt(hex, 16);
    return codePoint === BACKSLASH ? '\\' : `[${codeOf(codePoint)}]`;
  });
}

function codeOf(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
}

interface LineProps {
  readonly text: string;
  readonly max?: number;
  readonly isEscaped?: boolean;
}

/** A text of ours or of the gateway with commands between backticks, which become code; everything else stays text. */
export function WithCode({ text }: { readonly text: string }) {
  return (
    <bdi class="shown">
      {text
        .split(/(`[^`]+`)/)
        .map((part, index) => (index % 2 === 1 ? <code key={index}>{marked(part.slice(1, -1))}</code> : marked(part)))}
    </bdi>
  );
}

/** One line of untrusted text, for cells of a table. */
export function Line({ text, max = 200, isEscaped = false }: LineProps) {
  // Looks only at as much of a long text as could be shown.
  const start = text.slice(0, max * 8);
  const line = start.replaceAll(/\s+/g, ' ').trim();
  const cut = line.length > max || start.length < text.length ? `${beginning(line, max, isEscaped)}…` : line;
  return <bdi class="shown">{(isEscaped ? markedEscapes : marked)(cut)}</bdi>;
}
