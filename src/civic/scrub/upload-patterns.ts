import type { InjectionPattern } from './injection-patterns.ts';

const W = '(?<![\\p{L}\\p{N}_])';
const E = '(?![\\p{L}\\p{N}_])';
/** Within one sentence. */
const NEAR = '[^.!?\\n]{0,50}?';
/** Within one clause. */
const CLAUSE = '[^.!?;:\\n]{0,50}?';
/** An order begins with its verb: after another word the same form is a noun, or says what an office does. */
const FIRST = '(?<!\\p{L}\\s)';

/** Channels that lead to a stranger instead of a counter or portal. */
const CHANNELS =
  'e-?mail|mail|courriel|whatsapp|viber|telegram|signal|messenger|discord|drive|dropbox|cloud|wetransfer|pastebin|chat|link|lien|https?:|www\\.|електронн|пошт|месенджер|вайбер|телеграм|посилання|(?:ال)?بريد|واتساب|تلغرام|تليجرام|(?:ال)?رابط';

interface Words {
  readonly hints: string;
  /** Verbs for handing over. */
  readonly verbs: string;
  /** Personal documents and data. */
  readonly papers: string;
  /** The person that the agent works for. */
  readonly owners: string;
  /** The agent itself. */
  readonly agents: string;
  /** The conversation with the agent: no procedure asks for it. */
  readonly talks: string;
  /** Handing over through such a channel. */
  readonly messages?: string;
  /** Verbs that send something away: who attaches or submits a paper may do so at a counter. */
  readonly sends: string;
  /** Papers that prove who somebody is or what they own. */
  readonly proofs: string;
  /** Papers of any kind, if they are to be sent to the writer. */
  readonly files: string;
  /** The writer as the recipient. */
  readonly writer: string;
  /** Verbs that follow the paper. */
  readonly sent?: string;
}

const LANGUAGES: readonly Words[] = [
  {
    hints: 'upload|send|post|mail|forward|share|transmit|attach|submit|paste|whatsapp|telegram|text|dm',
    verbs: '(?:re)?(?:upload|send|post|e-?mail|mail|forward|share|transmit|attach|submit|paste)',
    papers:
      'passports?|identity (?:cards?|documents?|papers)|id cards?|(?:your|their|his|her) ids?|residence (?:cards?|permits?)|driving licen[cs]es?|(?:bank|credit|debit) cards?|bank (?:statements?|details)|payslips?|pay slips?|medical (?:records?|files?)|tax returns?|passwords?|passcodes?|pins?|pin codes?|credentials|selfies?|personal (?:data|details|documents?|files?|information)|(?:your|their|his|her|the) (?:documents|papers|data|files)|conversations?|chat histor(?:y|ies)|profile',
    owners:
      "of (?:your|the|this) (?:users?|persons?|clients?|customers?|humans?|owner)|(?:users?|clients?|customers?|persons?|human)['’]s?",
    agents: 'agents?|assistants?|ais?|bots?|chatbots?|language models?',
    talks: 'conversations?|chat (?:histor(?:y|ies)|logs?)|system prompt|prompts?',
    messages: 'e-?mail|whatsapp|telegram|text|dm',
    sends: `(?:re)?(?:upload|send|forward|transmit|share)|${FIRST}(?:e-?)?mail`,
    proofs:
      'passports?|identity (?:cards?|documents?|papers)|id cards?|(?:your|their|his|her) ids?|residence (?:cards?|permits?)|driving licen[cs]es?|bank (?:cards?|statements?)|payslips?|pay slips?|medical (?:records?|files?)|tax returns?',
    files: '(?:your|their|his|her|the) (?:documents?|papers?|files?|cards?|contracts?|letters?)|papers',
    writer: 'me|us',
  },
  {
    hints: 'envoie|envoyez|envoyer|téléverse|transmet|partage|joins|joignez|poste|transf',
    verbs:
      'envoie[zs]?|envoyez|envoyer|téléverse[zr]?|transmets|transmettez|transmettre|partage[zr]?|joins|joignez|poste[zr]?|transfère[zr]?|transférez',
    papers:
      "passeports?|cartes? d[’']identité|pièces? d[’']identité|titres? de séjour|permis de conduire|cartes? (?:bancaires?|de banque|de crédit)|relevés? (?:bancaires?|de compte)|fiches? de (?:paie|salaire)|mots? de passe|codes? (?:pin|secrets?)|identifiants|selfies?|données(?: personnelles)?|documents personnels|conversations?|historique",
    owners:
      "de (?:l[’']|votre |ton |vos )(?:utilisateurs?|usagers?|clients?|personne)|de la personne|de l[’'](?:utilisateur|usager)",
    agents: 'agents?|assistants?|ia|robots?|modèle(?: de langage)?',
    talks: 'conversations?|historique de (?:la )?discussion|prompt',
    sends: `envoyez|envoyer|téléverse[zr]|transmettez|transmettre|partage[zr]|transfére[zr]|${FIRST}(?:envoies?|téléverse|transmets|partage|transfère)`,
    proofs:
      "passeports?|cartes? d[’']identité|pièces? d[’']identité|papiers? d[’']identité|titres? de séjour|permis de conduire|cartes? (?:bancaires?|de banque)|relevés? (?:bancaires?|de compte)|fiches? de (?:paie|salaire)",
    files: '(?:vos|votre|tes|ton|ses|leurs|les) (?:documents?|papiers|dossiers?|cartes?|contrats?|lettres?)',
    writer: 'moi|nous',
  },
  {
    hints: 'stuur|sturen|zend|upload|opladen|op te laden|mail|deel|verstuur|bezorg|post|voeg|app',
    verbs: 'stuur|verstuur|doorstuur|zend|verzend|upload|mail|deel|bezorg|post|voeg',
    papers:
      'paspoort(?:en)?|identiteits(?:kaart|kaarten|bewijs)|verblijfs(?:kaart|titel|vergunning)|rijbewij(?:s|zen)|bankkaart(?:en)?|kredietkaart|rekeninguittreksels?|loonfiches?|loonstrook|loonbrie(?:f|ven)|wachtwoord(?:en)?|pincodes?|inloggegevens|selfies?|persoonlijke (?:gegevens|documenten)|persoonsgegevens|gegevens|gesprek(?:ken)?|chatgeschiedenis',
    owners: 'van (?:de|je|jouw|uw) (?:gebruikers?|klant(?:en)?|persoon|cliënt)',
    agents: 'agent(?:en)?|assistent(?:en)?|ai|bots?|taalmodel',
    talks: 'gesprek(?:ken)?|chatgeschiedenis|prompt',
    messages: 'mail|e-?mail|whatsapp|app',
    sends: `stuur|verstuur|doorstuur|zend|verzend|upload|${FIRST}(?:mail|deel)`,
    proofs:
      'paspoort(?:en)?|identiteits(?:kaart|kaarten|bewijs|bewijzen|papieren)|verblijfs(?:kaart|titel|vergunning)|rijbewij(?:s|zen)|bankkaart(?:en)?|rekeninguittreksels?|loonfiches?|loonstrook|loonbrie(?:f|ven)',
    files: '(?:je|jouw|uw|de|hun|zijn|haar) (?:documenten|papieren|bestanden|kaart|contract|brief)',
    writer: 'me|mij|ons',
    sent: '(?:te|op te|door te) sturen|(?:te )?uploaden|op te laden|te mailen|door te mailen',
  },
  {
    hints: 'sende|schick|lade|übermittl|übermittel|mail|teile|poste|leite|hänge',
    verbs: 'sende[nt]?|schicken?|schick|laden?|übermittle|übermitteln|maile?n?|teilen?|posten?|leiten?|hängen?',
    papers:
      '(?:reise)?p(?:ass|ässe)(?:es)?|(?:personal)?ausweis(?:es|e)?|aufenthalts(?:titel|karte)|führerschein(?:s|e)?|(?:bank|kredit)karten?|kontoausz(?:ug|üge|ugs)|gehaltsabrechnung(?:en)?|passw(?:ort|örter|orts)|pin|zugangsdaten|selfies?|persönlichen? (?:daten|unterlagen|dokumente)|(?:personen|nutzer|benutzer)?daten|gespräche?s?|chatverlauf',
    owners: '(?:des|deines|ihres|eures) (?:be)?nutzers|(?:des|deines|ihres) (?:kunden|klienten|anwenders)|der person',
    agents: 'agent(?:en)?|assistent(?:en)?|ki|bots?|sprachmodell',
    talks: 'gespräche?s?|chatverlaufs?|prompt',
    messages: 'mailen?|maile|whatsappen?|simsen?',
    sends: 'sende[nt]?|schicken?|schick|laden?|übermittle|übermitteln|maile?n?',
    proofs:
      '(?:reise)?p(?:ass|ässe)(?:es)?|(?:personal)?ausweis(?:es|e)?|ausweispapiere|aufenthalts(?:titel|karte)|führerschein(?:s|e)?|bankkarten?|kontoausz(?:ug|üge|ugs)|gehaltsabrechnung(?:en)?',
    files: '(?:ihre?n?|deine?n?|die|eure) (?:dokumente|papiere|unterlagen|dateien|karte|vertrag|brief)',
    writer: 'mir|uns',
    sent: '(?:hochzu|hoch)laden|zu (?:schicken|senden|übermitteln|mailen)|zuzu(?:schicken|senden)|ein(?:zu)?(?:schicken|senden)',
  },
  {
    hints: 'надішл|надісл|надсила|відправ|завантаж|перешл|поділ|скинь|пошли',
    verbs:
      'надішл(?:и|іть)|надсилай(?:те)?|відправ(?:те|ляй|ляйте)?|завантаж(?:те)?|перешл(?:и|іть)|поділ(?:ись|іться)|скинь(?:те)?|пошли',
    papers:
      'паспорт\\p{L}{0,3}|посвідк\\p{L}{0,2}|посвідченн\\p{L}{0,2}|водійськ\\p{L}{1,3}|банківськ\\p{L}{1,3}|карт(?:ку|ки|ок)|парол\\p{L}{1,3}|пін-?код\\p{L}{0,2}|селфі|(?:особисті|персональні|його|її|їхні) \\p{L}{3,12}|дан(?:і|их)|розмов\\p{L}{1,2}|листуванн\\p{L}{1,2}',
    owners: 'користувач\\p{L}{1,3}|клієнт\\p{L}{1,3}|особи|людини',
    agents: 'агент\\p{L}{0,3}|асистент\\p{L}{0,3}|помічник\\p{L}{0,3}|бот\\p{L}{0,2}|модел\\p{L}{1,2}|ші',
    talks: 'розмов\\p{L}{1,2}|листуванн\\p{L}{1,2}|промпт',
    sends:
      'надішл(?:и|іть)|надісл(?:ати|ав|ала)|надсилай(?:те)?|відправ(?:те|ляй|ляйте|ити)?|завантаж(?:те|ити)?|перешл(?:и|іть)|скинь(?:те)?|пошли',
    proofs:
      'паспорт\\p{L}{0,3}|посвідк\\p{L}{0,2}|посвідченн\\p{L}{0,2} (?:особи|водія)|водійськ\\p{L}{1,3}|банківськ\\p{L}{1,3} картк\\p{L}{0,2}',
    files: '(?:ваші|свої|твої|їхні|його|її) (?:документи|папери|файли)|документи|папери',
    writer: 'мені|нам',
  },
  {
    hints: 'رسل|إرسال|حمّل|حمل|تحميل|ارفع|شارك|ابعث|رفع',
    verbs: '(?:و|ف)?(?:أرسل|ارسل|أرسلي|أرسلوا|حمّل|حمل|ارفع|شارك|ابعث)(?:ي|وا)?',
    papers:
      '(?:ال)?(?:جواز|جوازات)(?: (?:ال)?سفر)?|(?:ال)?بطاقة(?: (?:ال)?(?:هوية|بنك|ائتمان|إقامة))?|(?:ال)?هوية|(?:رخصة|الرخصة)|كلمة (?:ال)?(?:مرور|سر)|(?:ال)?بيانات\\p{L}{0,2}|(?:ال)?معلومات\\p{L}{0,2}|(?:ال)?محادثة|(?:ال)?وثائق\\p{L}{0,2}|(?:ال)?مستندات\\p{L}{0,2}|كشف (?:ال)?حساب',
    owners: '(?:ب|ل)?(?:ال|لل)?(?:مستخدم|عميل|شخص)(?:ك|كم)?',
    agents: '(?:أيها |يا )?(?:ال)?(?:وكيل|مساعد|روبوت|نموذج)',
    talks: '(?:ال)?محادثة|سجل (?:ال)?محادثة',
    sends: '(?:و|ف|ب|ان |أن )?(?:ي|ت|ا|أ|إ)?(?:أرسل|ارسل|رسل|إرسال|حمّل|حمل|تحميل|رفع|ارفع|شارك|ابعث)(?:ي|وا)?',
    proofs:
      '(?:ال)?(?:جواز|جوازات)(?: (?:ال)?سفر)?\\p{L}{0,3}|بطاقة (?:ال)?(?:هوية|بنك|إقامة)|بطاقة هويت\\p{L}{1,2}|(?:ال)?هوية|هويت(?:ك|كم)|رخصة (?:ال)?قيادة|كشف (?:ال)?حساب',
    files: '(?:ال)?(?:وثائق|مستندات|أوراق)\\p{L}{0,2}',
    writer: 'لي|لنا|إلي|إلينا|الينا',
  },
];

/**
 * Orders to hand over a person's documents or data: to the agent by name, about the person it works for, through a channel to a
 * stranger, or any order to send a paper that proves who somebody is. Ordinary steps (a form by post to the commune, a certificate uploaded to
 * a portal, a copy attached to an application) are allowed.
 */
export const UPLOAD_PATTERNS: readonly InjectionPattern[] = LANGUAGES.map(
  ({ hints, verbs, papers, owners, agents, talks, messages, sends, proofs, files, writer, sent }) => ({
    hints: hints.split('|'),
    pattern: new RegExp(
      [
        `${W}(?:${agents})${E}${NEAR}${W}(?:${verbs})${E}${NEAR}${W}(?:${papers})${E}`,
        `${W}(?:${verbs})${E}${NEAR}${W}(?:${papers})${E}${NEAR}${W}(?:${owners})`,
        `${W}(?:${verbs})${E}${NEAR}${W}(?:${owners})${E}${NEAR}${W}(?:${papers})${E}`,
        `${W}(?:${verbs})${E}${NEAR}${W}(?:${papers})${E}${NEAR}${W}(?:${CHANNELS})`,
        `${W}(?:${verbs})${E}${NEAR}${W}(?:${talks})${E}`,
        `${W}(?:${sends})${E}${CLAUSE}${W}(?:${proofs})${E}`,
        `${W}(?:${sends})${E}[ -](?:sie )?(?:${writer})${E}${CLAUSE}${W}(?:${files})${E}`,
        ...(sent === undefined ? [] : [`${W}(?:${proofs})${E}${CLAUSE}${W}(?:${sent})${E}`]),
        ...(messages === undefined ? [] : [`${W}(?:${messages})${E}${NEAR}${W}(?:${papers})${E}`]),
      ].join('|'),
      'giu',
    ),
  }),
);
