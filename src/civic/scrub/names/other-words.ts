import { nameSet } from './places.ts';

/** Capitalised words of administration, calendar and grammar: never part of a person's name. */
export const OTHER_WORDS: ReadonlySet<string> = nameSet(`
  хрест червоний чорна північний південний східний західний християн himmelfahrt christi пятниця п'ятниця
  grote groot oude nieuwe kleine hoge lage markt großer großen große alter alten alte neuer neuen neue
  le la les l un une des du de au aux ce cette ces mon ma mes son sa ses notre votre nos vos leur leurs il elle ils elles je tu nous vous on qui que dont ou où et mais donc or ni car si selon
  après avant depuis pour par avec sans dans sur sous chez vers entre comme lorsque quand merci bonjour bonsoir cordialement salutations veuillez contactez demandez voir voici voilà aucun aucune chaque tout toute tous toutes
  het een deze dit die dat mijn onze ons jouw uw zijn haar hun ik je jij u hij zij ze we wij wie wat waar wanneer als en of maar want dus volgens na voor door met zonder in op onder bij naar tussen sinds zoals beste geachte goedemorgen goedendag
  dag vraag contacteer gelieve elke alle geen
  der die das den dem des ein eine einen einem einer mein meine unser unsere ihr ihre sein seine ich du er sie es wir und oder aber denn also laut nach vor durch mit ohne auf unter bei zu zwischen seit wie guten hallo bitte fragen jede alle kein keine
  the a an this that these those my our your his her its their he she it we they who what where when as and or but so if according after before since for by with without in on under at to between from dear good hello please contact ask every all no not some someone
  monsieur madame mademoiselle mevrouw meneer mijnheer heer herr frau fräulein damen herren mister sir madam maître docteur doctor dokter doktor professor professeur
  bourgmestre bourgmestres échevin échevine échevins ministre ministres président présidente secrétaire directeur directrice gouverneur roi reine prince juge procureur officier agent inspecteur commissaire conseiller conseillère greffier notaire avocat député
  burgemeester schepen schepenen minister voorzitter voorzitster secretaris directeur gouverneur koning koningin prins rechter procureur ambtenaar inspecteur commissaris raadslid griffier notaris advocaat
  bürgermeister bürgermeisterin schöffe schöffin ministerin ministerpräsident präsident präsidentin sekretär direktor direktorin gouverneur könig königin prinz richter richterin staatsanwalt beamte beamter beamtin kommissar notar anwalt abgeordneter kollege kollegin
  mayor alderman minister president secretary director governor king queen prince judge prosecutor officer inspector commissioner clerk notary lawyer councillor chairman registrar
  janvier février mars avril mai juin juillet août septembre octobre novembre décembre januari februari maart april mei juni juli augustus september oktober november december januar februar märz august dezember january february march may june july october
  lundi mardi mercredi jeudi vendredi samedi dimanche maandag dinsdag woensdag donderdag vrijdag zaterdag zondag montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag monday tuesday wednesday thursday friday saturday sunday
  noël pâques kerstmis pasen nieuwjaar sinterklaas weihnachten ostern neujahr christmas easter
  service services public publique publics office administration direction bureau guichet commune communes ville municipalité région régional communauté gouvernement parlement conseil cour tribunal collège comité commission fonds fondation institut centre hôpital
  clinique école lycée athénée université haute banque registre national nationale fédéral fédérale royal royale arrêté loi code article annexe formulaire carte permis titre certificat attestation acte dossier numéro page site portail moniteur journal officiel
  union européenne européen accord directive règlement convention gare station place rue avenue boulevard chaussée square quai pont parc maison tour sécurité sociale santé travail emploi finances justice intérieur affaires étrangères étrangers pensions famille
  dienst diensten openbare overheidsdienst federale federaal rijksdienst kantoor loket gemeente stad gewest gemeenschap regering parlement raad hof rechtbank college comité commissie fonds stichting instituut centrum ziekenhuis school universiteit hogeschool bank
  kruispuntbank register rijksregister nationaal koninklijk besluit wet wetboek artikel bijlage formulier kaart vergunning attest akte dossier nummer pagina website portaal staatsblad publicatieblad europese europees unie akkoord richtlijn verordening station plein straat
  laan huis kind gezin sociale zekerheid welzijn maatschappelijk binnenlandse buitenlandse zaken vlaamse vlaams waalse waals belgisch belgische burgerlijk burgerlijke stand grondwettelijk vreemdelingenzaken bevolking burgerprofiel groeipakket pensioendienst belastingdienst
  dienst ministerium amt bürgerdienst behörde büro schalter gemeinde stadt region gemeinschaft regierung parlament rat gericht gerichtshof verfassungsgerichtshof kollegium ausschuss kommission fonds stiftung institut zentrum krankenhaus schule universität bank register
  nationalregister königlich königlichen erlass gesetz gesetzbuch artikel anlage formular karte personalausweis ausweis führerschein reisepass erlaubnis genehmigung bescheinigung attest urkunde geburtsurkunde akte nummer seite webseite portal staatsblatt amtsblatt europäische europäischen
  europäisches union abkommen richtlinie verordnung bahnhof platz straße haus sankt öffentliche öffentlicher öffentliches öffentlichen föderale föderaler föderalen belgische belgischen belgisches wallonische wallonischen deutschsprachige deutschsprachigen antrag anträge termin gebühr steuer
  frist tag tage tagen woche wochen monat monate monaten jahr jahre euro betrag tarif link daten angaben person personen bürger einwohner kinder familie wohnsitz aufenthalt arbeit arbeitsamt ausländeramt standesamt rathaus polizei post brief kopie kopien foto unterschrift verfahren
  kontrolle einspruch auskunft zertifikat nachweis schutz prämie name vorname nachname kontaktperson ansprechpartner ansprechpartnerin schulbescheinigung fahrt sprache sprachen versicherung krankenkasse wohnung miete vermieter mieter ehe scheidung geburt tod
  public federal national service services office department agency ministry municipality commune town city council court parliament government region regional community committee commission fund foundation institute centre center hospital school college university bank
  crossroads register registry royal decree act law code article annex form card permit licence license title certificate attestation deed file number page website portal gazette journal official european union agreement withdrawal directive regulation treaty station square
  street avenue road house social security welfare health work employment finance justice interior home foreign affairs aliens alien immigration pension pensions family allowance child focus student single long term legal stay resident residence permanent temporary protection civil
  constitutional belgian flemish walloon dutch french german english british tax north south east west central enterprise counter professional identity driving passport visa annexe litigation international
  nom prénom naam voornaam achternaam name surname adresse adres address objet onderwerp betreff subject date datum signé getekend gezeichnet signed
  itsme ebox covid mobib brupass omnipas actiris vdab forem onem rva cpas ocmw öshz spf fod föd föd onss rsz inami riziv famiwal kids-id kidsid csam limosa myminfin taxonweb tax-on-web naric de-lijn nmbs sncb stib mivb tec google microsoft apple android windows chrome facebook
  desktop opus sonnet haiku cowork agent agents assistant bot api sdk cli mcp app mobile pro plus team gpt chatgpt gemini copilot mistral llama codex cursor
  saint sainte sint sankt san santa notre-dame onze-lieve-vrouw
`);

/** A word before a name that makes it the name of a street, a house, a law or a case. */
export const NAMESAKE_BEFORE: ReadonlySet<string> = nameSet(`
  auberge jeunesse jeugdherberg jugendherberge hostel مكتبة
  exposition tentoonstelling ausstellung exhibition concours wedstrijd wettbewerb competition
  programme programma programm project projet projekt gebouw bâtiment gebäude building application applicatie app logiciel software supermarkt supermarché supermarket
  rue avenue av boulevard bd place square quai chaussée chemin clos allée impasse parc pont gare station métro arrêt tour cité résidence rond-point galerie passage site
  straat laan plein kaai dreef steenweg park brug halte residentie campus site street road lane square bridge tower
  straße strasse platz allee weg brücke park
  hôpital hopital clinique chu chr polyclinique institut école ecole lycée lycee athénée athenee collège college université universite haute fondation fonds prix musée théâtre salle stade centre espace maison caserne bibliothèque crèche
  ziekenhuis kliniek instituut school atheneum college universiteit hogeschool stichting fonds prijs museum zaal stadion centrum bibliotheek
  krankenhaus klinik institut schule gymnasium universität stiftung fonds preis museum saal stadion zentrum bibliothek
  hospital clinic institute school university foundation fund prize museum hall stadium centre center library
  loi lois arrêt décret directive jurisprudence affaire wet arrest decreet zaak arrest gesetz urteil rechtssache dekret law act ruling judgment case decision
  вулиця вулиці вулицю вулицею вул площа площі проспект проспекті бульвар бульварі набережна набережній парк парку школа школи школі лікарня лікарні імені станція станції будинок будинку стадіон стадіону музей музею театр театру бібліотека бібліотеки університет університету аеропорт площу
  شارع ساحة مدرسة مستشفى جامعة جسر محطة حديقة مبنى قاعة مطار جادة ميدان ملعب
  roi reine prince princesse koning koningin prins prinses könig königin prinz prinzessin king queen prince princess saint sainte sint sankt st pape paus papst pope
`);

/** The same for a word after a name, or the ending of its last word. */
export const NAMESAKE_AFTER: ReadonlySet<string> = nameSet(`
  exhibition competition roundabout boulevard hostel youth stop entrance
  programme program building day scheme project tower hall airport stadium
  institute foundation hospital school college university street avenue road square lane bridge park station museum centre center fund prize library act law case ruling clinic
  straat laan plein stichting ziekenhuis instituut school stiftung institut krankenhaus schule platz straße
`);
export const NAMESAKE_ENDING =
  /(?:straat|laan|plein|weg|kaai|lei|dreef|steenweg|stichting|ziekenhuis|instituut|school|college|huis|park|brug|stra(?:ß|ss)e|platz|gasse|stiftung|krankenhaus|institut|schule|allee|brücke|(?:gebouw|gebäude|stadion|stadium|toren|turm|centrum|zentrum|zaal|saal|kliniek|klinik|museum|bibliotheek|bibliothek|campus|tunnel|viertel|wijk|markt|kerk|kirche|ufer|singel|halle|heim|flughafen|luchthaven|boulevard|haltestelle)(?:e?s)?)$/iu;
