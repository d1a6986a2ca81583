/** Latin letters as Arabic writes their sound, the longest first. */
const PARTS: readonly (readonly [RegExp, string])[] = [
  [/^sch|^sh|^ch(?=[aeiouy])/, 'ش'],
  [/^tsch|^tch|^cz/, 'تش'],
  [/^ch|^kh/, 'خ'],
  [/^th|^tt?/, 'ت'],
  [/^ph|^ff|^f|^v/, 'ف'],
  [/^gh|^gg?/, 'غ'],
  [/^(?:dj|j)/, 'ج'],
  [/^(?:ck|kk|k|qu|q|cc|c(?![eiy]))/, 'ك'],
  [/^(?:ss|s|c)/, 'س'],
  [/^(?:ou|oo|w|u|o|au|eau)/, 'و'],
  [/^(?:ee|ie|ei|ij|ii|i|y)/, 'ي'],
  [/^e$/, ''],
  [/^e(?=[^aeiouy]{2})/, ''],
  [/^e/, 'ي'],
  [/^a$/, 'ا'],
  [/^(?:aa|a)/, 'ا'],
  [/^bb?|^pp?/, 'ب'],
  [/^dd?/, 'د'],
  [/^h/, 'ه'],
  [/^ll?/, 'ل'],
  [/^mm?/, 'م'],
  [/^nn?/, 'ن'],
  [/^rr?/, 'ر'],
  [/^x/, 'كس'],
  [/^zz?/, 'ز'],
];

/** A Latin name in Arabic letters, close enough to learn the look of foreign names. */
export function writeInArabic(name: string): string {
  let written = /^[aeiou]/.test(name) ? 'ا' : '';
  let rest = /^a/.test(name) ? name.slice(1) : name;
  while (rest !== '') {
    const [form, letter] = PARTS.find(([start]) => start.test(rest)) ?? [/^./, ''];
    written += letter;
    rest = rest.replace(form, '');
  }
  return written;
}
