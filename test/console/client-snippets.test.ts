import { expect, test } from 'vitest';
import { CLIENTS, makeKey } from '../../console/src/pages/client-snippets.ts';
import { entryText } from '../../src/gateway/import/client-file.ts';
import { type ClientId, FORMATS, KEY_VARIABLE, setKeyCommand } from '../../src/gateway/import/client-formats.ts';

const url = 'http://127.0.0.1:7717/mcp';

test.each([false, true])(
  'the console shows the entries that `bindery connect` prints; a key is needed: %s',
  (keyNeeded) => {
    const address = { url, command: '', args: [], ...(keyNeeded ? { keyVariable: KEY_VARIABLE } : {}) };
    for (const { name, key, snippet } of CLIENTS) {
      if (key === undefined || key === 'claude-code') continue;
      const { [key as ClientId]: format } = FORMATS;
      const printed = entryText(format, 'bindery', format.ownEntry(address)).trim();
      const shown = snippet(url, keyNeeded);
      const read = (text: string) => (format.syntax === 'json' ? JSON.parse(text) : text);
      expect(read(shown), name).toEqual(read(printed));
    }
  },
);

test('the command for Claude Code and the command that makes a key are the ones that work', () => {
  const [claude] = CLIENTS;
  expect(claude?.snippet(url, false)).toBe(`claude mcp add --transport http bindery ${url}`);
  expect(claude?.snippet(url, true)).toBe(
    `claude mcp add --transport http bindery ${url} --header 'Authorization: Bearer \${BINDERY_KEY}'`,
  );
  expect(makeKey('cursor')).toBe(setKeyCommand('cursor'));
});
