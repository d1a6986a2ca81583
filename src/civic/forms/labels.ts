import type { Locale } from '../config.ts';
import type { Label } from '../corpus/entries.ts';

export type Texts = Readonly<Record<Locale, string>>;

/** Texts of the form around its fields. */
export const FORM_TEXTS = {
  intro: {
    en: 'A few questions so that your assistant can guide you. Fields marked with * are required.',
    fr: 'Quelques questions pour que votre assistant puisse vous guider. Les champs marqués d’un * sont obligatoires.',
    nl: 'Enkele vragen zodat uw assistent u kan begeleiden. Velden met een * zijn verplicht.',
    de: 'Einige Fragen, damit Ihr Assistent Sie begleiten kann. Felder mit * sind Pflichtfelder.',
    ar: 'بعض الأسئلة ليتمكن مساعدك من إرشادك. الحقول المشار إليها بالعلامة * إلزامية.',
    uk: 'Кілька запитань, щоб ваш помічник міг вас супроводжувати. Поля, позначені *, є обов’язковими.',
  },
  sectionOne: {
    en: 'About you',
    fr: 'À propos de vous',
    nl: 'Over u',
    de: 'Über Sie',
    ar: 'معلومات عنك',
    uk: 'Про вас',
  },
  sectionTwo: {
    en: 'About this procedure',
    fr: 'À propos de cette démarche',
    nl: 'Over deze procedure',
    de: 'Zu diesem Verfahren',
    ar: 'معلومات عن هذا الإجراء',
    uk: 'Про цю процедуру',
  },
  consent: {
    en: 'Consent',
    fr: 'Consentement',
    nl: 'Toestemming',
    de: 'Einwilligung',
    ar: 'الموافقة',
    uk: 'Згода',
  },
  consentText: {
    en: 'By sending this form you agree that your assistant uses these answers to guide you through this procedure. Your answers stay with your assistant; they are not stored here. The texts are written by a community and are still being tested: the competent office has the last word.',
    fr: 'En envoyant ce formulaire, vous acceptez que votre assistant utilise ces réponses pour vous guider dans cette démarche. Vos réponses restent chez votre assistant ; elles ne sont pas conservées ici. Les textes sont rédigés par une communauté et encore en phase de test : l’administration compétente a le dernier mot.',
    nl: 'Door dit formulier te versturen, gaat u ermee akkoord dat uw assistent deze antwoorden gebruikt om u door deze procedure te begeleiden. Uw antwoorden blijven bij uw assistent; ze worden hier niet bewaard. De teksten zijn door een gemeenschap geschreven en worden nog getest: de bevoegde dienst heeft het laatste woord.',
    de: 'Mit dem Absenden dieses Formulars willigen Sie ein, dass Ihr Assistent diese Antworten verwendet, um Sie durch dieses Verfahren zu begleiten. Ihre Antworten bleiben bei Ihrem Assistenten; sie werden hier nicht gespeichert. Die Texte stammen von einer Gemeinschaft und werden noch erprobt: Das letzte Wort hat die zuständige Behörde.',
    ar: 'بإرسال هذا النموذج توافق على أن يستخدم مساعدك هذه الإجابات لإرشادك خلال هذا الإجراء. تبقى إجاباتك لدى مساعدك ولا تُحفظ هنا. النصوص من كتابة مجتمع من المساهمين ولا تزال قيد الاختبار: الكلمة الأخيرة للجهة المختصة.',
    uk: 'Надсилаючи цю форму, ви погоджуєтеся, що ваш помічник використає ці відповіді, щоб провести вас через цю процедуру. Ваші відповіді залишаються у вашого помічника; тут вони не зберігаються. Тексти написала спільнота, і вони ще перевіряються: останнє слово за компетентною установою.',
  },
  submit: { en: 'Send', fr: 'Envoyer', nl: 'Versturen', de: 'Absenden', ar: 'إرسال', uk: 'Надіслати' },
  choose: {
    en: 'Please choose',
    fr: 'Veuillez choisir',
    nl: 'Maak een keuze',
    de: 'Bitte wählen',
    ar: 'يرجى الاختيار',
    uk: 'Будь ласка, виберіть',
  },
  optional: {
    en: 'optional',
    fr: 'facultatif',
    nl: 'optioneel',
    de: 'freiwillig',
    ar: 'اختياري',
    uk: 'необов’язково',
  },
  yes: { en: 'Yes', fr: 'Oui', nl: 'Ja', de: 'Ja', ar: 'نعم', uk: 'Так' },
  no: { en: 'No', fr: 'Non', nl: 'Nee', de: 'Nein', ar: 'لا', uk: 'Ні' },
  multiple: {
    en: 'You can choose more than one.',
    fr: 'Plusieurs choix sont possibles.',
    nl: 'U kunt meer dan één keuze maken.',
    de: 'Mehrere Antworten sind möglich.',
    ar: 'يمكنك اختيار أكثر من إجابة.',
    uk: 'Можна вибрати кілька варіантів.',
  },
  communeHint: {
    en: 'Leave this empty if you have not arrived yet.',
    fr: 'Laissez vide si vous n’êtes pas encore arrivé.',
    nl: 'Laat dit leeg als u nog niet bent aangekomen.',
    de: 'Lassen Sie dies leer, wenn Sie noch nicht angekommen sind.',
    ar: 'اتركه فارغًا إن لم تصل بعد.',
    uk: 'Залиште порожнім, якщо ви ще не прибули.',
  },
} as const satisfies Record<string, Texts>;

/** Texts of a list whose rows are entered one by one. */
export const ROW_TEXTS = {
  add: {
    en: 'Add a row',
    fr: 'Ajouter une ligne',
    nl: 'Rij toevoegen',
    de: 'Zeile hinzufügen',
    ar: 'إضافة صف',
    uk: 'Додати рядок',
  },
  mode: {
    en: 'How would you like to give this?',
    fr: 'Comment souhaitez-vous fournir ces données ?',
    nl: 'Hoe wilt u dit doorgeven?',
    de: 'Wie möchten Sie diese Angaben machen?',
    ar: 'كيف تود تقديم هذه المعلومات؟',
    uk: 'Як ви хочете це надати?',
  },
  inline: {
    en: 'Fill it in here',
    fr: 'Remplir ici',
    nl: 'Hier invullen',
    de: 'Hier ausfüllen',
    ar: 'التعبئة هنا',
    uk: 'Заповнити тут',
  },
  folder_drop: {
    en: 'Put documents into a folder',
    fr: 'Déposer des documents dans un dossier',
    nl: 'Documenten in een map plaatsen',
    de: 'Dokumente in einen Ordner legen',
    ar: 'وضع المستندات في مجلد',
    uk: 'Покласти документи в папку',
  },
  chat: {
    en: 'Tell it in the chat',
    fr: 'L’expliquer dans la conversation',
    nl: 'In de chat vertellen',
    de: 'Im Chat erzählen',
    ar: 'ذكرها في المحادثة',
    uk: 'Розповісти в чаті',
  },
  card_type: {
    en: 'Type of card',
    fr: 'Type de carte',
    nl: 'Type kaart',
    de: 'Art der Karte',
    ar: 'نوع البطاقة',
    uk: 'Тип картки',
  },
  start_month: {
    en: 'From (month)',
    fr: 'De (mois)',
    nl: 'Van (maand)',
    de: 'Von (Monat)',
    ar: 'من (الشهر)',
    uk: 'З (місяць)',
  },
  end_month: {
    en: 'Until (month)',
    fr: 'Jusqu’à (mois)',
    nl: 'Tot (maand)',
    de: 'Bis (Monat)',
    ar: 'إلى (الشهر)',
    uk: 'До (місяць)',
  },
  current: {
    en: 'Still the case today',
    fr: 'Toujours le cas aujourd’hui',
    nl: 'Vandaag nog altijd zo',
    de: 'Gilt heute noch',
    ar: 'لا يزال ساريًا اليوم',
    uk: 'Досі так',
  },
  notes: { en: 'Notes', fr: 'Remarques', nl: 'Opmerkingen', de: 'Anmerkungen', ar: 'ملاحظات', uk: 'Примітки' },
} as const satisfies Record<string, Texts>;

/** A label in this language, else in English, else in any language. */
export function labelText(label: Label | Texts, locale: Locale): string {
  if (typeof label === 'string') return label;
  const texts: Readonly<Record<string, string>> = label;
  const text = texts[locale] ?? texts.en ?? Object.values(texts)[0] ?? '';
  // In French, two-part punctuation needs a no-break space before it.
  return locale === 'fr' ? text.replaceAll(/ (?=[?!:;])/g, '\u00a0') : text;
}
