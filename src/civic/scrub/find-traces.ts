import type { Hit } from './find-identifiers.ts';

const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
/** An IPv4 or IPv6 address; versions of programs or laws have fewer parts. */
export const IP_ADDRESS = new RegExp(
  `(?<![\\d.])(?:${OCTET}\\.){3}${OCTET}(?![\\d.]\\d|\\d)|(?<![\\w:])(?:[0-9a-f]{1,4}:){3,7}(?::?[0-9a-f]{1,4}){1,4}(?![\\w:])|(?<![\\w:])[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,5}::(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,5})?(?![\\w:])`,
  'gi',
);

/** Words that mark four following numbers as a version. */
const VERSION = /(?:version|versie|release|build|версія|версії|الإصدار|(?<!\p{L})v)[\s.:=]{0,2}$/iu;

export function isVersionBefore(text: string, at: number): boolean {
  return VERSION.test(text.slice(Math.max(0, at - 12), at));
}

const PLATE_CUE =
  '(?:licen[cs]e plate|number plate|plate|nummerplaat|kenteken|plaque|immatriculation|kennzeichen|номерний знак|номер авто|لوحة)';
/** Licence plates of Belgium, the Netherlands, France and Germany in their official form, and any plate after a word for one. */
export const NUMBER_PLATE = new RegExp(
  `(?<![\\w-])(?:[1-9][-· ][A-Z]{3}[-· ]\\d{3}|[1-9][A-Z]{3}\\d{3}|[A-Z]{2}-\\d{3}-[A-Z]{2}|\\d{1,2}-[A-Z]{2,3}-\\d{1,2}|[A-Z]{2}-\\d{2}-[A-Z]{2}|[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} ?\\d{2,4}[EH]?|[АВСЕНІКМОРТХ]{2} ?\\d{4} ?[АВСЕНІКМОРТХ]{2})(?![\\w\\p{L}-])` +
    `|(?<!\\p{L})${anyCase(PLATE_CUE)}(?!\\p{L})[^.\\n\\d]{0,20}?(?<![\\p{L}\\d])(?:[A-Z]{1,3}[- ]?\\d{2,4}[- ]?[A-Z]{0,3}|\\d{1,3}[- ]?[A-Z]{1,3}[- ]?\\d{1,4}|\\d[- ]?(?!and|for|und|per|van|des|les)[a-z]{3}[- ]?\\d{3})(?![\\p{L}\\d])`,
  'gu',
);

const NETWORKS =
  'gmail|hotmail|insta(?:gram)?|ig|facebook|fb|snap(?:chat)?|discord|telegram|tg|wechat|weixin|viber|signal|skype|tiktok|twitter|threads|mastodon';
/** A personal page on a social network, or a handle. */
export const PROFILE_LINK = new RegExp(
  `(?:facebook|fb|instagram|tiktok|linkedin|twitter|(?<![\\p{L}\\p{N}-])x|threads|snapchat|vk|telegram|(?<![\\p{L}\\p{N}-])t|(?<![\\p{L}\\p{N}-])wa|github|youtube|reddit)\\.(?:com|me|net)\\/(?:in\\/|add\\/|user\\/|@|profile\\.php\\?id=)?[\\w.@%+-]{2,80}` +
    `|(?<![\\p{L}\\p{N}])(?:${NETWORKS})\\s?(?::\\s?@?|@)[a-z][\\w.]{2,40}(?:#\\d{4})?` +
    `|(?<![\\p{L}\\p{N}])(?:${NETWORKS})\\s[a-z][a-z_.]{1,30}\\d[\\w.]{0,20}` +
    `|(?<![\\p{L}\\p{N}])linkedin[\\s:]{1,3}(?:in|pub)\\/[\\w.-]{3,80}` +
    // An address without its top-level domain, and a name at a mail service.
    `|(?<![\\w.+-])[\\w.+-]{2,64}@(?:gmail|hotmail|outlook|yahoo|icloud|proton|telenet|skynet)(?![\\w.])` +
    `|(?<![\\p{L}\\p{N}])(?:gmail|hotmail)\\s(?:is|est|ist)\\s[a-z][a-z_.]{1,30}\\d[\\w.]{0,20}` +
    `|(?<![\\p{L}\\p{N}@./]|[\\p{L}\\p{N}][_-])@[a-z][\\w.]{2,40}(?![\\w@/])`,
  'giu',
);

/** Matches words with or without a capital: street names are written both ways. */
function anyCase(source: string): string {
  return source.replace(/(?<=[(|]|\(\?:)(\p{Ll})/gu, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

const WAYS = anyCase('(?:rue|avenue|boulevard|chaussée|place|quai|allée|chemin|clos|impasse|square|drève|sentier)');
const HOUSE = '(?:n°\\s?)?\\d{1,4}[A-Za-z]?(?![\\d\\p{L}])';
const LIVES = anyCase(
  '(?:live (?:at|in|on)|my address is|my home is|habit(?:e|ons)|mon adresse|domicili(?:é|ée) (?:à|au)|woon(?: in| op| aan)?|wonen(?: in| op| aan)?|mijn adres is|wohnen?|meine adresse|живу|живемо|мешкаю|моя адреса|أسكن|عنواني)',
);
/** Words after a number that show it counts something else. */
const COUNTS =
  '(?!\\s?(?:%|°|years?|months?|weeks?|days?|children|persons?|people|km|m2|ans?|mois|jours?|semaines?|enfants?|personnes?|jaar|maand|weken|dagen|kinderen|personen|jahren?|monaten?|wochen|tagen?|kindern?|рок|міся|дн|діт))';
/** A street with a number, without a postcode. */
const STREETS =
  `(?:${WAYS}\\s(?:d[eu]s?\\s|de\\sla\\s|de\\sl['’]|d['’]|l['’])?\\p{Lu}[\\p{L}'’-]{2,30}(?:\\s(?:d[eu]s?\\s)?\\p{Lu}[\\p{L}'’-]{1,30}){0,2},?\\s${HOUSE}` +
  `|\\p{Lu}[\\p{L}'’-]{2,30}(?:straat|laan|steenweg|dreef|stra(?:ß|ss)e|gasse|allee|weg)\\s\\d{1,4}[A-Za-z]?(?!\\d)` +
  `|\\p{Lu}[\\p{L}-]{2,30}er (?:Stra(?:ß|ss)e|Allee|Weg|Platz|Gasse|Ring|Damm|Ufer)\\s\\d{1,4}[A-Za-z]?(?!\\d)` +
  `|\\d{1,4}[A-Za-z]?,?\\s${WAYS}\\s\\p{L}[\\p{L}\\s'’-]{2,40}` +
  `|\\d{1,4}\\s\\p{Lu}[\\p{L}'’-]{2,30}\\s(?:Street|Road|Lane|Avenue|Drive)(?!\\p{L})` +
  `|${anyCase('(?:вул\\.|вулиц[яі]|просп\\.|проспект|бульвар|бул\\.|пров\\.|площа)')}\\s?\\p{Lu}[\\p{L}'’-]{2,30}(?:\\s\\p{Lu}[\\p{L}'’-]{1,30})?,?\\s(?:буд\\.\\s?)?\\d{1,4}` +
  `|${anyCase('(?:number|numéro|no\\.|n°|nummer|nr\\.|huisnummer|hausnummer|номер|будинок|буд\\.)')}\\s?\\d{1,4}[A-Za-z]?\\s[^.\\n\\d]{0,25}?(?<!\\p{L})(?:\\p{Lu}[\\p{L}'’-]{2,30}(?:straat|laan|steenweg|dreef|stra(?:ß|ss)e|gasse|allee)|${WAYS}\\s[^.\\n\\d]{0,10}?\\p{Lu}\\p{L}{2,30}|\\p{Lu}[\\p{L}'’-]{2,30}\\s(?:Street|Road|Lane|Avenue|Drive)|${anyCase('(?:вул\\.|вулиц[яіюі]|проспект[іу]?)')}\\s?\\p{Lu}\\p{L}{2,30})(?!\\p{L})` +
  `|(?:رقم\\s)?\\d{1,4}\\s(?:(?:في|من)\\s)?شارع\\s\\p{L}{2,20}` +
  `|شارع\\s\\p{L}{2,20}(?:\\s\\p{L}{2,20})?،?\\s(?:رقم\\s)?\\d{1,4})`;
/** A street with a number, or a place with a number where a person lives. */
export const STREET_ADDRESS = new RegExp(
  `(?<!\\p{L})(?:${STREETS}|${LIVES}(?!\\p{L})[^.!?\\n\\d]{0,40}?(?<!\\p{L})\\p{Lu}[\\p{L}'’-]{1,30},?\\s(?!(?:19|20)\\d\\d)\\d{1,4}[A-Za-z]?(?![\\d\\p{L}])${COUNTS})`,
  'gu',
);

const DWELLS = anyCase(
  '(?:lives?|living|resides?|residing|dwells?|home address is|(?:my|his|her|their) (?:home )?address is|habit(?:e|es|ent|ons|ez)|demeur(?:e|ent)|résid(?:e|ent)|domicilié(?:e|s|es)?|(?:mon|son|leur) adresse est|woont|woon|wonen|verblijft|(?:mijn|zijn|haar|hun) adres is|wohnt|wohnen?|wohnhaft|lebt|(?:meine|seine|ihre) adresse ist|живе|живуть|живу|мешкає|мешкають|мешкаю|проживає|проживають|يسكن|تسكن|يسكنون|أسكن|يقيم|تقيم|يعيش|تعيش)',
);
/** A person, and a word that says where they are. A pronoun of the other languages may also be a counter. */
const STAYS = anyCase(
  '(?:(?:tenant|owner|landlord|landlady|applicant|claimant|neighbou?r|patient|victim|witness|woman|man|mother|father|son|daughter|wife|husband|family|parents|children|he|she) (?:is|are|was|were|stays?|sleeps?|moved|rents?)' +
    '|(?:locataire|propriétaire|bailleur|demandeur|demanderesse|voisine?|patiente?|victime|témoin|femme|homme|mère|père|fils|fille|mari|épouse|famille|parents) (?:est|sont|se trouve|logent?|loue|a emménagé|a déménagé)' +
    '|(?:huurder|huurster|eigenaar|eigenares|verhuurder|aanvrager|aanvraagster|buurman|buurvrouw|buren|patiënte?|slachtoffer|getuige|vrouw|man|moeder|vader|zoon|dochter|gezin|familie|ouders) (?:is|zijn|zit|zitten|logeert|huurt|verhuisde)' +
    '|(?:mieter|mieterin|eigentümer|eigentümerin|vermieter|vermieterin|antragsteller|antragstellerin|nachbar|nachbarin|patient|patientin|opfer|zeuge|zeugin|frau|mann|mutter|vater|sohn|tochter|familie|eltern) (?:ist|sind|befindet sich|mietet|zog)' +
    "|(?:орендар|орендарка|власник|власниця|заявник|заявниця|сусід|сусідка|пацієнт|пацієнтка|потерпілий|потерпіла|свідок|жінка|чоловік|мати|батько|син|дочка|родина|сім[’']я) (?:зараз |тепер )?(?:на|за адресою|перебуває|знаходиться|є)" +
    '|(?:المستأجرة?|المالكة?|صاحبة? (?:الطلب|البيت)|الجارة?|جاري|جارتي|المريضة?|الضحية|الشاهدة?|المرأة|الرجل|الأم|الأب|الابن|الابنة|العائلة|الأسرة) (?:موجودة? )?في)',
);
const WAY_WORDS = anyCase(
  "(?:(?:now|still|back|at|in|on|to|into|à|au|aux|dans|chez|la|le|les|l[’']|op|aan|te|de|het|naar|nu|nog|am|an|auf|der|die|das|jetzt|noch|на|за|в|у|зараз)\\s?)",
);
/** The address of a person: bodies give the addresses of offices, where nobody lives. */
export const HOME_ADDRESS = new RegExp(
  `(?<!\\p{L})(?:${DWELLS}(?!\\p{L})[^.!?;,\\n\\d]{0,25}?|${STAYS}\\s${WAY_WORDS}{0,3})(?<!\\p{L})${STREETS}`,
  'gu',
);

const PROFILE_HINT = new RegExp(`\\.(?:com|me|net)/|@|(?:${NETWORKS}|linkedin)[:\\s]`, 'i');

type TraceRule = readonly [rule: string, pattern: RegExp, hint: RegExp];
const OF_BODIES: readonly TraceRule[] = [
  ['ip_address', IP_ADDRESS, /[.:]/],
  ['number_plate', NUMBER_PLATE, /\d/],
];
const RULES: readonly TraceRule[] = [
  ...OF_BODIES,
  ['profile_link', PROFILE_LINK, PROFILE_HINT],
  ['postal_address', STREET_ADDRESS, /\d/],
];

/** Finds indirect traces of a person; they only hold. */
export function findTraces(text: string): Hit[] {
  return findAll(RULES, text);
}

function findAll(rules: readonly TraceRule[], text: string): Hit[] {
  return rules
    .flatMap((rule) => findBy(rule, text))
    .filter(({ rule, start }) => rule !== 'ip_address' || !isVersionBefore(text, start));
}

/** The traces that the body of an artefact has no reason to contain: homes, plates of cars, addresses of devices. */
export function findTracesInBody(body: string): Hit[] {
  return findAll([['postal_address', HOME_ADDRESS, /\d/], ...OF_BODIES], body);
}

/** Personal pages: the only trace that can be in a URL. */
export function findProfiles(url: string): Hit[] {
  return findBy(['profile_link', PROFILE_LINK, PROFILE_HINT], url);
}

function findBy([rule, pattern, hint]: TraceRule, text: string): Hit[] {
  if (!hint.test(text)) return [];
  return [...text.matchAll(pattern)].map(({ index, 0: match }) => ({ rule, start: index, end: index + match.length }));
}
