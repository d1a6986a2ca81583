import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { LineReader } from './line-reader.ts';

function open() {
  const input = new PassThrough();
  const reader = new LineReader({
    ...{ input, output: new PassThrough(), terminal: false, complete: () => [[], ''], onInterrupt: () => {} },
  });
  return { input, reader };
}

test('lines typed ahead wait for the next question', async () => {
  const { input, reader } = open();
  input.write('one\ntwo\n');
  await new Promise((resolve) => setImmediate(resolve));
  expect([await reader.next(''), await reader.next('')]).toEqual(['one', 'two']);
});

test('a question that comes up at the prompt is answered first, then the prompt continues', async () => {
  const { input, reader } = open();
  const prompt = reader.next('> ');
  const question = reader.next('sure? ');
  input.write('yes\nnext command\n');
  expect([await question, await prompt]).toEqual(['yes', 'next command']);
});

test('a question that is withdrawn takes no line', async () => {
  const { input, reader } = open();
  const withdrawn = new AbortController();
  const prompt = reader.next('> ');
  const question = reader.next('sure? ', { signal: withdrawn.signal });
  withdrawn.abort();
  await expect(question).rejects.toMatchObject({ name: 'AbortError' });
  input.write('for the prompt\n');
  expect(await prompt).toBe('for the prompt');
});

test('the end of the input answers everyone', async () => {
  const { input, reader } = open();
  const both = [reader.next('> '), reader.next('? ')];
  input.end();
  expect([...(await Promise.all(both)), await reader.next('> ')]).toEqual([undefined, undefined, undefined]);
});
