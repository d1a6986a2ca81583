/** A way to address the reading model instead of the reader. */
export interface InjectionPattern {
  /** Lower-case texts; the pattern is tried only if one of them occurs. */
  readonly hints: readonly string[];
  readonly pattern: RegExp;
}

const pattern = (hints: string, source: string): InjectionPattern => ({
  hints: hints.split('|'),
  pattern: new RegExp(source, 'giu'),
});

const W = '(?<![\\p{L}\\p{N}_])';
const E = '(?![\\p{L}\\p{N}_])';
const NEAR = '[^.!?\\n]{0,50}?';
/** Within one clause. */
const CLAUSE = '[^.!?;:,\\n]{0,30}?';
/** Where an instruction can begin, as opposed to a report about a person who did so. */
const ORDER =
  '(?:^|[.!?:;,"«»(\\n]\\s{0,3}|(?<!\\p{L})(?:please|and|you must|you should|always|et|merci de|svp|en|und|bitte|gelieve|alsjeblieft|і|та|و)\\s)';
const DATA =
  '(?:conversation|chat|histor|user|utilisateur|usager|gebruiker|benutzer|nutzer|profil|password|passwor|mot de passe|wachtwoord|credential|secret|token|api[ -]?key|session|memory|mémoire|prompt|everything|all (?:the |of the )?(?:data|files|info)|personal|personnel|persönlich|persoonlijk|données|gegevens|daten|cookies|private|contents? of|gesprek|unterhaltung|gespräch|розмов|пароль|паролі|дані|المحادثة|كلمة المرور|البيانات|بيانات)';

/** Instructions, roles, tool calls, secrecy and exfiltration in the six languages [PV14, spec 6]. */
export const INJECTION_PATTERNS: readonly InjectionPattern[] = [
  pattern(
    'ignore|disregard|forget|override|bypass',
    `${W}(?:ignore|disregard|forget|override|bypass)${E}${NEAR}${W}(?:previous|prior|preceding|above|earlier|all|any|your|these|those|system|safety)${E}${NEAR}${W}(?:instructions?|rules?|prompts?|guidelines?|directives?|context|policy|policies|training)${E}`,
  ),
  pattern(
    'ignore|oublie|abstraction|tiens pas compte|tenez pas compte',
    `${W}(?:ignore[zrs]?|oublie[zrs]?|fais abstraction|faites abstraction|ne tiens pas compte|ne tenez pas compte)${E}${NEAR}${W}(?:instructions?|consignes?|règles?|directives?|ordres)${E}${NEAR}${W}(?:précédente?s?|ci-dessus|antérieure?s?|initiales?|système|données|reçues)${E}`,
  ),
  pattern(
    'ignore|oublie',
    `${W}(?:ignore[zrs]?|oublie[zrs]?)${E}${NEAR}${W}(?:toutes|tes|vos|précédentes)${E}${NEAR}${W}(?:instructions?|consignes?|règles?|directives?)${E}`,
  ),
  pattern(
    'negeer|vergeet|sla ',
    `${W}(?:negeer|vergeet|sla)${E}${NEAR}${W}(?:vorige|eerdere|voorgaande|bovenstaande|alle|je|uw|jouw)${E}${NEAR}${W}(?:instructies?|regels|opdrachten|aanwijzingen|richtlijnen)${E}`,
  ),
  pattern(
    'ignorier|vergiss|vergesse|missacht',
    `${W}(?:ignorier(?:e|en|t)?|vergiss|vergessen?|missachte?n?)${E}${NEAR}${W}(?:vorherigen?|bisherigen?|vorigen?|früheren?|obigen?|alle|deine|ihre)${E}${NEAR}${W}(?:anweisungen|regeln|instruktionen|vorgaben|befehle|richtlinien)${E}`,
  ),
  pattern(
    'تجاهل|انس|تخط',
    `${W}(?:تجاهل|تجاهلي|انس|انسَ|تخطَ|تخط)${E}${NEAR}(?:التعليمات|الأوامر|القواعد|الإرشادات|تعليمات|أوامر)`,
  ),
  pattern(
    'ігноруй|забудь|знехтуй|не зважай',
    `${W}(?:про)?(?:ігноруй|забудь|знехтуй|не зважай)(?:те)?${E}${NEAR}(?:інструкці|вказівк|правил|наказ)`,
  ),
  // The same without a word for instructions: everything that was said before.
  pattern(
    'ignore|disregard|forget',
    `${W}(?:ignore|disregard|forget)${E} (?:everything|anything|all|whatever|what|the (?:text|rest|page))${E}${CLAUSE}${W}(?:above|before (?:this|that|it|now)|(?:said|written|told|read|came|stands|goes) (?:before|earlier|so far|previously)|so far|previously|that precedes)${E}`,
  ),
  pattern(
    'ignore|oublie|compte de',
    `${W}(?:ignore[zrs]?|oublie[zrs]?|(?:tiens|tenez) pas compte de)${E} (?:tout )?ce qui${E}${CLAUSE}${W}(?:précède|ci-dessus|plus haut|avant|auparavant|jusqu[’']ici|a été (?:dit|écrit))${E}`,
  ),
  pattern(
    'negeer|vergeet',
    `${W}(?:negeer|vergeet)${E} (?:alles|al|wat|het|de tekst)${E}${CLAUSE}${W}(?:hierboven|hiervoor|tot nu toe|voorafgaat|voorafgaande|voorgaande|erboven|eerder (?:staat|stond|gezegd|geschreven))${E}`,
  ),
  pattern(
    'ignorier|vergiss|vergesse|vergesst',
    `${W}(?:ignorier(?:e|en|t)?|vergiss|vergessen?|vergesst)${E} (?:sie )?(?:alles|was|den text|das)${E}${NEAR}${W}(?:oben|obige|bisher|davor|zuvor|vorher|vorangeht|vorhergeht|vorige)${E}`,
  ),
  pattern(
    'ігноруй|забудь|знехтуй|не зважай',
    `${W}(?:про)?(?:ігноруй|забудь|знехтуй|не зважай)(?:те)?${E} (?:на |про |усім |всім )?(?:усе|все|те|увесь|весь|текст)${E}${NEAR}${W}(?:вище|раніше|до цього|досі|попереднє)${E}`,
  ),
  pattern(
    'تجاهل|انس|تخط',
    `${W}(?:تجاهل(?:وا|ي)?|انس[َوا]{0,2}|تخط[َّ]{0,2}) (?:كل |جميع )?(?:ما (?:سبق|تقدم|ورد|ذكر|قيل|كتب|جاء|قبل)|(?:النص|الكلام) (?:السابق|أعلاه))`,
  ),
  pattern(
    'system|assistant|developer|système|systeem|система|النظام',
    `(?:^|\\n)[\\s>*#+•|-]{0,6}(?:\\(?[0-9a-z]{1,3}[.)]\\s{0,3})?[*_\`"'“«]{0,3}(?:system|assistant|developer|system (?:prompt|message)|système|systeem|система|النظام)[*_\`]{0,3}\\s?:[*_\`]{0,3}\\s`,
  ),
  pattern(
    '<|im_|[inst]|<<sys>>|[/inst]|<|system|### ',
    '<\\|[a-z_]{2,20}\\|>|\\[\\/?INST\\]|<<\\/?SYS>>|(?:^|\\n)#{2,4}\\s(?:system|instructions?|prompt)\\s?:?(?=\\n|$)',
  ),
  pattern(
    "you are now|you're now|act as|pretend",
    `${W}(?:you are now|you're now|from now on,? you (?:are|will)|act as|pretend (?:to be|you are))${E}${CLAUSE}${W}(?:assistant|ai|model|agent|bot|mode|persona|admin|administrator|root|system|developer|hacker|officer|official|clerk|maintainer|keeper|validator|reviewer|moderator|operator|dan|unrestricted|uncensored|jailbroken|free from|no longer)${E}`,
  ),
  pattern(
    'developer mode|jailbreak|dan mode|mode développeur|ontwikkelaarsmodus|ontwikkelmodus|entwicklermodus|режим розробника|وضع المطور|god mode',
    `${W}(?:developer mode|jailbreak\\p{L}{0,5}|dan mode|god mode|mode développeur|ontwikkelaarsmodus|ontwikkelmodus|entwicklermodus|режим(?:і|у)? розробника|وضع المطور)${E}`,
  ),
  pattern(
    'es maintenant|es désormais|êtes maintenant|êtes désormais',
    `${W}(?:tu es|vous êtes) (?:maintenant|désormais)${E}${CLAUSE}${W}(?:assistant|ia|modèle|agent|robot|mode|administrateur|système|développeur|officier|fonctionnaire|modérateur|responsable|libre|sans restriction)`,
  ),
  pattern(
    'bent nu|bent voortaan',
    `${W}(?:je|jij|u) bent (?:nu|voortaan)${E}${CLAUSE}${W}(?:assistent|ai|model|agent|bot|modus|beheerder|systeem|ontwikkelaar|ambtenaar|moderator|vrij)`,
  ),
  pattern(
    'bist jetzt|bist nun|sind jetzt|sind nun',
    `${W}(?:du bist|sie sind) (?:jetzt|nun|ab sofort)${E}${CLAUSE}${W}(?:assistent|ki|modell|agent|bot|modus|administrator|system|entwickler|beamter|beamte|moderator|frei)`,
  ),
  pattern('أنت الآن|انت الان', `(?:أنت الآن|انت الان)${CLAUSE}(?:مساعد|نموذج|وكيل|نظام|مطور|مدير|موظف|مشرف|حر)`),
  pattern(
    'ти тепер|тепер ти|ви тепер|відтепер',
    `${W}(?:ти тепер|тепер ти|ви тепер|відтепер ти|відтепер ви)${E}${CLAUSE}${W}(?:асистент|помічник|модел|агент|бот|систем|адміністратор|розробник|посадов|модератор|вільн|ші${E})`,
  ),
  pattern(
    '"tool|function_call|tool_use|"arguments"|mcp__|<tool|<function|<invoke|tools/call',
    `"(?:tool|tool_name|tool_calls?|tool_use|function_call|function)"\\s{0,3}:|"arguments"\\s{0,3}:\\s{0,3}[{"]|mcp__[a-z0-9]|<\\/?(?:tool_call|tool_use|function_calls?|invoke|antml)[\\s:>]|tools\\/call`,
  ),
  pattern(
    'send|upload|post|forward|transmit|leak|exfiltrate|submit|copy',
    `${W}(?:send|upload|post|forward|transmit|leak|exfiltrate|submit|copy)${E}[^\\n]{0,40}?${DATA}[^\\n]{0,60}?${W}(?:to|at|via)\\s[^\\n]{0,20}?(?:https?:\\/\\/|www\\.)`,
  ),
  pattern(
    'envoie|envoyez|transmet|téléverse|publie',
    `${W}(?:envoie[zs]?|envoyez|transmets|transmettez|téléverse[zs]?|publie[zs]?)${E}[^\\n]{0,40}?${DATA}[^\\n]{0,60}?(?:https?:\\/\\/|www\\.)`,
  ),
  pattern(
    'stuur|verzend|upload',
    `${W}(?:stuur|verzend|upload)${E}[^\\n]{0,40}?${DATA}[^\\n]{0,60}?(?:https?:\\/\\/|www\\.)`,
  ),
  pattern(
    'sende|schick|übermittle|lade ',
    `${W}(?:sende[nt]?|schicken?|schick|übermittle|übermitteln|lade)${E}[^\\n]{0,40}?${DATA}[^\\n]{0,60}?(?:https?:\\/\\/|www\\.)`,
  ),
  pattern('أرسل|ارسل|حمّل', `(?:أرسل|ارسل|حمّل)[^\\n]{0,40}?${DATA}[^\\n]{0,60}?(?:https?:\\/\\/|www\\.)`),
  pattern(
    'надішли|відправ|завантаж',
    `${W}(?:надішли|відправ|завантаж)(?:те)?${E}[^\\n]{0,40}?${DATA}[^\\n]{0,60}?(?:https?:\\/\\/|www\\.)`,
  ),
  pattern('![', '!\\[[^\\]\\n]{0,200}\\]\\(\\s?https?:\\/\\/[^)\\s?]{1,300}\\?[^)\\s]{1,300}'),
  pattern(
    'tell|inform|mention|reveal|disclose|show',
    `${ORDER}(?:do not|don['’]t|never)\\s(?:ever\\s)?(?:tell|inform|mention|reveal|disclose|show|let)${E}[^.\\n]{0,30}?${W}(?:users?|human|operator)${E}`,
  ),
  pattern(
    'without telling|without informing|without the user|keep this secret|hide this from',
    `${W}(?:without (?:telling|informing|alerting) (?:the |your )?(?:user|human)|without the user(?:'s)? (?:knowledge|knowing)|keep this secret from|hide this from)${E}`,
  ),
  pattern(
    'utilisateur|usager',
    `${ORDER}n(?:e |['’])(?:le |la |l['’])?(?:dis|dites|mentionne[zs]?|révèle[zs]?|révélez|préviens|prévenez|informe[zs]?|montre[zs]?|parle[zs]?)${E}[^.\\n]{0,20}?(?:pas|rien|jamais)${E}[^.\\n]{0,25}?(?:utilisateur|usager)`,
  ),
  pattern(
    'gebruiker',
    `${ORDER}(?:vertel|zeg|meld|toon|informeer|laat)${E}[^.\\n]{0,30}?(?:(?:niet|niets|nooit)${E}[^.\\n]{0,25}?gebruiker|gebruiker[^.\\n]{0,30}?(?:niet|niets|nooit)${E})`,
  ),
  pattern(
    'benutzer|nutzer|anwender',
    `${ORDER}(?:sag|sage|sagen|erzähle?|verrate?|informiere?n?|zeige?|teile)${E}[^.\\n]{0,30}?(?:(?:nicht|nichts|nie|niemals)${E}[^.\\n]{0,25}?(?:benutzer|nutzer|anwender)|(?:benutzer|nutzer|anwender)[^.\\n]{0,30}?(?:nicht|nichts|nie|niemals)${E})`,
  ),
  pattern('لا تخبر|لا تقل|دون إخبار|لا تذكر', `(?:لا تخبر|لا تقل|دون إخبار|لا تذكر)[^.\\n]{0,25}?(?:المستخدم|مستخدم)`),
  pattern(
    'не кажи|не кажіть|не повідомляй|не розповідай|не говори',
    `${W}не (?:кажи|кажіть|повідомляй|повідомляйте|розповідай|розповідайте|говори|говоріть)${E}[^.\\n]{0,25}?(?:користувач)`,
  ),
  // Shells and local files: no procedure of an office mentions them.
  pattern(
    'rm -|sudo |curl |wget |chmod |bash |powershell|ssh|id_rsa|.env|passwd|appdata|~/|/etc/|c:\\|eval(|base64 -|npm i|pip i|/proc/|.aws|keychain|localstorage|.bashrc',
    `${W}(?:rm -[a-z]{1,4}|sudo [a-z]|(?:curl|wget) (?:-[a-z]|https?:|[a-z0-9.-]{3,60}\\/)|chmod [+0-7a-z]|bash -c|sh -c|powershell|npm (?:i|install) [a-z@]|pip3? install|base64 -d|eval\\()|(?<![\\p{L}\\p{N}])~\\/[a-z.]?|(?<![\\p{L}\\p{N}.])\\/(?:etc|proc|root|home)\\/[a-z.]|[a-z]:\\\\[a-z]|${W}id_(?:rsa|ed25519)${E}|(?<![\\p{L}\\p{N}])\\.(?:env|ssh|aws|npmrc|netrc|bashrc)${E}|%appdata%|${W}localstorage${E}`,
  ),
  // A tool, by its name in a program.
  pattern(
    'call|use|invoke|run|execute|trigger|appele|utilise|exécute|lance|roep|gebruik|voer|rufe|nutze|benutz|verwend|führe|виклич|використ|запуст|استدع|استخدم|شغل',
    `${W}(?:call|use|invoke|run|execute|trigger|appele[zr]|appelle|utilise[zr]?|exécute[zr]?|lance[zr]?|roep|gebruik|voer|rufen?|nutzen?|benutzen?|verwenden?|führen?|виклич(?:те)?|використай(?:те)?|запусти|запустіть|استدع|استخدم|شغل)${E}[^.!?\\n]{0,30}?(?:[a-z]{2,30}_[a-z_]{2,40}|${W}(?:e-?mail|mail|shell|terminal|browser|fetch|file|bash|memory|mcp|search|http|python)[ -](?:tools?|functions?|werkzeug|outil|інструмент))`,
  ),
  // The agent by name, and an order to it. A person at a counter is an agent too, so the word alone is not enough.
  pattern(
    'assistant|ai |ai-|llm|language model|chatbot|chatgpt|claude|gemini|copilot|modèle de langage|taalmodel|sprachmodell|ki-|асистент|мовна модель|المساعد|نموذج',
    `${W}(?:ai[ -](?:agents?|assistants?|models?|systems?)|ais?|assistants?|llms?|language models?|chatbots?|chatgpt|claude|gemini|copilot|modèles? de langage|taalmodel(?:len)?|sprachmodelle?|ki-(?:agenten?|assistenten?|modelle?)|асистент(?:и|ам|у)?|мовн(?:а|і) модел(?:ь|і)|(?:ال)?مساعد الذكي|نماذج اللغة)${E}(?! social| sociale|e sociale)[^.!?\\n]{0,20}?${W}(?:must|should|shall|ha(?:s|ve) to|needs? to|are to|is to|please|always|never|do not|doit|doivent|devez|dois|moet(?:en)?|muss|müssen|soll(?:en)?|має|мають|повин(?:ен|ні)|يجب|عليه)${E}`,
  ),
  pattern(
    'agent',
    `${W}(?:agents?|agenten|агент(?:и|ам)?|الوكيل|الوكلاء)${E}[^.!?\\n]{0,20}?${W}(?:must|should|shall|have to|need to|doivent|doit|moet(?:en)?|muss|müssen|sollen|повинні|мають)${E}[^.!?\\n]{0,30}?${W}(?:quote|reveal|disclose|approve|skip|ignore|bypass|execute|invoke|fetch|download|install|prompt|tools?|commands?|files?|api|context window|instructions?|system|memory|citer le fichier|exécuter|ignorer|télécharger|installer|uitvoeren|negeren|downloaden|installeren|goedkeuren|ausführen|ignorieren|herunterladen|installieren|genehmigen|виконати|встановити|ігнорувати)${E}`,
  ),
  pattern(
    'as an ai|as a language model|as an assistant|en tant qu|als ki|als ai|als taalmodel|als sprachmodell',
    `${W}(?:as an? (?:ai|ai assistant|assistant|language model|llm),? you|en tant qu[e’'] ?(?:ia|assistant|modèle de langage),? (?:tu|vous)|als (?:ki|sprachmodell) (?:musst|müssen|sollst|sollen)|als (?:ai|taalmodel) (?:moet|mag))${E}`,
  ),
  pattern(
    'instruction|consigne|instructie|anweisung|інструкц|تعليمات',
    `${W}(?:new|updated|important|special|secret|urgent|nouvelles?|importantes?|secrètes?|nieuwe|belangrijke|geheime|neue|wichtige|нові|важливі)${E}\\s(?:instructions?|consignes?|instructies|anweisungen|інструкції)${E}[^.!?\\n]{0,20}?${W}(?:ais?|assistants?|agents?|models?|llms?|bots?|ia|modèles?|assistenten?|agenten?|modellen?|ki|асистент\\p{L}{0,3}|агент\\p{L}{0,3}|модел\\p{L}{0,3})${E}`,
  ),
  pattern(
    'the user|utilisateur|gebruiker|benutzer|nutzer|користувач',
    `${W}(?:the user (?:is|has been|was) (?:already |now |fully )?(?:verified|authenticated|authori[sz]ed|cleared|pre-?approved|an? admin\\p{L}{0,10})|(?:l[’']utilisateur|l[’']usager) (?:est|a été) (?:déjà )?(?:vérifié|authentifié|autorisé)|de gebruiker is (?:al )?(?:geverifieerd|gemachtigd|beheerder)|der (?:be)?nutzer ist (?:bereits )?(?:verifiziert|berechtigt|authentifiziert)|користувач(?:а)? (?:вже )?(?:перевірено|підтверджено))${E}`,
  ),
];
