import { wordPattern } from './word-patterns.ts';

/** Words that make a warning of a sentence or of what stands around it; `stem*` is the beginning of a word. */
const WARNING_WORDS = [
  'never not dont cannot nobody fraud* scam* warn* beware careful* fake* false* phish* swindl* crimin* thie* danger* refuse* avoid*',
  'jamais pas a_personne personne_ne fraud* arnaqu* escro* attention avertiss* mefi* faux hameconn* danger* refus* evit*',
  'nooit niet geen niemand frauduleu* oplicht* waarschuw* opgelet pas_op vals* gevaar* weiger*',
  'nie niemals nicht kein keine keinen niemand niemandem betrug* warn* vorsicht achtung falsch* gefalscht* gefahr* verweiger*',
  'ніколи нікому ніхто шахра* обман* попередж* застереж* увага обережн* фальшив* небезпе* аферист*',
  'لا لن ابدا احتيال* محتال* نصب نصاب* تحذير* احذر* مزيف* انتبه خطر',
];

const WARNING = wordPattern(WARNING_WORDS);
/** The Ukrainian `не` is folded into `he`, and is read as such before a Ukrainian word. */
const UKRAINIAN_NOT = /(?<!\p{L})he(?= \p{L}{0,30}[\u0430-\u045f\u0491])/u;
/** What people need not do is no warning. */
const NOT_NEEDED = wordPattern(
  [
    'not_have_to not_need*',
    'ne_devez_pas pas_besoin pas_obligatoire*',
    'moet_geen niet_nodig',
    'nicht_notig nicht_erforderlich mussen_keine* brauchen_keine*',
    'не_треба не_потрібн* не_обовязков*',
    'لا_يجب لا_يلزم لا_تحتاج*',
  ],
  'gu',
);

const judged = new WeakMap<readonly string[], boolean>();

/** Whether folded words warn of something; long headings are read once. */
export function isWarning(words: readonly string[]): boolean {
  const known = judged.get(words);
  if (known !== undefined) return known;
  const text = words.join(' ').replace(NOT_NEEDED, ' ');
  const isOne = WARNING.test(text) || UKRAINIAN_NOT.test(text);
  judged.set(words, isOne);
  return isOne;
}
