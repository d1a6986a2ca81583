import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitWords } from './split-words.ts';

const texts = (text: string) => splitWords(text).map((word) => word.text);

test.each([
  ['get_current_stockPrice', ['get', 'current', 'stockprice', 'stock', 'price']],
  ['HTMLParser', ['htmlparser', 'html', 'parser']],
  ['npmDeps', ['npmdeps', 'npm', 'deps']],
  ['get-36kr-trending', ['get', '36kr', '36', 'kr', 'trending']],
  ['Crème brûlée', ['creme', 'brulee']],
  ["Apple's stock, isn’t it?", ['apple', 'stock', 'isn', 'it']],
  ['获取天气 now', ['获取', '取天', '天气', 'now']],
  ['图', ['图']],
  ['ｆｕｌｌ　width', ['full', 'width']],
])('splits %j into words, parts of identifiers and pairs of characters', (text, words) => {
  expect(texts(text)).toEqual(words);
});

test('an ASCII text is split in the same way next to other letters', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."abXY12_- '.é"), maxLength: 30 }), (text) => {
      const ascii = text.replaceAll('é', '');
      expect(texts(`${ascii} é`)).toEqual([...texts(ascii), 'e']);
    }),
  );
});
