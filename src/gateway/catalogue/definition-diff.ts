import { lateLibrary } from '../../contract/late-library.ts';

const diff = lateLibrary<typeof import('diff')>('diff');

/** What a person would not see: control and format characters, except line ends and tabs. */
const INVISIBLE = /[^\P{C}\n\t]/gu;

/** The change of a tool's definition, line by line, with invisible characters made visible. */
export function definitionDiff(before: unknown, after: unknown): string {
  const patch = diff().createTwoFilesPatch('accepted', 'now', text(before), text(after), '', '', { context: 2 });
  return patch
    .split('\n')
    .filter((line) => !/^(=+|Index: .*)$/.test(line))
    .join('\n')
    .replaceAll(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) as number).toString(16).toUpperCase()}}`);
}

function text(definition: unknown): string {
  return `${JSON.stringify(definition, null, 2)}\n`;
}
