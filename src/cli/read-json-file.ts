import { readFileSync } from 'node:fs';
import { BinderyError } from '../contract/errors.ts';
import { parseExactJson } from '../contract/exact-json.ts';
import { LIMITS } from '../contract/limits.ts';
import { readSuppliedFileSync } from '../files/read-supplied-file.ts';

/** The JSON of a file, or of stdin if the path is `-`. */
export function readJsonFile(path: string): unknown {
  const name = path === '-' ? 'stdin' : `"${path}"`;
  let bytes: Buffer;
  try {
    bytes = path === '-' ? readFileSync(0) : readNamed(path);
  } catch (cause) {
    throw new BinderyError('USAGE', {
      detail: `${name} cannot be read`,
      next: 'Check the path and its permissions.',
      cause,
    });
  }
  try {
    return parseExactJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    if (cause instanceof BinderyError) throw cause;
    throw new BinderyError('MALFORMED_JSON', { detail: `${name} is not JSON in UTF-8`, cause });
  }
}

function readNamed(path: string): Buffer {
  const bytes = readSuppliedFileSync({ path, bytesMax: LIMITS.commandFileBytesMax });
  if (bytes === undefined) throw new BinderyError('FILE_REFUSED', { detail: `${path}: there is no such file` });
  return bytes;
}
