export interface PageBlock {
  readonly language: string;
  readonly text: string;
  /** The file that the text before the block names, as in "`zones/acme.json`:". */
  readonly file: string | undefined;
}

/** The fenced blocks of a page. The sentence before a JSON block may name its file. */
export function pageBlocks(page: string): PageBlock[] {
  return [...page.matchAll(/((?:[^\n]*\n){2})```([a-z]*)\n([\s\S]*?)```/g)].map(
    ([, before = '', language = '', text = '']) => ({
      language,
      text,
      file: language === 'json' ? /`([a-z_/.]+\.json)`[^`]*:\n\n$/.exec(before)?.[1] : undefined,
    }),
  );
}

/** The lines of a shell block, those that go on joined; comments stay, because a shell reads them too. */
export function shellLines(block: string): string[] {
  return block
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
}
