import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BEARER_RULE } from '../contract/bearer-token.ts';
import { givenToken, tokenFileWarning } from './token-flags.ts';

test('a token is typed, or read from a file without the line break at its end', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bindery-token-'));
  const file = (text: string) => {
    writeFileSync(join(dir, 'token'), text);
    return join(dir, 'token');
  };
  expect(givenToken({})).toBeUndefined();
  expect(givenToken({ token: 'typed' })).toBe('typed');
  expect(givenToken({ tokenFile: file('kept\n') })).toBe('kept');
  const refused = (flags: Parameters<typeof givenToken>[0]) => {
    try {
      return givenToken(flags);
    } catch (thrown) {
      return (thrown as { detail: string }).detail.replaceAll(dir, 'DIR');
    }
  };
  expect([
    refused({ token: '' }),
    refused({ token: 'a', tokenFile: file('b') }),
    refused({ tokenFile: file(' \n') }),
    refused({ tokenFile: file('a b') }),
    refused({ tokenFile: join(dir, 'none') }),
    refused({ tokenFile: dir }),
    ...['pässwort', 'snow☃', ' ends', 'tab\t', 'two\nlines'].map((token) => refused({ token })),
    refused({ tokenFile: file('schlüssel\n') }),
  ]).toEqual([
    '--token is empty',
    '--token and --token-file exclude each other',
    '--token-file DIR/token is empty',
    '--token-file DIR/token has more than one word',
    '--token-file DIR/none: there is no such file',
    expect.stringMatching(/^--token-file DIR cannot be read: \S/),
    ...Array(5).fill(`--token cannot be sent: ${BEARER_RULE}`),
    `--token-file DIR/token cannot be sent: ${BEARER_RULE}`,
  ]);
  rmSync(dir, { recursive: true });
});

test('a token file that others can read is warned about; one in a folder of the user alone is not', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bindery-token-'));
  const tokenFile = join(dir, 'my token');
  writeFileSync(tokenFile, 'x');
  const warned = [0o644, 0o600].flatMap((file) =>
    [0o755, 0o700].map((folder) => {
      chmodSync(tokenFile, file);
      chmodSync(dir, folder);
      return tokenFileWarning({ tokenFile })?.replaceAll(dir, 'DIR');
    }),
  );
  const warning = "others can read the token file DIR/my token: run `chmod 600 'DIR/my token'`";
  expect(warned).toEqual([warning, undefined, undefined, undefined]);
  expect(tokenFileWarning({ token: 'typed' })).toBeUndefined();
  rmSync(dir, { recursive: true });
});
