import type { Texts } from './labels.ts';

export interface Choice {
  readonly value: string;
  readonly label: Texts;
}

export interface ProfileField {
  readonly name: string;
  readonly label: Texts;
  readonly required: boolean;
  /** Undefined: free text. */
  readonly choices?: readonly Choice[];
}

const choice = (value: string, en: string, fr: string, nl: string, de: string, ar: string, uk: string): Choice => ({
  value,
  label: { en, fr, nl, de, ar, uk },
});
const label = (en: string, fr: string, nl: string, de: string, ar: string, uk: string): Texts => ({
  en,
  fr,
  nl,
  de,
  ar,
  uk,
});

export const NOT_YET_ARRIVED = 'not_yet_arrived';

const ADMIN_LANGUAGES: readonly Choice[] = [
  choice('fr', 'French', 'Français', 'Frans', 'Französisch', 'الفرنسية', 'Французька'),
  choice('nl', 'Dutch', 'Néerlandais', 'Nederlands', 'Niederländisch', 'الهولندية', 'Нідерландська'),
  choice('de', 'German', 'Allemand', 'Duits', 'Deutsch', 'الألمانية', 'Німецька'),
];

const LANGUAGES_BY_REGION: Readonly<Record<string, readonly string[]>> = {
  brussels: ['fr', 'nl'],
  flanders: ['nl'],
  wallonia: ['fr'],
  'german-speaking': ['de', 'fr'],
};

/** The working languages of a region's offices, in order; all languages if the region is unknown. */
export function adminLanguages(region: string | undefined): readonly Choice[] {
  const values =
    region !== undefined && Object.hasOwn(LANGUAGES_BY_REGION, region) ? LANGUAGES_BY_REGION[region] : undefined;
  if (!values) return ADMIN_LANGUAGES;
  return values.flatMap((value) => ADMIN_LANGUAGES.find((candidate) => candidate.value === value) ?? []);
}

/** The nine questions about the person, asked once. The closed answers identify no person. */
export const SECTION_ONE: readonly ProfileField[] = [
  {
    name: 'region',
    required: true,
    label: label('Region', 'Région', 'Gewest', 'Region', 'الإقليم', 'Регіон'),
    choices: [
      choice('brussels', 'Brussels', 'Bruxelles', 'Brussel', 'Brüssel', 'بروكسل', 'Брюссель'),
      choice('flanders', 'Flanders', 'Flandre', 'Vlaanderen', 'Flandern', 'فلاندرز', 'Фландрія'),
      choice('wallonia', 'Wallonia', 'Wallonie', 'Wallonië', 'Wallonien', 'والونيا', 'Валлонія'),
      choice(
        'german-speaking',
        'German-speaking Community',
        'Communauté germanophone',
        'Duitstalige Gemeenschap',
        'Deutschsprachige Gemeinschaft',
        'المجموعة الناطقة بالألمانية',
        'Німецькомовна спільнота',
      ),
      choice(
        NOT_YET_ARRIVED,
        'Not arrived yet',
        'Pas encore arrivé',
        'Nog niet aangekomen',
        'Noch nicht angekommen',
        'لم أصل بعد',
        'Ще не прибув / не прибула',
      ),
    ],
  },
  {
    name: 'commune',
    required: false,
    label: label('Commune', 'Commune', 'Gemeente', 'Gemeinde', 'البلدية', 'Комуна'),
  },
  {
    name: 'civil_status',
    required: true,
    label: label('Civil status', 'État civil', 'Burgerlijke staat', 'Familienstand', 'الحالة المدنية', 'Сімейний стан'),
    choices: [
      choice('single', 'Single', 'Célibataire', 'Ongehuwd', 'Ledig', 'أعزب / عزباء', 'Неодружений / незаміжня'),
      choice('married', 'Married', 'Marié(e)', 'Gehuwd', 'Verheiratet', 'متزوج(ة)', 'Одружений / заміжня'),
      choice(
        'legal_cohabitation',
        'Legally cohabiting',
        'Cohabitant(e) légal(e)',
        'Wettelijk samenwonend',
        'Gesetzlich zusammenwohnend',
        'مساكنة قانونية',
        'Офіційне спільне проживання',
      ),
      choice('divorced', 'Divorced', 'Divorcé(e)', 'Gescheiden', 'Geschieden', 'مطلق(ة)', 'Розлучений / розлучена'),
      choice('widowed', 'Widowed', 'Veuf / veuve', 'Verweduwd', 'Verwitwet', 'أرمل(ة)', 'Вдівець / вдова'),
    ],
  },
  {
    name: 'nationality_situation',
    required: true,
    label: label(
      'Nationality and residence',
      'Nationalité et séjour',
      'Nationaliteit en verblijf',
      'Staatsangehörigkeit und Aufenthalt',
      'الجنسية والإقامة',
      'Громадянство та проживання',
    ),
    choices: [
      choice(
        'eu_citizen',
        'Citizen of an EU country',
        'Citoyen(ne) d’un pays de l’UE',
        'Burger van een EU-land',
        'Bürger(in) eines EU-Landes',
        'مواطن(ة) من دولة في الاتحاد الأوروبي',
        'Громадянин / громадянка країни ЄС',
      ),
      choice(
        'non_eu_with_card',
        'From outside the EU, with a residence card',
        'Hors UE, avec un titre de séjour',
        'Van buiten de EU, met verblijfskaart',
        'Von außerhalb der EU, mit Aufenthaltskarte',
        'من خارج الاتحاد الأوروبي، مع بطاقة إقامة',
        'З-поза меж ЄС, з карткою на проживання',
      ),
      choice(
        'non_eu_no_card',
        'From outside the EU, without a residence card',
        'Hors UE, sans titre de séjour',
        'Van buiten de EU, zonder verblijfskaart',
        'Von außerhalb der EU, ohne Aufenthaltskarte',
        'من خارج الاتحاد الأوروبي، بدون بطاقة إقامة',
        'З-поза меж ЄС, без картки на проживання',
      ),
      choice('not_sure', 'Not sure', 'Je ne sais pas', 'Weet ik niet', 'Ich weiß es nicht', 'لست متأكدًا', 'Не знаю'),
    ],
  },
  {
    name: 'conversation_language',
    required: true,
    label: label(
      'Language in which you want to talk',
      'Langue dans laquelle vous voulez échanger',
      'Taal waarin u wilt praten',
      'Sprache, in der Sie sprechen möchten',
      'اللغة التي تريد التحدث بها',
      'Мова, якою ви хочете спілкуватися',
    ),
  },
  {
    name: 'admin_language',
    required: true,
    label: label(
      'Language for letters to the authorities',
      'Langue des courriers à l’administration',
      'Taal voor brieven aan de overheid',
      'Sprache für Schreiben an die Behörden',
      'لغة المراسلات مع الإدارات',
      'Мова листів до установ',
    ),
    choices: ADMIN_LANGUAGES,
  },
  {
    name: 'preferred_name',
    required: false,
    label: label(
      'How should you be addressed?',
      'Comment souhaitez-vous être appelé ?',
      'Hoe wilt u aangesproken worden?',
      'Wie möchten Sie angesprochen werden?',
      'كيف تحب أن نخاطبك؟',
      'Як до вас звертатися?',
    ),
  },
  {
    name: 'has_id_card',
    required: true,
    label: label(
      'Do you have an identity card of this country?',
      'Avez-vous une carte d’identité de ce pays ?',
      'Hebt u een identiteitskaart van dit land?',
      'Haben Sie einen Personalausweis dieses Landes?',
      'هل لديك بطاقة هوية من هذا البلد؟',
      'Чи маєте ви посвідчення особи цієї країни?',
    ),
    choices: [
      choice('yes', 'Yes', 'Oui', 'Ja', 'Ja', 'نعم', 'Так'),
      choice('no', 'No', 'Non', 'Nee', 'Nein', 'لا', 'Ні'),
      choice('not_sure', 'Not sure', 'Je ne sais pas', 'Weet ik niet', 'Ich weiß es nicht', 'لست متأكدًا', 'Не знаю'),
    ],
  },
  {
    name: 'browser_driving_preference',
    required: true,
    label: label(
      'May your assistant use the browser for you?',
      'Votre assistant peut-il utiliser le navigateur pour vous ?',
      'Mag uw assistent de browser voor u bedienen?',
      'Darf Ihr Assistent den Browser für Sie bedienen?',
      'هل يمكن لمساعدك استخدام المتصفح نيابةً عنك؟',
      'Чи може ваш помічник користуватися браузером за вас?',
    ),
    choices: [
      choice('drive-by-default', 'Yes', 'Oui', 'Ja', 'Ja', 'نعم', 'Так'),
      choice(
        'ask-each-time',
        'Ask me each time',
        'Me demander à chaque fois',
        'Vraag het mij telkens',
        'Jedes Mal fragen',
        'اسألني في كل مرة',
        'Питати щоразу',
      ),
      choice('never-drive', 'Never', 'Jamais', 'Nooit', 'Nie', 'أبدًا', 'Ніколи'),
    ],
  },
];
