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

/** Text that somebody else wrote: always text, its hidden characters marked, its direction its own, folded where it is long. */
export function Shown({ text, fold = FOLD_CHARS }: { readonly text: string; readonly fold?: number }) {
  const [isWhole, setWhole] = useState(false);
  const isFolded = text.length > fold && !isWhole;
  return (
    <bdi class="shown">
      {marked(isFolded ? text.slice(0, fold).replace(/[\ud800-\udbff]$/, '') : text)}
      {isFolded && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {t.common.showAll(count(text.length))}
        </button>
      )}
    </bdi>
  );
}

/** The text in pieces; what is hidden becomes its code point in a box. */
export function marked(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > from) parts.push(text.slice(from, match.index));
    const code = `U+${(match[0].codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`;
    parts.push(
      <span class="hidden-character" title={t.common.hiddenCharacter}>
        {code}
      </span>,
    );
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

/** One line of it, for cells of a table. */
export function Line({ text, max = 200 }: { readonly text: string; readonly max?: number }) {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const cut = line.length > max ? `${line.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…` : line;
  return <bdi class="shown">{marked(cut)}</bdi>;
}
