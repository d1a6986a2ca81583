import { wordSkeleton } from '../scrub/look-alikes.ts';
import { normaliseText } from '../scrub/normalise-text.ts';

const NEAR = '[^.!?\\n]{0,60}?';

/** Secrets that no text may ask for, and remote-access programs, in the six languages. */
const SECRETS = [
  'pins?(?:[ -]?(?:codes?|nummers?|numbers?))?|puks?(?:[ -]?codes?)?|(?:m|i|sms-?|push-?|photo)?tans?(?:[ -]?(?:codes?|nummern?))?|cvv2?|cvc2?|otps?|mfa|2fa|totp|passw(?:or)?ds?|passphrases?|passcodes?',
  'one[ -]time (?:pass)?(?:codes?|words?|pins?)|(?:verification|security|confirmation|authentication|activation|log-?in|sign-?in|access|secret|unlock|reset|recovery|sms|text|card|(?:six|four|6|4)-digit) codes?',
  'codes? (?:that )?(?:you )?(?:from|in|by|via|sent|receive[ds]?|get|got)(?: (?:by|in|via|from|to))?(?: (?:the|your|a|an))? (?:sms|text|texts|phone|e-?mail|app|authenticator|itsme)|(?:sms|text message) codes?',
  "cards?(?:[’']s)? numbers?|(?:numbers?|codes?|digits) (?:of|on|from)(?: the back of)? (?:my|your|their|his|her) (?:(?:bank|credit|debit|payment|visa) )?card|digits on the back|log-?in (?:details|data|credentials)|credentials",
  "mots? de passe|codes? secrets?|codes? pin|codes? (?:que vous (?:recevez|avez reçu) |reçus? |envoyés? |du |de )(?:par |dans |le |la |votre |un )?(?:sms|texto|message|application|appli|e-?mail|itsme)|codes? sms|codes? de (?:vérification|validation|sécurité|confirmation|connexion)|codes? (?:de |d[’'])(?:la |votre |ta |sa )?carte|numéros? de (?:la |votre |ma |ta |sa )?carte(?! d[’']identité| de séjour)|(?:vos|ses|leurs|tes) identifiants|identifiants de connexion|chiffres? au (?:dos|verso)|cryptogramme|données (?:bancaires|de connexion|de (?:la |votre )?carte)",
  'wachtwoord(?:en)?|pincodes?|kaart(?:nummers?|codes?)|geheime? (?:codes?|nummers?)|(?:beveiligings|verificatie|bevestigings|toegangs|activatie|inlog|sms)-?codes?|eenmalige codes?|codes? (?:van|uit|in|via|per) (?:de |het |een |uw |je )?(?:sms|sms-bericht|tekstbericht|bericht|app|e-?mail|itsme)|(?:inlog|login|aanmeld|toegangs|kaart|bank)gegevens|nummer van (?:mijn|uw|je|zijn|haar) (?:bank|krediet)?kaart|cijfers (?:(?:op|aan) de achter(?:kant|zijde)|achter ?op (?:de|uw|je|mijn) (?:bank|krediet)?kaart)',
  'kennw(?:o|ö)rt(?:er|s|es)?|passw(?:o|ö)rt(?:er|s|es)?|geheim(?:zahl|nummer|code)(?:en|s)?|(?:sms|bestätigungs|sicherheits|zugangs|einmal|freigabe|aktivierungs|verifizierungs)-?codes?|codes? (?:aus|in|von|per) (?:der |einer |ihrer |deiner )?(?:sms|nachricht|textnachricht|app|e-?mail)|karten(?:nummern?|codes?)|nummer (?:meiner|ihrer|deiner|seiner) (?:bank|kredit)?karte|(?:zugangs|anmelde|login|bank|karten)daten|(?:ziffern|zahlen) auf der rückseite',
  'парол(?:ь|я|ем|і|ю|ів|ями)|пін(?:-?код\\p{L}{0,3}|у|ом|)|пук-?код\\p{L}{0,3}|(?:смс|sms)-?код\\p{L}{0,2}|код\\p{L}{0,2} (?:з|із|зі|в|у|від) (?:смс|sms|повідомленн\\p{L}{1,2}|застосунку|додатку|листа)|(?:одноразов|секретн|перевірочн)\\p{L}{1,3} (?:код|парол)\\p{L}{0,2}|код\\p{L}{0,2} (?:підтвердження|перевірки|безпеки|доступу|картки)|номер(?:а|у|ом|и)? (?:моєї |вашої |банківської |платіжної )?картки|дані (?:для входу|(?:вашої |банківської )?картки)|цифри (?:на|зі) звороті',
  'كلمة (?:السر|المرور)|(?:ال)?رقم (?:ال)?سري|رمز (?:ال)?(?:تحقق|تأكيد|أمان|سري|دخول|تفعيل)|الرمز (?:السري|المرسل|الوارد)|(?:رقم|رمز) (?:البطاقة|بطاقتي|بطاقتك|بطاقتكم)|بيانات (?:ال)?(?:دخول|بنك|بطاقة)\\p{L}{0,2}|الأرقام (?:الثلاثة|(?:الموجودة |المكتوبة )?(?:خلف|على ظهر) (?:ال)?بطاقة)',
  'any ?desk|team ?viewer|quick ?support|rust ?desk|remote (?:access|control|desktop)|prise (?:de contrôle|en main) à distance|fernzugriff|fernwartung|toegang op afstand|віддален\\p{L}{1,3} доступ|الوصول عن بعد',
].join('|');

const GIVE =
  'give|tell|read|dictate|share|send|provide|say|donnez|dites|lisez|communiquez|envoyez|transmettez|dictez|geef|zeg|lees|deel|bezorg|stuur|geben|nennen|sagen|lesen|teilen|senden|schicken|назвіть|скажіть|повідомте|надішліть|продиктуйте|дайте|أعط|أخبر|قل|أرسل|اقرأ';
const ACCOUNT =
  "bank details|account numbers?|iban|rib|relevé d[’']identité bancaire|coordonnées bancaires|numéro de compte|rekeningnummer|bankverbindung|kontonummer|реквізит\\p{L}{0,3}|номер рахунку|رقم الحساب";
const PERSONAL =
  'national (?:register |registry )?numbers?|niss|numéro (?:de |du )?registre national|rijksregisternummer|insz|nationalregisternummer|id(?:entity)? (?:card )?numbers?|date of birth|geburtsdatum|date de naissance|geboortedatum|номер (?:національного )?реєстру|الرقم الوطني';
const CALLER =
  '(?:to|from|by) (?:the|a) caller|who calls|(?:by|over the|on the) (?:tele)?phone|(?:au|par) téléphone|qui (?:vous )?appelle|aan de telefoon|telefonisch|die belt|am telefon|anrufer|по телефону|телефоном|عبر الهاتف|على الهاتف|المتصل';

/** Irreversible or untraceable payment methods. */
const UNTRACEABLE = [
  'gift ?(?:cards?|vouchers?|codes?)|cartes?[ -]cadeaux?|cadeau(?:kaart|bon)(?:nen|en)?|geschenk(?:karten?|gutscheine?)|guthabenkarten?|(?:google play|steam|itunes|apple|amazon|paysafe|neosurf|transcash)[ -]?(?:cards?|karten?|kaart(?:en)?|cartes?|codes?|coupons?)|neosurf|transcash|coupons? de recharge|подарунков\\p{L}{1,3} карт\\p{L}{1,4}|بطاق(?:ة|ات) (?:ال)?هدايا',
  'bitcoins?|btc|ethereum|usdt|litecoin|monero|crypto(?:[ -]?(?:currenc(?:y|ies)|monnaies?|munten|munt|wallets?))?|kryptowährung(?:en)?|криптовалют\\p{L}{0,3}|біткої?н\\p{L}{0,3}|(?:ال)?بيتكوين|عمل(?:ة|ات) مشفرة',
  'western ?union|money ?gram|world ?remit|remitly|taptap ?send|hawala|mandat[ -]cash|paysafe',
].join('|');
/** Addresses of coins; case-sensitive. */
const COIN_ADDRESS =
  /(?<![A-Za-z0-9])(?:bc1[a-z0-9]{25,60}|[13][A-HJ-NP-Za-km-z1-9]{25,34}|0x[a-fA-F0-9]{40}|T[A-HJ-NP-Za-km-z1-9]{33})(?![A-Za-z0-9])/;

const word = (source: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`, 'iu');
/** A pattern for the text as written, and for its skeleton. */
const both = (source: string): readonly [RegExp, RegExp] => [word(source), word(source.replaceAll('l', 'i'))];

const CREDENTIALS = both(
  `${SECRETS}|(?:${GIVE})(?!\\p{L})${NEAR}(?<!\\p{L})(?:${ACCOUNT})|(?:${PERSONAL})(?!\\p{L})${NEAR}(?<!\\p{L})(?:${CALLER})`,
);
const PAYMENT = both(UNTRACEABLE);

const CASH =
  /(?<!\p{L})(?:cash|banknotes?|espèces|liquide|contant(?:en)?|bargeld|in bar|bar (?:zu |mit|zum)|готівк\p{L}{1,3}|نقد(?:ا|اً|ًا)?)(?!\p{L})/iu;
const HAND_OVER =
  /(?<!\p{L})(?:bring|pay|hand|give|send|deposit|withdraw|take|apportez|payez|donnez|remettez|versez|retirez|breng|betaal|geef|overhandig|stort|bringen|zahlen|bezahlen|übergeben|geben|принесіть|заплатіть|сплатіть|передайте|أحضر|ادفع|سلم)(?!\p{L})/iu;
const AMOUNT =
  /(?:€|eur)\s?(\d{1,3}(?:[ .,']\d{3}){1,2}|\d{1,7})|(?<![\d.,])(\d{1,3}(?:[ .,']\d{3}){1,2}|\d{1,7})(?:[.,]\d{2})?\s?(?:eur|€|usd|dollar|євро|يورو)/giu;
/** No office takes more in cash. */
const CASH_MAX = 500;

/** Harmful requests in a sentence. */
export interface Risks {
  readonly credentials: boolean;
  readonly payment: boolean;
}

/** Checks the sentences that `before` does not contain word for word. */
export function findNewRisks(before: string, after: string): Risks {
  if (before === after) return { credentials: false, payment: false };
  const known = new Set(sentencesOf(before));
  const fresh = sentencesOf(after).filter((sentence) => !known.has(sentence));
  return { credentials: fresh.some(asksForSecrets), payment: fresh.some(asksForMoney) };
}

const SENTENCE_CHARS_MAX = 2000;

function sentencesOf(text: string): string[] {
  return normaliseText(text)
    .text.split(/\n|(?<=[.!?؟;])\s+/)
    .flatMap((sentence) => (sentence.length > SENTENCE_CHARS_MAX ? overlapping(sentence) : [sentence.trim()]));
}

/** Splits a very long text into overlapping parts. */
function overlapping(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += SENTENCE_CHARS_MAX / 2) parts.push(text.slice(at, at + SENTENCE_CHARS_MAX));
  return parts;
}

export function asksForSecrets(sentence: string): boolean {
  return matches(CREDENTIALS, sentence);
}

export function asksForMoney(sentence: string): boolean {
  return matches(PAYMENT, sentence) || COIN_ADDRESS.test(sentence) || asksForCash(sentence);
}

function matches([written, skeleton]: readonly [RegExp, RegExp], sentence: string): boolean {
  return written.test(sentence) || skeleton.test(wordSkeleton(sentence));
}

function asksForCash(sentence: string): boolean {
  if (!CASH.test(sentence) || !HAND_OVER.test(sentence)) return false;
  return amountsOf(sentence).some((amount) => amount >= CASH_MAX);
}

/** Amounts in euros or dollars in a sentence. */
export function amountsOf(sentence: string): number[] {
  return [...sentence.matchAll(AMOUNT)].map(([, first, second]) =>
    Number((first ?? second ?? '').replace(/[ .,']/g, '')),
  );
}
