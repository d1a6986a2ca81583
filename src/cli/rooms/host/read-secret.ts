import { resolve } from 'node:path';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { BinderyError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { readSuppliedFile } from '../../../files/read-supplied-file.ts';
import { askLine } from '../../ask-line.ts';

/** A secret that is never on a command line: from a file, from stdin, or typed without echo. */
export async function readSecret(question: string, file: string | undefined, cwd: string): Promise<string> {
  const secret = (await readFrom(question, file, cwd)).trim();
  if (secret !== '' && !/[\r\n]/.test(secret)) return secret;
  throw new BinderyError('USAGE', {
    detail: secret === '' ? 'the secret is empty' : 'the secret has more than one line',
    next: 'Type it when asked, pipe it to stdin, or name a file that holds nothing else.',
  });
}

async function readFrom(question: string, file: string | undefined, cwd: string): Promise<string> {
  if (file !== undefined && file !== '-') {
    const bytes = await readSuppliedFile({ path: resolve(cwd, file), bytesMax: LIMITS.commandFileBytesMax });
    if (bytes === undefined) throw new BinderyError('FILE_REFUSED', { detail: `${file}: there is no such file` });
    return bytes.toString('utf8');
  }
  return process.stdin.isTTY && file === undefined ? typedUnseen(question) : text(process.stdin);
}

/** Shows the question, but not the answer. */
async function typedUnseen(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return await askLine('', { input: process.stdin, output: nowhere });
  } finally {
    process.stderr.write('\n');
  }
}
