import { lateLibrary } from '../../contract/late-library.ts';
import { visibleText } from '../../contract/visible-text.ts';

const diff = lateLibrary<typeof import('diff')>('diff');

/** The change of a definition, line by line, with hidden characters made visible; `before` is null where nobody accepted one. */
export function definitionDiff(before: unknown, after: unknown): string {
  const patch = diff().createTwoFilesPatch('accepted', 'now', text(before), text(after), '', '', { context: 2 });
  const lines = patch.split('\n').filter((line) => !/^(=+|Index: .*)$/.test(line));
  return visibleText(lines.join('\n'));
}

function text(definition: unknown): string {
  return definition === null ? '' : `${JSON.stringify(definition, null, 2)}\n`;
}
