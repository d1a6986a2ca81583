import { foldName } from './places.ts';

/**
 * What the preceding words say about a name. `title`, `self`: a name must follow. `label`: the same after a colon. `relation`: one name,
 * after a possessive. `named`, `profession`: a given name, or two capitalised words. `presents`: a given name, even in small letters. `of`:
 * two capitalised words.
 */
export type Cue = 'title' | 'self' | 'label' | 'relation' | 'named' | 'presents' | 'profession' | 'of';

const WORDS: Readonly<Record<Cue, string>> = {
  title: `m|mm|mr|mrs|ms|miss|mister|mme|mmes|mlle|madame|monsieur|messieurs|mademoiselle|mevrouw|mevr|mw|dhr|meneer|mijnheer|de heer|heer|juffrouw|herr|herrn|frau|fräulein|hr|fr|sir|madam|lady|lord
    époux|famille|familie|gezin|échevin|échevine|schepen|schöffe|schöffin|councillor|alderman|echtpaar|eheleute|ehepaar|couple|dr|docteur|doctor|dokter|doktor|prof|professeur|professor|maître|meester|mtr|ir|ing
    родини|родина|родині|пан|пані|пану|панові|пана|паном|громадянин|громадянка|громадянину|عائلة|لعائلة|أسرة|السيد|السيدة|للسيد|للسيدة|والسيدة|الآنسة|الدكتور|الدكتورة|الأستاذ|الأستاذة`,
  self: `un certain|une certaine|een zekere|a certain|m appelle|je me nomme|mon nom est|mon nom c est|mon prénom est|ik heet|mijn naam is|mijn naam luidt|mijn voornaam is|ich heiße|ich heisse|mein name ist|mein name lautet|mein vorname ist|my name is|my name s|i am called
    мене звати|мене звуть|моє імя|моє прізвище|اسمي|أدعى|إسمي`,
  presents: 'je suis|moi c est|ik ben|ich bin|i am|i m|я',
  of: 'de|du|d|par|van|door|von|of|by|with|avec|met|mit',
  label:
    'personne de contact|contactpersoon|kontaktperson|contact person|contact|ansprechpartner|ansprechpartnerin|контактна особа|الشخص المسؤول|nom|prénom|prénoms|nom de famille|naam|voornaam|achternaam|familienaam|name|vorname|nachname|familienname|first name|last name|surname|full name|given name|імя|прізвище|الاسم|اللقب',
  relation: `mari|époux|épouse|femme|conjoint|conjointe|compagnon|compagne|partenaire|fils|fille|bébé|frère|sœur|soeur|père|mère|papa|maman|oncle|tante|cousin|cousine|neveu|nièce|voisin|voisine|ami|amie|collègue|copain|copine|beau-père|belle-mère|beau-frère|belle-sœur|grand-père|grand-mère|fiancé|fiancée|colocataire|locataire|client|cliente|patient|patiente|enfant|pupille
    man|vrouw|echtgenoot|echtgenote|partner|zoon|dochter|baby|broer|zus|zuster|vader|moeder|oom|tante|neef|nicht|buurman|buurvrouw|vriend|vriendin|collega|schoonvader|schoonmoeder|schoonbroer|schoonzus|grootvader|grootmoeder|verloofde|huisgenoot|huurder|klant|patiënt|kind
    mann|frau|ehemann|ehefrau|gatte|gattin|sohn|tochter|bruder|schwester|vater|mutter|onkel|cousine|neffe|nichte|nachbar|nachbarin|freund|freundin|kollege|kollegin|schwiegervater|schwiegermutter|schwager|schwägerin|großvater|großmutter|verlobter|verlobte|mitbewohner|mitbewohnerin|mieter|kunde|kundin|partnerin
    husband|wife|spouse|son|daughter|brother|sister|father|mother|uncle|aunt|nephew|niece|neighbour|neighbor|friend|colleague|father-in-law|mother-in-law|brother-in-law|sister-in-law|grandfather|grandmother|fiancé|fiancée|flatmate|roommate|tenant|client|patient|child|boyfriend|girlfriend
    чоловік|дружина|син|донька|дочка|брат|сестра|батько|мати|мама|тато|сусід|сусідка|друг|подруга|колега|свекруха|теща
    لابني|لابنتي|لزوجي|لزوجتي|لأخي|لأختي|لوالدي|لوالدتي|وزوجي|وزوجتي|وابني|وابنتي|زوجي|زوجتي|ابني|ابنتي|أخي|أختي|والدي|والدتي|أبي|أمي|جاري|جارتي|صديقي|صديقتي|زميلي|زميلتي`,
  named: `s appelait|s appelle|se nomme|nommé|nommée|nommés|dénommé|dénommée|prénommé|prénommée|un certain|une certaine|soussigné|soussignée|signé|signé par|signée par|né|née|cordialement|salutations|contactez|contacter|signée|demandez|demander|merci à|grâce à|désigné|désignée|contact est|personne de contact est|à l attention de|de la part de|parlé avec|parlé à|vu avec
    langs bij|terecht bij|heet|heette|genaamd|een zekere|zekere|ondergetekende|getekend|ondertekend door|getekend door|geboren|groeten|groet|groetjes|vraag naar|contacteer|dank aan|dankzij|bedankt|aangesteld|stelde|contactpersoon is|contact is|ter attentie van|t a v|gesproken met|namens
    heißt|heisst|hieß|namens|genannt|ein gewisser|eine gewisse|gewisser|gewisse|unterzeichnete|unterzeichneter|unterzeichnet|unterzeichnet von|unterschrieben von|gezeichnet|gez|geb|geborene|grüße|grüßen|gruß|sie nach|wenden sie sich an|dank an|dank|bestellte|ansprechpartner ist|ansprechpartnerin ist|kontaktperson ist|z hd|gesprochen mit|im namen von
    should contact|please contact|can contact|must contact|to contact|named|called|someone called|a certain|undersigned|signed|signed by|regards|wishes|sincerely|faithfully|ask for|thanks to|thank you|thank|appointed|contact is|contact person is|attention of|on behalf of|spoke with|spoke to|talked to|talked with|speak to|speak with|contacted by|helped by
    за словами|зверніться до|на імя|підписав|підписала|з повагою|звертайтеся до|المدعو|المدعوة|يدعى|تدعى|توقيع`,
  profession: `ratsmitglied|gemeinderat|brigadier|brigadière|concierge|conciërge|huisbewaarder|huismeester|hausmeister|hausmeisterin|caretaker|janitor|commissaire|commissaris|kommissar|kommissarin|hoofdinspecteur|hauptinspektor|superintendent|receptionist|réceptionniste|receptioniste|gardien|gardienne|facteur|factrice|postbode|briefträger|briefträgerin|postman|greffier|greffière|griffier|gerichtsschreiber|médiateur|médiatrice|bemiddelaar|ombudsman|ombudsvrouw|instituteur|institutrice|leerkracht|lehrer|lehrerin|teacher|psychologue|psycholoog|psychologe|pharmacien|pharmacienne|apotheker|apothekerin|pharmacist|dentiste|tandarts|zahnarzt|zahnärztin|dentist|bénévole|vrijwilliger|vrijwilligster|volunteer|stagiaire|stagiair|praktikant|praktikantin|trainee|manager|supervisor|chef de service|diensthoofd|député|députée|sénateur|senator|curé|imam|pastoor|pfarrer|pastor|rabbi|éducateur|éducatrice|hulpverlener|hulpverleenster|coach|syndic|loketmedewerker|loketmedewerkster|medewerker|medewerkster|mitarbeiter|mitarbeiterin|schalterbeamter|schalterbeamtin|dossierbeheerder|gestionnaire|case manager|caseworker|agent de police|gestionnaire de dossier|agent de quartier|inspecteur de quartier|locataire|gérant|gérante|wijkinspecteur|huurder|huisbaas|werkster|maatschappelijk werkster|begeleider|begeleidster|vertaalster|bezirkspolizist|bezirkspolizistin|mieter|mieterin|betreuer|betreuerin|tenant|constable|sergeant|avocat|avocate|agent|agente|échevin|échevine|bourgmestre|ministre|juge|notaire|huissier|inspecteur|inspectrice|fonctionnaire|employé|employée|guichetier|guichetière|assistant social|assistante sociale|propriétaire|bailleur|tuteur|tutrice|interprète|traducteur|traductrice|médecin|infirmière|directeur|directrice|président|présidente|secrétaire|administrateur|administratrice|référent|référente|conseiller|conseillère|policier|policière|citoyen|citoyenne|étudiant|étudiante|référente|dame|monsieur
    advocaat|advocate|wijkagent|schepen|burgemeester|minister|rechter|notaris|deurwaarder|inspecteur|ambtenaar|bediende|loketbediende|maatschappelijk werker|maatschappelijk assistent|eigenaar|eigenares|verhuurder|voogd|tolk|vertaler|vertaalster|arts|huisarts|verpleegster|directeur|directrice|voorzitter|voorzitster|secretaris|bewindvoerder|raadslid|politieagent|consulent|consulente|student|studente
    anwalt|anwältin|rechtsanwalt|rechtsanwältin|schöffe|schöffin|bürgermeister|bürgermeisterin|minister|ministerin|richter|richterin|notar|notarin|gerichtsvollzieher|inspektor|inspektorin|polizist|polizistin|beamter|beamte|beamtin|angestellte|angestellter|sozialarbeiter|sozialarbeiterin|eigentümer|eigentümerin|vermieter|vermieterin|vormund|vormundin|dolmetscher|dolmetscherin|übersetzer|übersetzerin|arzt|ärztin|direktor|direktorin|präsident|präsidentin|sekretär|sekretärin|verwalter|verwalterin|sachbearbeiter|sachbearbeiterin|student|studentin|kind
    lawyer|solicitor|attorney|officer|alderman|mayor|minister|judge|notary|bailiff|inspector|clerk|employee|social worker|owner|landlord|landlady|guardian|interpreter|translator|physician|nurse|director|president|chairman|secretary|administrator|councillor|policeman|policewoman|citizen|student|applicant|caseworker|agent
    fils de|fille de|frère de|sœur de|père de|mère de|épouse de|mari de|dossier de|demande de|nom de|cas de|zoon van|dochter van|broer van|zus van|vader van|moeder van|man van|vrouw van|dossier van|aanvraag van|naam van|sohn von|tochter von|bruder von|schwester von|vater von|mutter von|akte von|antrag von|fall von|son of|daughter of|brother of|sister of|father of|mother of|wife of|husband of|file of|case of|request of|name of|application of|enfant|child
    сержант|сержанта|інспектор|інспектора|перекладача|працівниця|працівник|вчителька|вчитель|адвокат|лікар|нотаріус|власник|опікун|перекладач|المحامي|المحامية|المترجم|الموظف|الموظفة`,
};

/** A word for a person, and one that introduces a name: `eine Dame namens`, `a man called`. A name must follow. */
const PERSON_NAMED = [
  'lady woman man gentleman person someone somebody clerk officer colleague employee girl boy guy nurse lawyer teacher|named called',
  'dame femme homme monsieur personne quelqu un fonctionnaire employé employée agent agente collègue fille garçon dénommé|nommé nommée prénommé prénommée appelé appelée',
  'dame vrouw man heer meneer mevrouw persoon iemand ambtenaar bediende collega meisje jongen medewerker medewerkster|genaamd namens geheten',
  'dame frau mann herr herrn person beamter beamten beamte beamtin kollege kollegin mitarbeiter mitarbeiterin angestellte mädchen junge jemand|namens',
  'жінка жінку чоловік чоловіка працівник працівниця працівницю дівчина хлопець|на_імя',
].flatMap((line) => {
  const [persons = '', names = ''] = line.split('|');
  return persons
    .split(' ')
    .flatMap((person) =>
      names
        .split(' ')
        .map((name) => [`${foldName(person)} ${name.split('_').map(foldName).join(' ')}`, 'self'] as const),
    );
});

/** Cues by their folded words. */
export const CUES: ReadonlyMap<string, Cue> = new Map([
  ...PERSON_NAMED,
  // Later entries win, so that `frau` and `kind` get the strictest meaning that no possessive changes.
  ...(['of', 'profession', 'relation', 'named', 'presents', 'label', 'self', 'title'] as const).flatMap((cue) =>
    WORDS[cue]
      .split(/[|\n]/)
      .map((words) => words.trim().split(' ').map(foldName).join(' '))
      .map((words) => [words, cue] as const),
  ),
]);

/** Cues that are also relations after a possessive: `meine Frau Yasmin`, `mon enfant Sami`. */
export const RELATIONS: ReadonlySet<string> = new Set(
  WORDS.relation.split(/[|\n]/).map((word) => foldName(word.trim())),
);

export const POSSESSIVES: ReadonlySet<string> = new Set(
  `mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs l la le cet cette mijn mn onze ons jouw je uw zijn haar hun het de mein meine meiner meinem meinen unser unsere unserer sein seine ihr ihre das die der
  my our your his her their the мій моя моє моєї моєму наш наша його її`
    .split(/\s+/)
    .map(foldName),
);
