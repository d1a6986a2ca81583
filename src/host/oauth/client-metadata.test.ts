import { expect, test } from 'vitest';
import { metadataUrlReason } from './client-metadata.ts';

test('a client id is an https URL with a path, in its normal form, and nothing else', () => {
  const isUsable = (url: string) => metadataUrlReason(url) === undefined;
  expect(['https://a.example/client.json', 'https://a.example:8443/c?x=1'].map(isUsable)).toEqual([true, true]);
  const refused = [
    'http://a.example/client.json',
    'https://a.example',
    'https://a.example/',
    'https://user@a.example/client.json',
    'https://:secret@a.example/client.json',
    'https://a.example/client.json#part',
    'https://A.example/client.json',
    'https://a.example/x/../client.json',
    'client.json',
    '',
  ];
  expect(refused.filter(isUsable)).toEqual([]);
});
