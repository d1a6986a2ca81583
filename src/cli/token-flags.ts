import { BEARER_RULE, isBearerToken } from '../contract/bearer-token.ts';
import { BinderyError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { isOpenToOthers } from '../files/open-to-others.ts';
import { readSuppliedFileSync, refusalReason } from '../files/read-supplied-file.ts';
import { usageError } from './operation-command.ts';
import { shellWord } from './shell-word.ts';

interface TokenFlags {
  readonly token?: string;
  readonly tokenFile?: string;
}

/** The token that callers must send: from the command line, or from a file such as a container secret. */
export function givenToken({ token, tokenFile }: TokenFlags): string | undefined {
  // Usually an unset shell variable: an empty token would look like protection.
  if (token === '') throw usageError('--token is empty');
  if (tokenFile === undefined) return token === undefined ? undefined : sendable(token, '--token');
  if (token !== undefined) throw usageError('--token and --token-file exclude each other');
  const text = readToken(tokenFile).trim();
  if (text === '') throw usageError(`--token-file ${tokenFile} is empty`);
  if (/\s/.test(text)) throw usageError(`--token-file ${tokenFile} has more than one word`);
  return sendable(text, `--token-file ${tokenFile}`);
}

/** The warning about a token file that others can read; undefined if they cannot. */
export function tokenFileWarning({ tokenFile }: TokenFlags): string | undefined {
  if (tokenFile === undefined || !isOpenToOthers(tokenFile)) return undefined;
  return `others can read the token file ${tokenFile}: run \`chmod 600 ${shellWord(tokenFile)}\``;
}

/** A token with other characters would be taken, and then refused in every request. */
export function sendable(token: string, origin: string): string {
  if (isBearerToken(token)) return token;
  throw new BinderyError('USAGE', {
    detail: `${origin} cannot be sent: ${BEARER_RULE}`,
    next: 'Choose another token, for example the output of `openssl rand -hex 32`.',
  });
}

function readToken(path: string): string {
  let bytes: Buffer | undefined;
  try {
    bytes = readSuppliedFileSync({ path, bytesMax: LIMITS.configFileBytesMax });
  } catch (cause) {
    throw usageError(`--token-file ${path} cannot be read: ${refusalReason(cause)}`);
  }
  if (bytes === undefined) throw usageError(`--token-file ${path}: there is no such file`);
  return bytes.toString('utf8');
}
