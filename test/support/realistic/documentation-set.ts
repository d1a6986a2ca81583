import { SeededDraws } from './seeded-draws.ts';

export interface Page {
  /** Below the folder of the set, with `/`. */
  readonly path: string;
  readonly content: string;
}

const KB = 1024;
const SIZE_MIN = 200;
const SIZE_MAX = 400 * KB;
const SIZE_MEDIAN = 4 * KB;
const SIZE_SPREAD = 1.3;
/** One page in so many is a generated reference of some megabytes. */
const REFERENCE_EVERY = 400;

const FOLDERS = ['guide', 'reference', 'tutorials', 'how-to', 'api', 'changelog', 'blog', 'design', 'faq', '.github'];
const SYLLABLES = 'con fig ser ver de ploy build cache to ken re quest path ta ble in dex que ry user role log'.split(
  ' ',
);
const TRANSLATED: readonly (readonly [folder: string, words: readonly string[]])[] = [
  ['ja', ['設定', 'サーバー', 'を', '起動', 'する', '方法', 'です。', 'ファイル', '（例）']],
  ['de', ['Einführung', 'für', 'größere', 'Anlagen', 'Schlüssel', 'prüfen', 'Straße']],
  ['ar', ['الخادم', 'إعداد', 'الملف', 'تشغيل', 'المستخدم']],
];
/** What documentation sets hold many times, to the byte. */
const STUB = '---\ntitle: Moved\n---\n\nThis page has moved.\n';

/**
 * The pages of a documentation site, made from a seed: sizes from nothing to some megabytes, front matter, code, tables, other
 * languages, CRLF, byte order marks, equal pages, deep folders and odd names.
 */
export function documentationSet(seed: number, pageCount = 1_000): Page[] {
  const draws = new SeededDraws(seed);
  const words = makeWords(draws);
  return Array.from({ length: pageCount }, (_, index) => ({
    path: pathOf(draws, index),
    content: contentOf(draws, words, index),
  }));
}

function pathOf(draws: SeededDraws, index: number): string {
  const folders = Array.from({ length: draws.below(4) }, () => draws.pick(FOLDERS));
  // A path that few sets have, and some do.
  if (index % 250 === 7) folders.push(...Array.from({ length: 12 }, (_, depth) => `level-${depth}`));
  const name = draws.pick([
    'page',
    'Überblick',
    'how to',
    "what's-new",
    '1.2.0',
    'index',
    '入門',
    'C++ & more',
    '(draft)',
  ]);
  return [...folders, `${name}-${String(index).padStart(4, '0')}.md`].join('/');
}

function contentOf(draws: SeededDraws, words: readonly string[], index: number): string {
  if (index % 100 === 13) return '';
  if (index % 20 === 3) return STUB;
  const isReference = index % REFERENCE_EVERY === REFERENCE_EVERY - 1;
  const size = isReference
    ? (1 + draws.below(4)) * KB * KB
    : Math.min(SIZE_MAX, Math.max(SIZE_MIN, Math.round(draws.logNormal(SIZE_MEDIAN, SIZE_SPREAD))));
  const language = draws.chance(0.15) ? draws.pick(TRANSLATED)[1] : words;
  const text = textOf(draws, language, index, size);
  const lines = draws.chance(0.05) ? text.replaceAll('\n', '\r\n') : text;
  return draws.chance(0.02) ? `\ufeff${lines}` : lines;
}

/** About so many bytes of Markdown. */
function textOf(draws: SeededDraws, words: readonly string[], index: number, size: number): string {
  const sentence = (count: number) => Array.from({ length: count }, () => draws.pickUneven(words)).join(' ');
  const parts = [`---\ntitle: "${sentence(3)}"\nweight: ${index}\n---\n\n# ${sentence(4)}\n`];
  let bytes = Buffer.byteLength(parts[0] as string);
  while (bytes < size) {
    const part = draws.pick([
      () => `\n## ${sentence(3)}\n`,
      () => `\n${sentence(30 + draws.below(80))}.\n`,
      () => `\n- ${sentence(6)}\n- [${sentence(2)}](../${draws.pick(FOLDERS)}/page.md)\n`,
      () => `\n\`\`\`sh\n$ run --name "${sentence(1)}" --path C:\\\\tmp\\\\x \u001b[1m\n\`\`\`\n`,
      () => `\n| ${sentence(1)} | ${sentence(2)} |\n|---|---|\n| \`${draws.below(1e6)}\` | 🚀 ${sentence(5)} |\n`,
    ])();
    parts.push(part);
    bytes += Buffer.byteLength(part);
  }
  return parts.join('');
}

function makeWords(draws: SeededDraws): string[] {
  const words = new Set<string>();
  while (words.size < 4_000) {
    words.add(Array.from({ length: 1 + draws.below(4) }, () => draws.pick(SYLLABLES)).join(''));
  }
  return [...words];
}
