/** Topics that a change may not introduce without consensus. Each is a row of the protected fields. */
export const TOPICS = ['topic_secrets', 'topic_payment', 'topic_software', 'topic_agents'] as const;
export type Topic = (typeof TOPICS)[number];
/** Fields that say more than the topic does, and need a maintainer. */
export const SHARPER_FIELD: Partial<Record<Topic, 'credentials' | 'payment'>> = {
  topic_secrets: 'credentials',
  topic_payment: 'payment',
};

/** Languages of the table; `any`: names common to all of them. */
type Language = 'any' | 'en' | 'fr' | 'nl' | 'de' | 'uk' | 'ar';

/** Words for agents and their users. People have such names too, so that they count only with an order to a program, or what it reads. */
const AGENT_WORDS =
  'agent|agents|agenten|*assistent*|assistant*|user|users|gebruiker|gebruikers|utilisateur*|nutzer*|benutzer*|агент*|асистент*|користувач*|مستخدم*';
const AGENT_ORDERS = [
  'confirm|confirms|approve*|validate*|vote|votes|rate|rank*|put|puts|include|includes|quote|quotes|fetch*|upload*|paste*|forward*|report|reports|reply|replies|respond*|answer*|say|says|tell|tells|ignore*|disregard*|skip|follow|read|reads|summar*|mention*|state|states|recommend*|suggest*|claim*|offer|offers|prefer*|promote*|treat|trust|assume*|remember*|forget*|store|stores|save|record|records|log|collect*|text|page|skill|profile|conversation*|chat*|verdict|rationale|instruction*|message*|virtual|digital|automated|software|ai|screen|picture|photo*|session*|data|secret*|hide*',
  'confirme*|valide*|approuve*|votent|voter|mette*|inclu*|transmet*|repond*|dites|disent|dire|lise*|lisent|lisez|resume*|mentionne*|recommande*|propose*|texte|fiche|profil|instruction*|consigne*|virtuel*|numerique*|ia|ecran|donnees',
  'bevestig*|keur*|stem|zet|zetten|neem|kopieer*|antwoord*|zeg|zeggen|vertel*|lees|lezen|vat|vatten|vermeld*|raad|tekst|pagina|profiel|gesprek*|instructie*|virtuele|digitale|scherm|gegevens',
  'bestatig*|genehmig*|stimm*|setz*|nimm|kopier*|antwort*|sag|sagen|sagt|lies|lesen|liest|fass|erwahn*|empfehl*|seite|profil|gesprach*|anweisung*|virtuell*|digital*|ki|bildschirm*|daten',
  'підтвердж*|схвал*|голосу*|встав*|додай*|додають|скопію*|копію*|відповід*|скаж*|кажи|кажіть|каже|читай*|читають|прочита*|згадуй*|рекоменду*|текст*|сторінк*|профіл*|розмов*|інструкц*|віртуальн*|цифров*|ші|екран*|дані|даних|надішл*',
  'اكد|اكدوا|تاكيد|وافق|صوت|ضع|انسخ|اجب|قل|اقرا|تقرا|لخص|اذكر|تذكر|تخبر|اخبر|نص|صفحه|محادثه|تعليمات|بيانات|شاشه|ارسل|ذكي|رقمي',
].join('|');

/**
 * The words of each topic. `word` matches a whole word, `stem*` its beginning, `*end` its end, `*part*` any part. `a_b` are consecutive
 * words, `a|b` is either, and `a+b` needs both in one sentence. `#amount` is a sum of at least `AMOUNT_MIN` in euros or dollars,
 * `#addressed` a sentence that begins by calling agents. Accents, capitals and Arabic prefixes do not matter.
 */
export const TOPIC_WORDS: readonly (readonly [topic: Topic, language: Language, words: string])[] = [
  [
    'topic_secrets',
    'any',
    'visa|mastercard|maestro+photo*|foto*|number*|numero*|nummer*|front|back|card|фото*|صوره visakaart* visakarte* smartphone*+unlock* pin pins pincode* puk cvv* cvc* otp otps otp_code* otpcode* totp 2fa mfa tan tans digipass* token* cookie* login+give|share|write|hand|send passw* authenticator* anydesk teamviewer ' +
      'itsme+approve|confirm|accept|agent|approuve*|confirme*|valide*|bevestig*|keur*|bestatig*|genehmig*|підтверд*|схвал*|اكد|وافق',
  ],
  [
    'topic_secrets',
    'en',
    'approve|accept|confirm+notification*|prompt*|push*|pop_up*|your_screen|your_phone leave|hand|give|deposit|surrender+passport*+guarantee|security|employer|landlord|pledge|collateral|helper|man|woman|stranger blank+sign+form|paper|sheet|contract|helper ' +
      'bank bank_account* online_banking banking unlock* phone|mobile+hand|give|unlock*|leave|lend sign_in_details log_in_details login_details account+password|details|open secret* passphrase* passcode* credential* digits atm atms cash_machine* cash_dispenser* one_time* text_message+code|secret|number|digits sms+code|number|digits ' +
      'code|codes bank*_app* banking_app* bank+code|login|secret|message|screen session* private_key* signing_key* signature_key* key+eid|export|signature|card ' +
      'seed_word* seed_phrase* recovery_word* recovery_phrase* security_question* secret_question* maiden* ' +
      'card+number*|figures|photo*|picture*|sides|back|scan*|enter|type|tell|hand_over|details bank_card* debit_card* credit_card* payment_card* ' +
      'figures+phone|card|bank|back|message screen+share*|sharing|control*|see|watch|helper|agent|remote* remote_access remote_control* remotely ' +
      'login+form|note|agent|clerk|officer|portal+write|give|tell|share bank_login* log_in_for sign_in_for account+access|take_over',
  ],
  [
    'topic_secrets',
    'fr',
    'approuve*|accepte*|confirme*|valide*+notification*|votre_ecran|votre_telephone|ton_telephone|ton_ecran laisse*|remet*|confie*|donne*+passeport*+garantie|gage|employeur|proprietaire|intermediaire signe*+blanc|vierge ' +
      'banque* bancaire* deverrouill* telephone+donne*|confie*|remet*|laisse*|prete* secret* mot_de_passe mots_de_passe chiffres identifiants code|codes usage_unique distributeur*+code*|tape*|chiffre* application_bancaire appli_bancaire app_bancaire ' +
      'cle+signature|privee|eid|exporte* phrase_secrete carte*_bancaire* carte*_de_credit carte*_de_debit carte*_de_banque carte*+numero*|chiffre*|photo*|recto|verso|dos|dictez|communique* ' +
      'ecran+partage*|controle*|montre*|agent|prendre controle_a_distance acces_a_distance a_distance+ecran|ordinateur|telephone session+ouverte|laisse*|cookie* ' +
      'question_secrete question_de_securite nom_de_jeune_fille banque+code*|message*|ecran',
  ],
  [
    'topic_secrets',
    'nl',
    'keur*|aanvaard*|accepteer*|bevestig*+melding*|uw_scherm|je_scherm|uw_telefoon|je_telefoon|gsm laat|geef|overhandig*|achterlat*+paspoort*+waarborg|borg|onderpand|werkgever|verhuurder teken|onderteken*+blanco|leeg|lege ' +
      'bank bankrekening* ontgrendel* telefoon|gsm|toestel+geef|afgeef*|leen|laat|overhandig* geheim* wachtwoord* pincode* cijfers code|codes *code|*codes+lees|deel|sms|app geldautomaat* bankautomaat* bankapp* bank_app* bankieren* ' +
      'eenmalig* sleutel+handtekening|eid|geheim*|prive sleutel_voor bankkaart* kredietkaart* betaalkaart* debetkaart* kaart+nummer*|getallen|tekens|foto*|achterkant|voorkant|kanten|geef ' +
      'scherm+deel*|delen|meekijk*|overneem*|controle|agent meekijk* op_afstand+scherm|toegang|computer|toestel inlog* sessie+open|laat|cookie* beveiligingsvraag* meisjesnaam* tekens+bank|sms|lees|stuurt',
  ],
  [
    'topic_secrets',
    'de',
    'bestatig*|genehmig*|akzeptier*|nehmen+benachrichtigung*|ihrem_bildschirm|deinem_bildschirm|ihrem_telefon|ihrem_handy|deinem_handy|auf_dem_handy lass*|geben|gib|hinterleg*+pass|reisepass*+pfand|sicherheit|burgschaft|arbeitgeber*|vermieter* unterschreib*|unterzeichn*+blanko*|leer* ' +
      'bank bankkonto* entsperr* handy|telefon|smartphone+geben|gib|uberlass*|aushandig*|leih* geheim* passw* kennwort* ziffern geldautomat* bankautomat* code|codes sms+nummer*|code*|zahl* *code|*codes+lesen|nennen|geben|teilen|sms|app bankapp* banking* bank_app* ' +
      'einmal*+code*|kennwort*|passwort* schlussel+signatur*|eid|export*|privat* signaturschlussel* bankkarte* kreditkarte* debitkarte* girokarte* ' +
      'karte+nummer*|ziffer*|stellen|foto*|ruckseite|vorderseite bildschirm+teil*|freigeb*|steuer*|zeig*|agent* bildschirmfreigabe* fernzugriff* fernsteuer* fernwart* zugang*+bank*|konto*|geben|weiter|weitergeb* ' +
      'zugangsdaten anmeldedaten logindaten sitzung+offen|lassen|cookie* sicherheitsfrage* madchenname* bankkonto+zugang|zugriff',
  ],
  [
    'topic_secrets',
    'uk',
    'підтверд*|схвал*|прийм*+сповіщен*|вашому_екрані|екрані|телефоні залиш*|віддай*|передай*+паспорт*+застав*|гаранті*|роботодав*|орендодав* підпиш*+порожн*|чист* ' +
      'банк* банківськ* розблок* телефон+дайте|передай*|віддай*|залиш*|дай секрет* парол* пін пін_код* пінкод* цифр* код|коду|коди|кодом|кодів|кодами+sms|смс|itsme|повідом*|телефон*|банк*|картк*|застосун*|додат*|секрет*|безпек*|доступ*|вхід|входу|увійти|введ*|ваш|вашого|ваші|свій|свого|скаж*|кажіть|назв*|назив*|надішл*|надсил*|надійш*|прийш*|приход*|продикт*|дайте|передай*|покаж*|прочита*|читай*|запит*|питає|просить|попрос* одноразов* банкомат* банкінг* картк*+номер*|цифр*|знак*|фото*|сторон*|зворот* ' +
      'банківськ*+картк*|застосун*|додат*|екран* застосун*+банк*|код* ключ*+підпис*|електрон*|eid|приватн* екран*+покаж*|доступ*|поділ*|агент*|керу*|банк* віддален*+доступ*|керув*|екран* дівоч*_прізвищ* ' +
      'контрольн*_питанн* сесі*+відкрит*|залиш* логін*',
  ],
  [
    'topic_secrets',
    'ar',
    'وافق|اقبل|اكد+اشعار*|شاشتك|شاشتكم|هاتفك|هاتفكم اترك|سلم|اعط+جواز*+ضمان*|رهن*|صاحب_العمل|كفيل* وقع+فارغ* ' +
      'بنك* مصرف* مصرفي* هاتف*|جوال*+سلم|اعط*|مفتوح|افتح|اترك سري* سريه كلمه_السر كلمه_المرور كلمه_مرور كلمه_سر كلمه_الدخول كلمه_دخول رمز* رموز* ارقام*+بطاق*|سري*|صراف|هاتف*|اربعه|ثلاثه صراف_الي صراف_آلي بطاق*+رقم|ارقام*|صور|صوره|وجهي|بنك*|مصرف* ' +
      'تطبيق+بنك*|مصرف* بنكي*+بطاق*|تطبيق* شاشت*|شاشه+شارك|مشارك*|تحكم|وكيل|مساعد تحكم_عن_بعد وصول_عن_بعد مفتاح+توقيع|خاص|هويه توقيع_الكتروني+مفتاح جلسه+مفتوح*|اترك سوال_الامان',
  ],
  [
    'topic_payment',
    'any',
    'cash paypal* revolut* wise+send|use|pay|transfer|money venmo* payconiq* moneygram* western_union paysafe* neosurf* transcash* bitcoin* btc crypto* krypto* ethereum usdt prepaid* voucher* ' +
      'zelle skrill* cashapp stripe tikkie bancontact+send|number|phone apple_pay google_pay giftcard* iban',
  ],
  [
    'topic_payment',
    'en',
    'hand|leave|give|bring+fee|sum|amount+man|woman|driver|car_park|parking|stranger|helper|waits|street ' +
      'top_up* twenties fifties fee|money+guard|gate|door|usher|driver|courier money account|accounts pay|pays|paying+courier|driver|man|woman|clerk|officer|door|neighbour|stranger|him|her|person|middleman|helper amazon*|itunes|steam|google_play+card*|code* envelope+pay*|money|notes banknote* bank_note* bank*+notes notes+envelope|driver|pay|euro*|hand gift* coin coins coupon* prepaid* pre_paid wallet* deposit* down_payment* advance_payment* ' +
      'transfer*+account|money|fee|sum|amount|bank|clerk|officer account+pay|send|sum|fee|money|abroad|private|number money+send|give|hand|bring|driver|courier wire+money|fee|sum|account ' +
      'pay|pays|paid|payment|fee|fees|cost|costs|charge|price+#amount pay|pays|paid|fee|money+extra|faster|bribe bribe*',
  ],
  [
    'topic_payment',
    'fr',
    'remet*|donne*|laisse*+redevance|frais|somme|montant+homme|femme|parking|chauffeur|intermediaire ' +
      'billet billets recharge* argent paye*|regle*|verse*+livreur|coursier|porte|domicile|homme|femme|employe*|agent|personne|intermediaire enveloppe+paye*|billet*|argent especes liquide billets+regle*|paye*|euros|remet*|enveloppe|apporte* cadeau* bon|bons+achat|achete*|prepaye*|cadeau* prepaye* coupon* cryptomonnaie* monnaie_virtuelle portefeuille+electronique|crypto* ' +
      'caution* acompte* depot+euros|paye*|argent vir*+compte|somme|argent|montant virement* compte+verse*|indique*|prive|etranger|numero argent+envoye*|donne*|remet*|transfer* transfere*+argent|compte|somme ' +
      'paye*|paie|redevance|frais|cout*|prix|tarif+#amount',
  ],
  [
    'topic_payment',
    'nl',
    'geef|overhandig*|laat+retributie|kosten|bedrag|som+man|vrouw|parking|parkeerplaats|chauffeur|tussenpersoon ' +
      'briefje belkaart* herlaad* geld bankrekening* rekening betaal*|betalen+koerier|bezorger|deur|man|vrouw|bediende|agent|tussenpersoon|buur* contant* biljet* bankbiljet* briefjes cadeau* tegoed* waardebon* bon|bonnen+koop|betaal prepaid* munten+digitale|crypto* cryptomunt* waarborg* voorschot* aanbetaling* ' +
      'stort*+rekening|bedrag|geld overschrijv*+rekening|geld|bedrag schrijf+rekening rekening+betaal|stort|prive|buitenland|tussenpersoon|nummer rekeningnummer* geld+stuur|geef|breng|verzend ' +
      'betaal*|kost|kosten|retributie|prijs|tarief+#amount',
  ],
  [
    'topic_payment',
    'de',
    'geben|gib|ubergeb*|uberreich*+gebuhr*|betrag|summe+mann|frau|parkplatz|fahrer|vermittler* ' +
      'schein scheine telefonkarte* guthabenkarte* auflad* geld konto kontos zahl*|bezahl*+kurier|bote*|tur|mann|frau|beamte*|vermittler*|nachbar* bar+zahl*|bezahl*|betrag|geld bargeld* barzahlung* scheine* scheinen+zahl*|geld|bring* banknote* gutschein* geschenk* guthaben* prepaid* munzen kryptowahrung* kaution* anzahlung* vorkasse* ' +
      'uberweis*+konto|kontonummer|geld|telefon konto+uberweis*|zahl*|einzahl*|nennt|privat*|ausland geld+send*|schick*|geb*|bring*|uberweis*|bote* kontonummer* ' +
      'zahl*|bezahl*|gebuhr*|kost*|preis+#amount',
  ],
  [
    'topic_payment',
    'uk',
    'віддай*|передай*|дайте+збір|плату|суму|внесок+чолов*|жінц*|парков*|стоян*|водієв*|посередник* ' +
      'поповн* гроші грошей грошима кошти рахунок рахунку заплат*|сплат*|оплат*+кур|двер*|посередник*|чоловік*|жінц*|сусід*|працівник* готівк* купюр* банкнот* подарунк* подарунков* ваучер* купон* криптовалют* біткоїн* біткойн* застав* завдат* передоплат* аванс* перека*+рахун*|гроші|кошти|сум* рахун*+переказ*|сплат*|перекаж*|посередник*|приватн* ' +
      'гроші+надішл*|передай*|дайте|принес*|перекаж* оплат*|сплат*|плат*|збір|вартіст*|коштує|заплат*+#amount',
  ],
  [
    'topic_payment',
    'ar',
    'سلم|اعط|ادفع+رسوم|رسم|مبلغ+رجل|موقف|سايق|وسيط ' +
      'نقديه اشحن* مال نقود اموال حساب* ادفع|دفع|يدفع+توصيل|باب|رجل|وسيط|جار|موظف|بيت* نقد نقدا نقدي* اوراق_نقديه بطاق*+هدايا|هديه|مسبقه قسيم* قسائم كوبون* مسبقه_الدفع مسبق_الدفع عمله_رقميه عملات_رقميه عملات_مشفره بيتكوين عربون* وديعه تامين+دفع|ادفع|يورو ' +
      'حول|تحويل|حولي|حولوا|يحول+حساب|مبلغ|مال|اموال|رسوم حساب+ادفع|وسيط|ارسل|ايداع مال|اموال|نقود+ارسل|اعط|سلم|حول ادفع|دفع|رسم|رسوم|يدفع|تكلفه|سعر+#amount',
  ],
  [
    'topic_software',
    'any',
    'browser* computer* laptop* npx npm pnpm yarn pip pipx curl wget sudo brew apt winget choco powershell bash zsh chmod ssh docker cmd_exe rm_rf exe apk msi dmg terminal+open|type|ouvr*|open*|offn*|відкри*|command* macro* makro* макрос* chrome_store',
  ],
  [
    'topic_software',
    'en',
    'file|files+open|received|accept|run icon* app apps download* click* setup executable* program+computer|desk|office install* uninstall* download*+app*|program*|software|tool|file|helper|client|extension|run|open software script|scripts plugin* plug_in* extension+browser|add|install|chrome|firefox executable* ' +
      'run|execute+program*|script*|command*|file|tool|helper|app|line command_prompt command_line console+open|type|paste terminal paste+line|command|console|terminal ' +
      'open|start|launch+program|program_and|file|attachment|executable|terminal|helper program+get|open|start|run|store|install app_store play_store app+install|download|get|log_in|store|open|desk delete*|remove*+folder*|file*|files|document_folder ' +
      'qr+scan* qr_code* jailbreak* admin_rights file_tool local_folder',
  ],
  [
    'topic_software',
    'fr',
    'fichier* navigateur* certificat+navigateur|ajoute*|installe* app appli applis telecharge* clique* ordinateur* application+mobile|telephone installe* desinstalle* telecharge*+appli*|app|logiciel*|programme*|outil*|fichier_executable|lance*|extension logiciel* script* extension+navigateur|installe*|ajoute*|proposee execute*+programme*|commande*|fichier*|script* ' +
      'lance*+programme|logiciel|commande|script|outil ligne_de_commande invite_de_commande* terminal+ouvre*|tape* colle*+commande|ligne|console app|appli|application+magasin|store|telecharge*|installe* supprime*+dossier|fichier* code_qr qr+scanne* piece_jointe+ouvre*',
  ],
  [
    'topic_software',
    'nl',
    'bestand bestanden app apps download* klik* klikken installe* download*+app*|programma*|software|tool|hulpmiddel|extensie|open software script* extensie* voer+programma|script|opdracht|commando opdrachtprompt opdrachtregel commando* terminal plak+regel|opdracht|console ' +
      'programma+open|start|download|installe* app+store|winkel|download|installe*|haal verwijder+map|bestand* qr_code* qr+scan* bijlage+open+macro*',
  ],
  [
    'topic_software',
    'de',
    'datei dateien app apps herunter* klick* rechner+installi*|offn*|start* installi* herunterlad* laden|lade|ladt+programm*|app|software|herunter|erweiterung|datei software skript* script* erweiterung+browser|hinzu*|installi* fuhr*+programm|skript|befehl|datei eingabeaufforderung* befehlszeile* kommandozeile* terminal ' +
      'programm+start*|offn*|laden|lade|ausfuhr* app+store|installi*|herunter|laden befehl*+tipp*|eingeb*|einfug*|kopier* losch*+ordner|datei* qr_code* qr+scann* anhang+offn*',
  ],
  [
    'topic_software',
    'uk',
    'файл* браузер* застосун* завантаж* натисн* комп клік* встанов*+програм*|застосун*|додат*|розширен*|помічник* установ*+програм*|застосун*|додат* інсталю* завантаж*+програм*|застосун*|додат*|розширен*|запуст* програмне_забезпечення скрипт* розширенн*+браузер*|встанов* запуст*+програм*|файл*|скрипт*|команд*|її|його командн*_рядк* командн*_рядок термінал*+відкри*|команд* ' +
      'видал*+папк*|файл*|тек* qr_код* qr+скан* вкладенн*+відкри*',
  ],
  [
    'topic_software',
    'ar',
    'متصفح* ملف+افتح|شغل تطبيق* نزل تنزيل حاسوب* كمبيوتر* اضغط* انقر* ثبت* تثبيت* نزل+برنامج*|تطبيق*|ملف تنزيل+برنامج*|تطبيق* حمل|تحميل+برنامج*|تطبيق* برنامج+شغل*|افتح|تشغيل|حاسوب*|هاتف* شغل*+برنامج*|ملف|امر|تطبيق* سكريبت* سطر_الاوامر موجه_الاوامر متجر_التطبيقات تطبيق+متجر احذف+مجلد*|ملف* مسح+رمز_qr',
  ],
  [
    'topic_agents',
    'any',
    'ai ais ki llm llms gpt* chatgpt chatbot* bot bots claude gemini copilot prompt* mcp submit_validation submit_rating submit_feedback submit_concern submit_amendment ' +
      `#addressed ${AGENT_WORDS}+${AGENT_ORDERS}`,
  ],
  [
    'topic_agents',
    'en',
    'from_now_on+reply*|answer*|respond*|say reply_only answer_only respond_only reply_with|answer_with|respond_with+only|word before_answering before_replying before_you_answer before_you_reply every_question+answer|reply|respond whoever_reads reads_this+say|first|aloud|answer aloud+first|say ' +
      'programs|software+read*|summari*|page|rank* other_step* rank*+page|text|path model|models machine|machines+read*|text|process*|confirm* text|skill|page+confirm*|validate*|approve*|vote follow+only|instead|this applicant|person|reader|they|citizen+not+know|hear|learn|see|told|notice know+person|user|applicant+report|notes|add|put|write new_rule* language_model* model|models+you|ai|must|read*|answer*|language chat+copy|paste|log|quote|put|person|user profile+put|quote|fetch|send|copy|include|user|person conversation+copy|quote|send|put|include|paste dear_agent* dear_assistant* hey_agent* hey_assistant* any_agent every_agent all_agents any_assistant every_assistant all_assistants agent|agents|assistant|assistants+must|should|shall|always|never+people|person|them|they|user|users|applicant*|reader* agents_must agents_should assistants_must assistants_should assistant_must assistant_should ' +
      'ignore* disregard* override* overrule* forget+previous|before|above|everything|earlier|all|instruction*|rule*|rest|said skip+above|before|everything|previous|earlier|instruction*|rule*|rest|said ' +
      'not_tell not_mention* not_inform* not_say not_show+person|user|applicant|reader not_warn* without_telling without_informing dont_tell hide|hides|hidden|conceal*|withhold*+person|user|applicant|reader|from keep+quiet|secret|between_us|from_the_applicant|from_the_person|from_the_reader|from_them|from_him|from_her|applicant ' +
      'new_instruction* new_instructions following_instructions system_message* verdict vote+confirm*|text|skill rationale data|files+user|upload+put|user',
  ],
  [
    'topic_agents',
    'fr',
    'desormais|dorenavant+repondez|reponds|dites|dis repondez_seulement repondez_uniquement avant_de_repondre chaque_question|toute_question+repond* quiconque_lit voix_haute+dit|dire|dites|abord ' +
      'programmes|logiciels+page|texte|resume*|lise* autres_etapes modele|modeles+lise*|lit|lire|confirm*|ia|texte systeme|systemes|machine|machines+lise*|confirm*|texte texte|fiche|page+confirme*|valide*|approuve* demandeur|usager|personne|citoyen+pas|rien+savoir|sache|apprendre|voir ia intelligence_artificielle modele_de_langage modele*_de_langue robot* ignore* oublie*+precede*|avant|tout|consigne*|instruction*|regle*|dessus saute*+precede*|dessus|consigne*|instruction* compte+ne_tenez_pas|ne_tiens_pas ne_tenez_pas_compte ne_tiens_pas_compte ' +
      'ne_dites|ne_dis|ne_parlez|ne_parle|ne_signale*|ne_mentionne*+rien|pas cache*|dissimule*|taisez+personne|usager|demandeur|client|a_la|au conversation*+copie*|colle*|envoye*|met* profil+copie*|colle*|envoye*|met*|cite*',
  ],
  [
    'topic_agents',
    'nl',
    'vanaf_nu|voortaan+antwoord*|zeg antwoord_alleen antwoord_enkel antwoord_slechts voordat_u_antwoordt voor_u_antwoordt voor_je_antwoordt voordat_je_antwoordt elke_vraag+antwoord* wie_dit_leest hardop+zeg*|eerst ' +
      'programma*+pagina|tekst|samenvat* andere_stap* model|modellen+lees|lezen|bevestig*|ai|tekst systeem|systemen|machine*+lees|lezen|bevestig*|tekst tekst|pagina|fiche+bevestig*|keur* aanvrager|persoon|burger|klant+niet|niets+weten|horen|weet|zien taalmodel* kunstmatige_intelligentie artificiele_intelligentie negeer* negeren vergeet+alles|eerder*|vorige|bovenstaande*|hierboven|voorgaande*|aanwijzing*|instructie*|regel* sla+over+hierboven|bovenstaande|alles ' +
      'vertel|zeg|meld|vermeld+niet|niets verzwijg* verberg*|geheim+aanvrager|persoon|klant|gebruiker|voor gesprek+kopieer|plak|stuur|zet profiel+kopieer|plak|stuur|zet|citeer',
  ],
  [
    'topic_agents',
    'de',
    'ab_jetzt|ab_sofort|kunftig+antworte|antworten_sie|sag|sage|sagen_sie antworte_nur antworten_sie_nur bevor_du_antwortest bevor_sie_antworten vor_der_antwort|vor_dem_antworten jede_frage+antwort* wer_dies_liest|wer_das_liest laut+vorliest|vorlesen ' +
      'programme+seite|text|zusammenfass* anderen_schritt* andere_schritt* modell|modelle+lesen|liest|bestatig*|ki|text system|systeme|maschine*+lesen|liest|bestatig*|text text|seite+bestatig*|genehmig* antragsteller|person|burger|kunde+nicht|nichts+wissen|erfahr*|horen|sehen sprachmodell* kunstliche_intelligenz ki_* ignorier* vergiss|vergessen|vergesst+alles|bisher*|vorher*|oben|obig*|anweisung*|regel*|fruher* ubergeh*|uberspring*+alles|oben|obig*|anweisung*|hinweis*|regel*|bisher* missacht* ' +
      'sag*|erzahl*|erwahn*|verrat*+nicht|nichts verschweig* verheimlich* verberg*|versteck*+person|antragsteller|vor gesprach*+kopier*|einfug*|send*|schick* chatverlauf* profil+kopier*|einfug*|send*|schick*|zitier*',
  ],
  [
    'topic_agents',
    'uk',
    'відтепер+відповід*|кажи|кажіть відповідай_лише відповідай_тільки відповідайте_лише відповідайте_тільки перед_відповіддю перш_ніж_відповісти кожне_питання|кожне_запитання+відповід* хто_це_читає вголос+скаж*|спершу|спочатку ' +
      'програм*+сторінк*|текст*|чита* інш*_крок* модел* систем*+чита*|підтвердж*|текст* текст*|сторінк*+підтверд* заявник*|особ*|людин*|клієнт*+не|нічого+знати|дізна*|чути|бачити ші штучн*_інтелект* мовн*_модел* бот|боти|бота|ботів|ботам чат_бот* чатбот* помічник*+цифров*|штучн*|віртуальн*|мають|повинн*|підтверд* ігнору* не_зважай* забуд*+усе|все|попередн*|вище|інструкц*|правил* пропуст*+вище|попередн*|усе|все ' +
      'не_кажи|не_кажіть|не_говори|не_говоріть|не_повідомляй*|не_згадуй*|не_розповідай* прихова* приховуй* розмов*+скопію*|встав*|надішл* профіл*+скопію*|встав*|надішл*|цитуй*',
  ],
  [
    'topic_agents',
    'ar',
    'من_الان+اجب|اجيبوا|قل|رد اجب_فقط قبل_الاجابه قبل_ان_تجيب كل_سوال+اجب|رد من_يقرا_هذا بصوت_عال+قل|يقول ' +
      'برامج+صفحه|نص|تلخص|تقرا خطوات_اخرى خطوات_الاخرى نموذج|نماذج+تقرا|يقرا|توكد|لغوي*|نص انظمه+تقرا|توكد|نص نص|صفحه+توكد|اكد|تاكيد|اكدوا شخص|طالب|صاحب+لا|الا+يعرف|يعلم|يرى ذكاء_اصطناعي ذكاء_الاصطناعي نموذج_لغوي نماذج_لغويه روبوت* وكيل|وكلاء+ذكي|ذكيه|رقمي|ايها|يا|ارفع|ارسل مساعد|مساعدين|مساعدون+ذكي|ذكيه|رقمي|رقميه|افتراضي|نص|صفحه|ايها|يا|ارسل|ارسلوا|اكد|تاكيد|اجب|قل|انسخ|تجاهل تجاهل* انس|انسوا|انسي+كل|سبق|ورد|اعلاه|سابق*|تعليمات تخط|تجاوز+سبق|اعلاه|تعليمات لا_تخبر* لا_تذكر لا_تقل لا_تبلغ* اخف|اخفاء|تخف+شخص|طالب|عن محادثه+انسخ|ارسل|ضع|الصق ملف_الشخص|ملفه_الشخصي+انسخ|ارسل|ضع',
  ],
];

/** Phrases of ordinary procedures that contain words of a topic; they match no topic. */
export const PLAIN_PHRASES =
  'civil_code penal_code building_code nationality_code post_code postal_code zip_code labour_code criminal_code code_civil code_postal code_penal code_de_la_nationalite code_du_travail code_du_logement code_judiciaire ' +
  'identity_card* id_card* residence_card* card_reader* carte*_d_identite carte_de_sejour lecteur_de_carte* lecteur_de_cartes social_assistant* assistant*_social* assistant*_sociale* maatschappelijk_assistent* sociaal_assistent* agent_de_quartier agent_de_police agent_du_guichet housing_agent* ' +
  'поштов*_код* цивільн*_кодекс* رمز_بريدي رمز_البريدي الرمز_البريدي';

/** Sums from here on, in euros or dollars, count as the topic of payment if something is to be paid. */
export const AMOUNT_MIN = 250;
