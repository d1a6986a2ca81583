import type { ChangeReason, CorpusChange } from './corpus-change.ts';

const SUBJECT_CHARS_MAX = 72;
const LINE_CHARS_MAX = 72;
/** Everything that ends a line, hides text or reverses it. */
const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/** `<kind> <type> <id> <version|state>`: the change in machine-readable form [K8]. */
export function changeLine(change: CorpusChange): string {
  const what = change.kind === 'status' ? change.status : change.kind === 'create' ? '0.1.0' : change.version;
  return `${change.kind} ${change.type} ${change.id} ${what}`;
}

/**
 * The commit message: the sender's words if readable, and the submission id; nothing about the sender. Trailers form a paragraph of their
 * own, which no sender's text can join.
 */
export function commitMessage(change: CorpusChange): string {
  const why = change.kind === 'status' ? undefined : change.why;
  const subject = subjectOf(change, why);
  const words = why === undefined || change.kind === 'revert' ? '' : bodyOf(why.words, subject, change.id);
  const paragraphs = [subject, words, trailersOf(change, why).join('\n')];
  return `${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`;
}

function subjectOf(change: CorpusChange, why: ChangeReason | undefined): string {
  if (change.kind === 'status') return `${change.id}: now ${change.status}`;
  const kind = change.kind === 'create' ? 'add' : change.kind;
  if (why === undefined) return `${change.id}: ${kind}`;
  // An erased submission has no words.
  if (why.words === '') return `${change.id}: ${kind} what ${why.submissionId} changed`;
  const sentence = `${change.id}: ${firstSentence(why.words)}`;
  return change.kind === 'revert'
    ? `Revert "${shortened(sentence, SUBJECT_CHARS_MAX - 9)}"`
    : shortened(sentence, SUBJECT_CHARS_MAX);
}

/** The full text, without the sentence used as subject. */
function bodyOf(words: string, subject: string, id: string): string {
  const paragraphs = words
    .split(/\n\s*\n/)
    .map(oneLine)
    .filter((paragraph) => paragraph !== '');
  const [first = '', ...others] = paragraphs;
  const said = firstSentence(first);
  // Do not repeat what the subject already says in full.
  const isInSubject = subject === `${id}: ${said}`;
  const left = isInSubject ? first.slice(said.length).replace(/^[.\s]+/, '') : first;
  return [left, ...others]
    .filter((paragraph) => paragraph !== '')
    .map(wrapped)
    .join('\n\n');
}

function trailersOf(change: CorpusChange, why: ChangeReason | undefined): string[] {
  const about = `Change: ${changeLine(change)}`;
  if (why === undefined) return [about];
  if (change.kind === 'revert') return [`Reverts: ${why.submissionId}`, about];
  return [
    ...why.evidence.map((url) => `Evidence: ${oneLine(url)}`),
    `Submission: ${why.submissionId}`,
    ...reviewOf(why),
    about,
  ];
}

/** A branch is reviewed by its merge, which comes later. */
function reviewOf({ reviewed }: ChangeReason): string[] {
  if (reviewed === 'pending') return [];
  return [`Reviewed: ${reviewed === 'automatic' ? 'no objection while it was staged' : 'by a maintainer'}`];
}

function firstSentence(words: string): string {
  const line = oneLine(words);
  return withoutStop(/^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line);
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, '');
}

function oneLine(text: string): string {
  return text.replaceAll(CONTROLS, ' ').replaceAll(/\s+/g, ' ').trim();
}

function shortened(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const cut = text.slice(0, charsMax - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > charsMax / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:]+$/, '')}…`;
}

/** Wraps lines to a readable width; URLs stay in one piece. */
function wrapped(paragraph: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of paragraph.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > LINE_CHARS_MAX) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}
