import { findIdentifiers, type Hit } from './find-identifiers.ts';
import { findPhones, findSpelledPhones } from './find-phones.ts';
import { findTracesInBody } from './find-traces.ts';
import { foldDigits } from './look-alikes.ts';

/**
 * Finds what only bodies need an own search for: phone numbers in words, homes, plates, addresses of devices, and numbers over several lines. `text` is the body or diff
 * without its marker column; `marks` has that column, or is undefined for a body. Of a diff only added lines count.
 */
export function findInBody(text: string, marks: string | undefined): Hit[] {
  const added = marks === undefined ? text : addedLines(text, marks);
  return [...findSpelledPhones(added), ...findTracesInBody(added), ...findOverLines(added)];
}

function addedLines(text: string, marks: string): string {
  return text.replace(/^.*$/gm, (line, at: number) => (marks[at] === '+' ? line : ' '.repeat(line.length)));
}

/** White space and the marks of lists, quotes and headings, which readers skip. */
const LINE_START = /^(?:[\s>*+#-]|\d{1,3}[.)](?=\s))*/;

/** Identifiers and phone numbers that begin on one line and end on another. */
function findOverLines(text: string): Hit[] {
  if (!/\d\D{0,20}\n/.test(text)) return [];
  let joined = '';
  const offsets: number[] = [];
  const lineOf: number[] = [];
  let at = 0;
  for (const [index, line] of text.split('\n').entries()) {
    const content = line.slice(LINE_START.exec(line)?.[0].length ?? 0).trimEnd();
    const start = at + line.indexOf(content);
    at += line.length + 1;
    if (content === '') continue;
    for (let i = 0; i <= content.length; i++) {
      offsets.push(start + i);
      lineOf.push(index);
    }
    joined += `${content} `;
  }
  const found = [...findIdentifiers(joined).hits, ...findPhones(foldDigits(joined), false).hits];
  return found
    .filter(({ rule, start, end }) => rule !== 'belgian_bce' && lineOf[start] !== lineOf[end - 1])
    .map(({ rule, start, end }) => ({ rule, start: offsets[start] as number, end: (offsets[end - 1] as number) + 1 }));
}
