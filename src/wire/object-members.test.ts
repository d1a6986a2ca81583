import { expect, test } from 'vitest';
import { ambiguousMember, certainId, doubtfulMember } from './object-members.ts';

const bytes = (text: string) => Buffer.from(text);

test('an id is certain if it occurs once, in exact case, and is a string or an integer', () => {
  const ids = [
    '{"id":1}',
    ' { "a" : {"id":2} , "id" : "x\\"y" } ',
    '{"\\u0069d":7}',
    '{"id":1,"ID":1}',
    '{"id":1,"id":1}',
    '{"Id":1}',
    '{"id":null}',
    '{"id":1.5}',
    '{"id":{"id":1}}',
    '{}',
    '[{"id":1}]',
    '7',
  ].map((text) => certainId(bytes(text)));
  const none = Array.from({ length: 9 }, () => undefined);
  expect(ids).toEqual(['1', '"x\\"y"', '7', ...none]);
});

test('the member that makes an object doubtful is named as it was written', () => {
  const named = (text: string) => doubtfulMember(bytes(text), 0, ['name', 'arguments']);
  expect([
    named('{"name":1,"Name":2}'),
    named('{"NAME":1}'),
    named('{"name":1,"other":2,"\\u006eame":3}'),
    named('{"argument\u017f":1}'),
    named('{"name":{"Name":1},"Other":2,"other":3}'),
    named('[]'),
  ]).toEqual(['Name', 'NAME', 'name', 'argument\u017f', undefined, undefined]);
});

test('the first duplicate member, or member in another case, is named at any depth', () => {
  const named = (text: string) => ambiguousMember(bytes(text), { start: 0, end: bytes(text).length });
  expect([
    named('{"a":[{"b":{"c":1,"C":2}}]}'),
    named('{"a":{"x":1},"b":{"x":1},"c":["a","a"]}'),
    named('{"a":1,"\\u0061":2}'),
  ]).toEqual(['C', undefined, 'a']);
});
