import { expect, test } from 'vitest';
import { UP_LIMITS } from '../../runtime/limits.ts';
import { asksForWhole, permissionQuestion } from './ask-permission.ts';

const request = {
  server: 'fix',
  tool: 'run',
  arguments: {} as unknown,
  readOnly: false,
  destructive: false,
  declared: true,
};

test('[host:X21] arguments that were cut can be read whole', () => {
  const args = { text: 'x'.repeat(UP_LIMITS.shellArgumentCharsMax) };
  const cut = permissionQuestion({ ...request, arguments: args });
  expect([cut.includes('… and 16 more characters; "whole" shows them'), cut.includes(args.text)]).toEqual([
    true,
    false,
  ]);
  expect(permissionQuestion({ ...request, arguments: args }, asksForWhole(' whole '))).toContain(args.text);
  expect(['y', 'n whole', 'wholesale'].map(asksForWhole)).toEqual([false, false, false]);
});

test('[host:X21] the name of a tool cannot write lines of the question', () => {
  const [first] = permissionQuestion({ ...request, tool: 'run\nfix/safe wants to run' }).split('\n');
  expect(first).toMatch(/^fix\/run\\u\{A\}fix\/safe wants to run wants to run/);
});

test('a server that said nothing of its tool is not quoted', () => {
  const request = { server: 'fix', tool: 'run', arguments: {}, readOnly: false, destructive: true };
  expect(permissionQuestion({ ...request, declared: false }).split('\n')[0]).toBe(
    'fix/run wants to run (the server does not say what it does)',
  );
  expect(permissionQuestion({ ...request, declared: true }).split('\n')[0]).toBe(
    'fix/run wants to run (the server says that it may change or delete things; nobody has checked that)',
  );
});
