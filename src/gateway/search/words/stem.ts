/**
 * A light English stemmer: maps the forms of a word (translate, translates, translating, translation, translator) to one stem. It need
 * not be linguistically correct, only equal on both sides.
 */
export function stem(word: string): string {
  const known = KNOWN.get(word);
  if (known !== undefined) return known;
  const stemmed = makeStem(word);
  if (KNOWN.size >= KNOWN_MAX) KNOWN.clear();
  KNOWN.set(word, stemmed);
  return stemmed;
}

/** Caches stems, because the same words recur. */
const KNOWN = new Map<string, string>();
const KNOWN_MAX = 20_000;

function makeStem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const known = IRREGULAR.get(word);
  if (known !== undefined) return known;
  return ending(derivation(inflection(plural(word))));
}

const IRREGULAR = new Map(
  Object.entries({
    bought: 'buy',
    drawn: 'draw',
    drew: 'draw',
    driven: 'driv',
    drove: 'driv',
    eaten: 'eat',
    found: 'find',
    flew: 'fly',
    flown: 'fly',
    flies: 'fly',
    kept: 'keep',
    made: 'mak',
    making: 'mak',
    news: 'news',
    paid: 'pay',
    paying: 'pay',
    payment: 'pay',
    payments: 'pay',
    played: 'play',
    sent: 'send',
    series: 'series',
    sold: 'sell',
    spoke: 'speak',
    spoken: 'speak',
    speech: 'speech',
    taken: 'tak',
    taught: 'teach',
    thought: 'think',
    written: 'writ',
    wrote: 'writ',
    analyses: 'analys',
    analysis: 'analys',
    analytics: 'analys',
    analytic: 'analys',
    analyze: 'analys',
    analyzes: 'analys',
    analyzed: 'analys',
    analyzing: 'analys',
    analyzer: 'analys',
    analyse: 'analys',
    analysed: 'analys',
    analysing: 'analys',
    conversion: 'convert',
    conversions: 'convert',
    indices: 'index',
    leaves: 'leaf',
    lives: 'liv',
    media: 'media',
    movies: 'movi',
    photography: 'photo',
    photograph: 'photo',
    photographs: 'photo',
    statistical: 'statistic',
    stats: 'statistic',
    stories: 'story',
    booked: 'book',
    booking: 'book',
    bookings: 'book',
  }),
);

function plural(word: string): string {
  if (/(ss|us|is)$/.test(word)) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(sh|ch|x|z|ss)es$/.test(word)) return word.slice(0, -2);
  if (word.endsWith('s')) return word.slice(0, -1);
  return word;
}

function inflection(word: string): string {
  if (word.endsWith('ied') && word.length > 4) return `${word.slice(0, -3)}y`;
  for (const suffix of ['ing', 'ed']) {
    const rest = word.slice(0, -suffix.length);
    if (word.endsWith(suffix) && rest.length >= 3 && /[aeiouy]/.test(rest)) return undouble(rest);
  }
  return word;
}

function derivation(word: string): string {
  if (word.length >= 8 && /[ts]ion$/.test(word)) return word.slice(0, -3);
  if (word.length >= 7 && word.endsWith('ator')) return word.slice(0, -2);
  if (word.length >= 6 && word.endsWith('er')) return undouble(word.slice(0, -2));
  if (word.length >= 9 && word.endsWith('ment')) return word.slice(0, -4);
  if (word.length >= 7 && word.endsWith('ical')) return word.slice(0, -2);
  if (word.length >= 6 && word.endsWith('ly')) return word.slice(0, -2);
  return word;
}

function ending(word: string): string {
  let rest = word;
  if (rest.length >= 4 && rest.endsWith('e')) rest = rest.slice(0, -1);
  if (rest.length >= 7 && rest.endsWith('at')) rest = rest.slice(0, -2);
  return rest;
}

function undouble(word: string): string {
  return /([bdgklmnprt])\1$/.test(word) && word.length > 3 ? word.slice(0, -1) : word;
}
