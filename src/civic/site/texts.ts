import type { Locale, Status } from '../config.ts';

type Texts = Readonly<Record<Locale, string>>;

/** In the order of `LOCALES`. */
function of(...[en, fr, nl, de, ar, uk]: [string, string, string, string, string, string]): Texts {
  return { en, fr, nl, de, ar, uk };
}

/** Each language's own name. */
export const LANGUAGE_NAMES: Texts = of('English', 'Français', 'Nederlands', 'Deutsch', 'العربية', 'Українська');

/** Texts of the site around the corpus. */
export const SITE_TEXTS = {
  skills: of('Procedures', 'Démarches', 'Procedures', 'Verfahren', 'الإجراءات', 'Процедури'),
  paths: of(
    'Ways to an office',
    'Accès aux services',
    'Wegen naar een dienst',
    'Wege zum Amt',
    'طرق الوصول إلى الجهات',
    'Шляхи до установ',
  ),
  values: of('Values', 'Valeurs', 'Waarden', 'Werte', 'القيم', 'Значення'),
  references: of('References', 'Références', 'Bronnen', 'Quellen', 'المراجع', 'Джерела'),
  graph: of('Graph', 'Graphe', 'Graaf', 'Graph', 'المخطط', 'Граф'),
  changes: of(
    'Recent changes',
    'Modifications récentes',
    'Recente wijzigingen',
    'Letzte Änderungen',
    'أحدث التغييرات',
    'Останні зміни',
  ),
  search: of('Search', 'Rechercher', 'Zoeken', 'Suchen', 'بحث', 'Пошук'),
  principles: of('Principles', 'Principes', 'Principes', 'Grundsätze', 'المبادئ', 'Принципи'),
  policy: of('Policy', 'Règles', 'Beleid', 'Regeln', 'السياسة', 'Правила'),
  language: of('Language', 'Langue', 'Taal', 'Sprache', 'اللغة', 'Мова'),
  menu: of('Pages', 'Pages', 'Pagina’s', 'Seiten', 'الصفحات', 'Сторінки'),
  skip: of(
    'Skip to the text',
    'Aller au texte',
    'Naar de tekst',
    'Zum Text springen',
    'انتقل إلى النص',
    'Перейти до тексту',
  ),
  status: of('Status', 'Statut', 'Status', 'Status', 'الحالة', 'Статус'),
  version: of('Version', 'Version', 'Versie', 'Version', 'الإصدار', 'Версія'),
  verified: of(
    'Last verified',
    'Dernière vérification',
    'Laatst nagekeken',
    'Zuletzt geprüft',
    'آخر تحقق',
    'Востаннє перевірено',
  ),
  never: of('not recorded', 'non indiquée', 'niet vermeld', 'nicht vermerkt', 'غير مسجل', 'не вказано'),
  category: of('Category', 'Catégorie', 'Categorie', 'Kategorie', 'الفئة', 'Категорія'),
  origin: of('Origin', 'Origine', 'Oorsprong', 'Herkunft', 'المصدر الأصلي', 'Походження'),
  appliesTo: of('Applies to', 'S’applique à', 'Geldt voor', 'Gilt für', 'ينطبق على', 'Стосується'),
  requires: of(
    'Do this first',
    'À faire d’abord',
    'Doe dit eerst',
    'Vorher erledigen',
    'قم بهذا أولاً',
    'Спершу зробіть це',
  ),
  requiredBy: of('Needed for', 'Nécessaire pour', 'Nodig voor', 'Nötig für', 'مطلوب من أجل', 'Потрібно для'),
  citations: of('Citations', 'Citations', 'Verwijzingen', 'Belege', 'الاستشهادات', 'Посилання'),
  archived: of(
    'archived copy',
    'copie archivée',
    'gearchiveerde kopie',
    'archivierte Kopie',
    'نسخة محفوظة',
    'архівна копія',
  ),
  dead: of(
    'this page is gone',
    'cette page a disparu',
    'deze pagina is weg',
    'diese Seite ist weg',
    'لم تعد هذه الصفحة موجودة',
    'цієї сторінки вже немає',
  ),
  sources: of('Sources', 'Sources', 'Bronnen', 'Zugänge', 'المصادر', 'Джерела'),
  purpose: of('Purpose', 'But', 'Doel', 'Zweck', 'الغرض', 'Мета'),
  notChecked: of(
    'not checked yet',
    'pas encore vérifié',
    'nog niet gecontroleerd',
    'noch nicht geprüft',
    'لم يتم التحقق بعد',
    'ще не перевірено',
  ),
  health: of('Health', 'État', 'Toestand', 'Zustand', 'الحالة الفنية', 'Стан'),
  usedIn: of('Used in', 'Utilisé dans', 'Gebruikt in', 'Verwendet in', 'مستخدم في', 'Використано в'),
  name: of('Name', 'Nom', 'Naam', 'Name', 'الاسم', 'Назва'),
  value: of('Value', 'Valeur', 'Waarde', 'Wert', 'القيمة', 'Значення'),
  history: of('History', 'Historique', 'Geschiedenis', 'Verlauf', 'السجل', 'Історія'),
  noHistory: of(
    'No history is kept here.',
    'Aucun historique n’est conservé ici.',
    'Hier wordt geen geschiedenis bewaard.',
    'Hier wird kein Verlauf geführt.',
    'لا يُحفظ أي سجل هنا.',
    'Історія тут не ведеться.',
  ),
  erasedChange: of(
    'The text of this change was erased.',
    'Le texte de cette modification a été effacé.',
    'De tekst van deze wijziging is gewist.',
    'Der Text dieser Änderung wurde gelöscht.',
    'حُذف نص هذا التغيير.',
    'Текст цієї зміни видалено.',
  ),
  feed: of('Feed', 'Flux', 'Feed', 'Feed', 'تغذية', 'Стрічка'),
  markdown: of(
    'Text for agents (Markdown)',
    'Texte pour agents (Markdown)',
    'Tekst voor agents (Markdown)',
    'Text für Agenten (Markdown)',
    'النص للوكلاء (Markdown)',
    'Текст для агентів (Markdown)',
  ),
  searchFor: of(
    'What do you want to do?',
    'Que voulez-vous faire ?',
    'Wat wilt u doen?',
    'Was möchten Sie tun?',
    'ماذا تريد أن تفعل؟',
    'Що ви хочете зробити?',
  ),
  found: of('found', 'trouvés', 'gevonden', 'gefunden', 'نتيجة', 'знайдено'),
  nothing: of(
    'Nothing has all of these words. Try fewer.',
    'Rien ne contient tous ces mots. Essayez-en moins.',
    'Niets bevat al deze woorden. Probeer er minder.',
    'Nichts enthält alle diese Wörter. Versuchen Sie weniger.',
    'لا شيء يحتوي على كل هذه الكلمات. جرّب كلمات أقل.',
    'Ніщо не містить усіх цих слів. Спробуйте менше.',
  ),
  intro: of(
    'Texts about public procedures, written by a community, checked by use, each with its sources. The competent office has the last word.',
    'Des textes sur les démarches publiques, écrits par une communauté, vérifiés à l’usage, chacun avec ses sources. L’administration compétente a le dernier mot.',
    'Teksten over overheidsprocedures, geschreven door een gemeenschap, nagekeken in gebruik, elk met zijn bronnen. De bevoegde dienst heeft het laatste woord.',
    'Texte über öffentliche Verfahren, von einer Gemeinschaft geschrieben, im Gebrauch geprüft, jeder mit seinen Quellen. Das letzte Wort hat die zuständige Behörde.',
    'نصوص عن الإجراءات العامة، يكتبها مجتمع من المساهمين، وتُختبر بالاستعمال، ولكل منها مصادره. الكلمة الأخيرة للجهة المختصة.',
    'Тексти про публічні процедури, написані спільнотою, перевірені на практиці, кожен із джерелами. Останнє слово за компетентною установою.',
  ),
  risk: of('Caution', 'Attention', 'Let op', 'Vorsicht', 'تنبيه', 'Увага'),
  providers: of('Providers', 'Prestataires', 'Aanbieders', 'Anbieter', 'مقدمو الخدمات', 'Постачальники'),
  concerns: of(
    'Open concerns',
    'Signalements ouverts',
    'Open meldingen',
    'Offene Hinweise',
    'ملاحظات مفتوحة',
    'Відкриті зауваження',
  ),
  steps: of('Process', 'Étapes', 'Stappen', 'Ablauf', 'الخطوات', 'Кроки'),
  moreLines: of('more lines', 'lignes de plus', 'regels meer', 'weitere Zeilen', 'أسطر أخرى', 'ще рядків'),
  states: of(
    'States and votes',
    'Statuts et votes',
    'Statussen en stemmen',
    'Zustände und Stimmen',
    'الحالات والأصوات',
    'Стани та голоси',
  ),
  fields: of(
    'What a submission may change',
    'Ce qu’une contribution peut modifier',
    'Wat een bijdrage mag wijzigen',
    'Was ein Beitrag ändern darf',
    'ما الذي يمكن أن تغيّره المساهمة',
    'Що може змінити внесок',
  ),
  needs: of('Needs', 'Demande', 'Vereist', 'Braucht', 'يتطلب', 'Потребує'),
} as const satisfies Record<string, Texts>;

export type TextName = keyof typeof SITE_TEXTS;

/** What a state means to a reader; each has a sign, so that colour is not the only clue. */
export const STATUS_WORDS: Readonly<
  Partial<Record<Status, { readonly sign: string; readonly name: Texts; readonly word: Texts }>>
> = {
  alpha: {
    sign: '○',
    name: of('alpha', 'alpha', 'alfa', 'Alpha', 'ألفا', 'альфа'),
    word: of(
      'new, not yet confirmed',
      'nouveau, pas encore confirmé',
      'nieuw, nog niet bevestigd',
      'neu, noch nicht bestätigt',
      'جديد، لم يؤكَّد بعد',
      'нове, ще не підтверджене',
    ),
  },
  beta: {
    sign: '◑',
    name: of('beta', 'bêta', 'bèta', 'Beta', 'بيتا', 'бета'),
    word: of(
      'confirmed by some',
      'confirmé par quelques-uns',
      'door enkelen bevestigd',
      'von einigen bestätigt',
      'أكّده البعض',
      'підтверджене кількома',
    ),
  },
  stable: {
    sign: '●',
    name: of('stable', 'stable', 'stabiel', 'stabil', 'مستقر', 'стабільне'),
    word: of(
      'confirmed by many',
      'confirmé par beaucoup',
      'door velen bevestigd',
      'von vielen bestätigt',
      'أكّده كثيرون',
      'підтверджене багатьма',
    ),
  },
};

const ORIGINS: Readonly<Record<string, Texts>> = {
  community: of('community', 'communauté', 'gemeenschap', 'Gemeinschaft', 'المجتمع', 'спільнота'),
  official: of('official', 'officielle', 'officieel', 'amtlich', 'رسمي', 'офіційне'),
};

/** Where a text comes from, in the language of the page; an unknown word stays. */
export function originWord(locale: Locale, origin: string): string {
  return Object.hasOwn(ORIGINS, origin) ? (ORIGINS[origin] as Texts)[locale] : origin;
}

/** Why, and how far, the corpus can be trusted. */
export const PRINCIPLES: readonly Texts[] = [
  of(
    'Every statement has a source that you can open.',
    'Chaque affirmation a une source que vous pouvez ouvrir.',
    'Elke bewering heeft een bron die u kunt openen.',
    'Jede Aussage hat eine Quelle, die Sie öffnen können.',
    'لكل معلومة مصدر يمكنك فتحه.',
    'Кожне твердження має джерело, яке можна відкрити.',
  ),
  of(
    'Whoever contributes stays unknown: no login, no name, no address is kept.',
    'Qui contribue reste inconnu : ni compte, ni nom, ni adresse ne sont conservés.',
    'Wie bijdraagt, blijft onbekend: geen account, naam of adres wordt bewaard.',
    'Wer beiträgt, bleibt unbekannt: kein Konto, kein Name, keine Adresse wird gespeichert.',
    'يبقى المساهم مجهولاً: لا حساب ولا اسم ولا عنوان يُحفظ.',
    'Хто робить внесок, лишається невідомим: жодних акаунтів, імен чи адрес.',
  ),
  of(
    'Trust grows by use: a text moves up when others confirm it, and down when they do not.',
    'La confiance naît de l’usage : un texte monte quand d’autres le confirment, et descend sinon.',
    'Vertrouwen groeit door gebruik: een tekst stijgt als anderen hem bevestigen, en daalt als dat niet zo is.',
    'Vertrauen wächst durch Gebrauch: Ein Text steigt auf, wenn andere ihn bestätigen, und sinkt, wenn nicht.',
    'تنمو الثقة بالاستعمال: يرتقي النص حين يؤكده الآخرون، ويتراجع حين لا يؤكدونه.',
    'Довіра зростає з використанням: текст підвищується, коли інші його підтверджують, і знижується, коли ні.',
  ),
  of(
    'What could harm people takes effect only after a second look.',
    'Ce qui pourrait nuire ne prend effet qu’après un second regard.',
    'Wat mensen kan schaden, gaat pas in na een tweede blik.',
    'Was Menschen schaden könnte, wirkt erst nach einem zweiten Blick.',
    'ما قد يضر الناس لا يسري إلا بعد مراجعة ثانية.',
    'Те, що може зашкодити людям, набуває чинності лише після повторної перевірки.',
  ),
  of(
    'Every change is public, has its reason, and can be undone.',
    'Chaque modification est publique, motivée et réversible.',
    'Elke wijziging is openbaar, heeft een reden en kan ongedaan worden gemaakt.',
    'Jede Änderung ist öffentlich, begründet und umkehrbar.',
    'كل تغيير علني ومعلل ويمكن التراجع عنه.',
    'Кожна зміна публічна, обґрунтована та оборотна.',
  ),
  of(
    'Nobody pays for a place in a text.',
    'Personne ne paie pour figurer dans un texte.',
    'Niemand betaalt voor een plaats in een tekst.',
    'Niemand bezahlt für einen Platz in einem Text.',
    'لا أحد يدفع مقابل مكان في نص.',
    'Ніхто не платить за місце в тексті.',
  ),
];
