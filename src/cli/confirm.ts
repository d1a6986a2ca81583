import type { Readable, Writable } from 'node:stream';
import { BinderyError } from '../contract/errors.ts';
import { stillVisible } from '../contract/visible-text.ts';
import { askLine } from './ask-line.ts';
import type { Terminal } from './terminal.ts';

/** What an empty line means. */
export type OnEnter = 'yes' | 'no';

/** Asks at the terminal of this process. False if there is none: then only the plan is shown. */
export async function confirmed(question: string, terminal: Terminal, onEnter: OnEnter = 'no'): Promise<boolean> {
  const { stdin: input, stderr: output } = process;
  if (!input.isTTY || !output.isTTY) {
    await terminal.note(question.slice(0, question.lastIndexOf('\n') + 1));
    return false;
  }
  await askYes(question, { input, output }, onEnter);
  return true;
}

/** Resolves if the person says yes. Throws `CANCELLED` for any other answer, the end of the input, or Ctrl-C. */
export async function askYes(
  question: string,
  streams: { readonly input: Readable; readonly output: Writable },
  onEnter: OnEnter = 'no',
): Promise<void> {
  const choices = onEnter === 'yes' ? '[Y/n]' : '[y/N]';
  const answer = await askLine(`${stillVisible(question)} ${choices} `, { ...streams, whenEnded: 'no' });
  if (!/^y(es)?$/i.test(answer.trim() || onEnter))
    throw new BinderyError('CANCELLED', { detail: 'Nothing was changed' });
}
