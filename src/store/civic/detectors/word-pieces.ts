/** A vocabulary piece of a text, with its position. */
export interface WordPiece {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

export interface Vocabulary {
  readonly ids: ReadonlyMap<string, number>;
  readonly isLowerCase: boolean;
}

/** Words and single signs; ideographs are single too. */
const WORD = /[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu;
const WORD_CHARS_MAX = 100;

/** Parses `vocab.txt`: one piece per line; its id is the line number. */
export function readVocabulary(text: string, isLowerCase: boolean): Vocabulary {
  const ids = new Map(text.split(/\r?\n/).flatMap((piece, id) => (piece === '' ? [] : [[piece, id] as const])));
  for (const needed of ['[UNK]', '[CLS]', '[SEP]']) {
    if (!ids.has(needed)) throw new Error(`vocab.txt has no ${needed}`);
  }
  return { ids, isLowerCase };
}

/** Splits a text like BERT: into words, and each word into the longest pieces of the vocabulary. */
export function wordPieces(text: string, vocabulary: Vocabulary): WordPiece[] {
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => piecesOf(word, index, vocabulary));
}

function piecesOf(word: string, at: number, { ids, isLowerCase }: Vocabulary): WordPiece[] {
  const unknown = [{ id: ids.get('[UNK]') as number, start: at, end: at + word.length }];
  if (word.length > WORD_CHARS_MAX) return unknown;
  const pieces: WordPiece[] = [];
  for (let start = 0; start < word.length; ) {
    let end = word.length;
    let id: number | undefined;
    for (; end > start; end--) {
      const piece = folded(word.slice(start, end), isLowerCase);
      id = ids.get(start === 0 ? piece : `##${piece}`);
      if (id !== undefined) break;
    }
    if (id === undefined) return unknown;
    pieces.push({ id, start: at + start, end: at + end });
    start = end;
  }
  return pieces;
}

function folded(piece: string, isLowerCase: boolean): string {
  return isLowerCase
    ? piece
        .toLowerCase()
        .normalize('NFD')
        .replaceAll(/\p{Mn}/gu, '')
    : piece;
}
