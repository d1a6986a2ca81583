import { expect, test } from 'vitest';
import { isOwn } from '../gateway/import/own-entry.ts';
import { asTyped, ownProgram } from './own-program.ts';

const CACHED = '/srv/npm/_npx/1f2e/node_modules/mcp-bindery/';

test('under npx a client starts the program through npx, not from the cache', () => {
  const { command, args, isCached } = ownProgram(CACHED);
  expect({ command, args, isCached }).toEqual({ command: 'npx', args: ['-y', 'mcp-bindery', 'stdio'], isCached: true });
  expect(isOwn('bindery', { command, args }, { url: '', command, args })).toBe(true);
  expect(ownProgram('/usr/lib/node_modules/mcp-bindery/')).toMatchObject({
    command: process.execPath,
    args: ['/usr/lib/node_modules/mcp-bindery/bin/bindery.js', 'stdio'],
    isCached: false,
  });
});

test('under npx printed command lines are the ones that work there', () => {
  const text =
    'Undo: bindery disconnect cursor, or bindery stop\nSee `bindery help init`. Another server named bindery is there.\n  bindery up\n';
  expect(asTyped(text, ownProgram(CACHED))).toBe(
    'Undo: npx mcp-bindery disconnect cursor, or npx mcp-bindery stop\nSee `npx mcp-bindery help init`. Another server named bindery is there.\n  npx mcp-bindery up\n',
  );
  expect(asTyped(text, ownProgram('/opt/mcp-bindery/'))).toBe(text);
});
