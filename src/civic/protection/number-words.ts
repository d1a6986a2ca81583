/** What a number counts. `count` is a number without a known unit, `clock` a time of day in minutes, `date` a day. */
export type QuantityUnit =
  | 'count'
  | 'percent'
  | 'EUR'
  | 'USD'
  | 'GBP'
  | 'CHF'
  | 'UAH'
  | 'second'
  | 'minute'
  | 'hour'
  | 'day'
  | 'week'
  | 'month'
  | 'year'
  | 'clock'
  | 'date';

/** The words of each unit in the six languages; `stem*` is the beginning of a word, `*end` its end. */
export const UNIT_WORDS: Readonly<Partial<Record<QuantityUnit, string>>> = {
  percent: '% ٪ percent* procent* prozent* відсотк* відсоток بالمئه بالمايه',
  EUR: '€ eur euro euros євро يورو cent cents',
  USD: '$ usd dollar dollars доларів долари دولار',
  GBP: '£ gbp pound pounds',
  CHF: 'chf franken',
  UAH: '₴ uah гривень гривні гривня грн',
  second: 'seconds secondes seconden sekunden секунд* ثانيه ثوان*',
  minute: 'min minute minutes minuut minuten minutes хвилин* دقيقه دقايق',
  hour: 'h hour hours heure heures uur uren stunde stunden uhr годин* ساعه ساعات',
  day: 'day days jour jours journee* dag dagen tag tage tagen tages день дня дні днів днями يوم يوما ايام *werkdagen *werkdag *dagen *arbeitstage *arbeitstagen werktag* *kalendertage* workday* weekday*',
  week: 'week weeks semaine semaines weken woche wochen тиждень тижн* اسبوع اسبوعا اسابيع',
  month: 'month months mois maand maanden monat monate monaten monats місяц* شهر شهرا اشهر شهور',
  year: 'year years an ans annee annees jaar jaren jahr jahre jahren jahres рік роки років року سنه سنوات عام عاما اعوام',
};

/** Words that are a number and a unit at once. */
export const DUAL_WORDS: Readonly<Partial<Record<QuantityUnit, string>>> = {
  hour: 'ساعتان ساعتين',
  day: 'يومان يومين',
  week: 'اسبوعان اسبوعين fortnight',
  month: 'شهران شهرين',
  year: 'سنتان سنتين عامان عامين',
};

/** Numbers as words. Each list begins with its number. */
export const NUMBER_WORDS: readonly (readonly [value: number, words: string])[] = [
  [0.5, 'half demi demie halve halbe halbes пів половину نصف'],
  [2, 'two twice deux twee zwei два дві двох двома اثنان اثنين اثنتان اثنتين'],
  [3, 'three thrice trois drie drei три трьох трьома ثلاث ثلاثه'],
  [4, 'four quatre vier чотири чотирьох اربع اربعه'],
  [5, 'five cinq vijf funf пять пяти خمس خمسه'],
  [6, 'six zes sechs шість шести ست سته'],
  [7, 'seven sept zeven sieben сім семи سبع سبعه'],
  [8, 'eight huit acht вісім восьми ثمان ثماني ثمانيه'],
  [9, 'nine neuf negen neun девять девяти تسع تسعه'],
  [10, 'ten dix tien zehn десять десяти عشر عشره'],
  [11, 'eleven onze elf одинадцять'],
  [12, 'twelve dozen douze twaalf zwolf дванадцять'],
  [13, 'thirteen treize dertien dreizehn'],
  [14, 'fourteen quatorze veertien vierzehn чотирнадцять'],
  [15, 'fifteen quinze quinzaine vijftien funfzehn пятнадцять'],
  [16, 'sixteen seize zestien sechzehn'],
  [18, 'eighteen achttien achtzehn вісімнадцять'],
  [20, 'twenty vingt twintig zwanzig двадцять двадцяти عشرون عشرين'],
  [30, 'thirty trente trentaine dertig dreissig dreißig тридцять тридцяти ثلاثون ثلاثين'],
  [40, 'forty quarante veertig vierzig сорок اربعون اربعين'],
  [50, 'fifty cinquante vijftig funfzig пятдесят خمسون خمسين'],
  [60, 'sixty soixante zestig sechzig шістдесят ستون ستين'],
  [70, 'seventy septante zeventig siebzig сімдесят سبعون سبعين'],
  [80, 'eighty tachtig achtzig вісімдесят ثمانون ثمانين'],
  [90, 'ninety nonante negentig neunzig девяносто تسعون تسعين'],
  [100, 'hundred cent honderd hundert сто مئه مايه'],
  [1000, 'thousand mille duizend tausend тисяча тисячі тисяч الف الاف'],
  [1_000_000, 'million millions miljoen millionen мільйон мільйонів مليون'],
];

/** Words for one that are articles too: they count only before a unit. */
export const ONE_WORDS = 'one un une een één ein eine einem einen eines einer один одна одного одному واحد واحده';

/** The English articles count only before an English unit: `mise à jour` names no day, and `а` is `and` in Ukrainian. */
export const ENGLISH_ARTICLES = 'a an';
export const ENGLISH_UNITS = 'second minute hour day workday weekday week month year euro dollar pound percent';

/** Words between a number and its unit. */
export const BETWEEN_WORDS =
  'full whole working business calendar consecutive clear successive more volle volledige opeenvolgende aufeinanderfolgende ganze weitere plein pleins pleines bons bonnes робочих календарних повних банківських повні';

/** Words that make an amount one of many: `20 EUR per page`. Those of the second list say of what themselves. */
export const EACH_WORDS =
  'per each every apiece par chaque je jede jeder jedes jeden pro elke elk iedere ieder кожен кожна кожну кожного кожний لكل كل';
export const EACH_TIME_WORDS =
  'daily weekly monthly yearly annually hourly quotidien* hebdomadaire* mensuel* annuel* dagelijks wekelijks maandelijks jaarlijks taglich wochentlich monatlich jahrlich щодня щотижня щомісяця щороку щотижнево щомісячно يوميا اسبوعيا شهريا سنويا';
/** The same as phrases of an article or preposition and a noun. */
export const EACH_PHRASES =
  'a_page a_sheet a_copy a_person a_head a_time a_visit a_form a_document la_page la_feuille la_copie la_semaine die_seite die_woche im_monat im_jahr за_сторінку за_аркуш за_копію за_день за_добу за_тиждень за_місяць за_рік за_годину за_особу на_день на_тиждень на_місяць на_рік في_اليوم في_الاسبوع في_الشهر في_السنه';
/** Those that may also stand some words before the amount: `for each page a fee of 20 EUR`. */
export const EACH_BEFORE_WORDS = 'per each every chaque pro elke iedere кожен кожна кожну кожного кожний لكل';
/** Words between an amount and such a word. */
export const BEFORE_EACH_WORDS = 'for pour voor fur за عن and et en und';
/** Ways to pay or send, which `per` and `par` name too, and `je nach`. */
export const WAYS_WORDS =
  'carte kaart bankkaart karte bancontact virement overschrijving overboeking uberweisung lastschrift transfer bank post poste brief mail email e telephone telefon cheque scheck internet nach';
