import type { Readable, Writable } from 'node:stream';
import { BinderyError } from '../contract/errors.ts';
import { stillVisible } from '../contract/visible-text.ts';
import { askLine } from './ask-line.ts';
import type { Terminal } from './terminal.ts';

/** Asks at the terminal of this process. False if there is none: then only the plan is shown. */
export async function confirmed(question: string, terminal: Terminal): Promise<boolean> {
  const { stdin: input, stderr: output } = process;
  if (!input.isTTY || !output.isTTY) {
    await terminal.note(question.slice(0, question.lastIndexOf('\n') + 1));
    return false;
  }
  await askYes(question, { input, output });
  return true;
}

/** Resolves if the person says yes. Throws `CANCELLED` for any other answer, the end of the input, or Ctrl-C. */
export async function askYes(
  question: string,
  streams: { readonly input: Readable; readonly output: Writable },
): Promise<void> {
  const answer = await askLine(`${stillVisible(question)} [y/N] `, streams);
  if (!/^y(es)?$/i.test(answer.trim())) throw new BinderyError('CANCELLED', { detail: 'Nothing was changed' });
}
