import { expect, test } from 'vitest';
import { type KnownTools, nameDoubts, toolOfPublicName, withHint } from './name-doubts.ts';

const known: KnownTools = new Map([
  ['files', new Set(['read_file', 'write_file'])],
  ['mail', undefined],
]);

test.each([
  ['files', 'read_file', []],
  ['files', 'raed_file', ['files has no tool raed_file. Did you mean read_file?']],
  ['files', 'x', ['files has no tool x']],
  ['mail', 'anything', []],
  ['flies', 'read_file', ['no server is called flies. Did you mean files?']],
  ['unheard_of', 'read_file', ['no server is called unheard_of']],
  [
    'files',
    'files__read_file',
    [
      'files__read_file is the name that clients see; policy calls it read_file: `bindery policy check files read_file`',
    ],
  ],
  [
    'unheard_of',
    'unheard_of__x',
    ['unheard_of__x is the name that clients see; policy calls it x: `bindery policy check unheard_of x`'],
  ],
])('of a call of %s/%s the doubts are %j', (server, tool, doubts) => {
  expect(nameDoubts(server, tool, known)).toEqual(doubts);
});

test('a public name is the server’s name, two underscores and the tool’s name', () => {
  expect(['s__a', 's___a', 's_a', 'r__a', 'xs__a', 'a__s__', 's__'].map((name) => toolOfPublicName('s', name))).toEqual(
    ['a', '_a', undefined, undefined, undefined, undefined, ''],
  );
  expect([withHint('no', 'ab', ['abc']), withHint('no', 'ab', undefined), withHint('no', 'ab', [])]).toEqual([
    'no. Did you mean abc?',
    'no',
    'no',
  ]);
});
