import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { undoChange } from './undo-change.ts';

describe('undoing a change', () => {
  it('takes out exactly the change, and leaves later ones', () => {
    expect(undoChange('a\nb\nc\nd', 'a\nB\nc\nd', 'new\na\nB\nc\nD')).toBe('new\na\nb\nc\nD');
  });

  it('is refused where a later change touches the same lines', () => {
    expect(undoChange('a\nb\nc', 'a\nB\nc', 'a\nBB\nc')).toBeUndefined();
    expect(undoChange('a\nc', 'a\nb\nc', 'a\nc')).toBeUndefined();
  });

  it('gives back the text before where nothing changed since', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(undoChange(before, after, after)).toBe(before);
      }),
    );
  });

  it('leaves every later line of another part in its place', () => {
    const part = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(part, part, part, part, (before, after, tail, laterTail) => {
        const join = (head: string[], end: string[]) => [...head, '=', '=', '=', ...end].join('\n');
        const undone = undoChange(join(before, tail), join(after, tail), join(after, laterTail));
        expect(undone === undefined || undone === join(before, laterTail)).toBe(true);
      }),
    );
  });
});
