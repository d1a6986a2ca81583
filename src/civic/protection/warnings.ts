import { wordPattern } from './word-patterns.ts';

/** Words of a warning, in a sentence or in what stands around it. */
const STRONG = wordPattern([
  'never nobody fraud* scam* warn* beware careful* fake* false* phish* swindl* crimin* thie* danger* refuse* avoid*',
  'jamais a_personne personne_ne fraud* arnaqu* escro* attention avertiss* mefi* faux hameconn* danger* refus* evit*',
  'nooit niemand frauduleu* oplicht* waarschuw* opgelet pas_op vals* gevaar* weiger*',
  'nie niemals niemand niemandem betrug* warn* vorsicht achtung falsch* gefalscht* gefahr* verweiger*',
  'ніколи нікому ніхто шахра* обман* попередж* застереж* увага обережн* фальшив* небезпе* аферист*',
  'ابدا احتيال* محتال* نصب نصاب* تحذير* احذر* مزيف* انتبه خطر',
]);
/** A plain negation warns too, but is as often ordinary: `Do not pay in cash.` */
const NEGATION = wordPattern(['not dont cannot no', 'pas', 'niet geen', 'nicht kein keine keinen', 'لا لن']);
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

/** Words that turn round what follows them, or set it aside. */
const REVERSAL = wordPattern([
  'contrary opposite reverse* outdated out_of_date obsolete old older wrong untrue incorrect mistake* no_longer not_any_more anymore other_way instead ignore* disregard* follows following below next replaced changed',
  'contraire inverse depasse* perime* obsolete* caduc* ancien* faux fausse* erreur* inexact* plus_valable ne_vaut_plus n_est_plus ne_sont_plus ignorez oubliez suit suivent suivant* ci_dessous dessous remplace*',
  'tegendeel omgekeerd* tegenovergestelde verouderd* achterhaald* oud oude fout foute verkeerd* niet_meer onjuist* negeer* volgt volgende hieronder onderstaand* vervangen',
  'gegenteil umgekehrt* veraltet* uberholt* alt alte falsch* nicht_mehr ungultig* unrichtig* ignorier* folgt folgende* unten nachstehend* ersetzt',
  'навпаки протилежн* застаріл* стар* хибн* помилк* неправ* більше_не вже_не ігнору* нижче наступн* далі подальш* замінен*',
  'عكس* قديم* خاطي* خطا باطل* تجاهل* يلي ادناه تالي* لم_يعد لم_تعد',
]);

type Strength = 'any' | 'strong';
const judged = { any: new WeakMap<readonly string[], boolean>(), strong: new WeakMap<readonly string[], boolean>() };

/** Whether folded words warn of something; long headings are read once. */
export function isWarning(words: readonly string[], strength: Strength): boolean {
  const known = judged[strength].get(words);
  if (known !== undefined) return known;
  const text = words.join(' ').replace(NOT_NEEDED, ' ');
  const isOne = STRONG.test(text) || (strength === 'any' && (NEGATION.test(text) || UKRAINIAN_NOT.test(text)));
  judged[strength].set(words, isOne);
  return isOne;
}

export function turnsRound(words: readonly string[]): boolean {
  return REVERSAL.test(words.join(' '));
}
