/** A way to address the reading model instead of the reading person. */
export interface InjectionPattern {
  /** Small-letter texts, one of which must occur for the pattern to be tried at all. */
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
/** Where an order may begin, unlike a report about somebody who did so. */
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
  pattern(
    'system|assistant|developer|système|systeem|система|النظام',
    `^[\\s>*#-]{0,6}(?:system|assistant|developer|system prompt|système|systeem|система|النظام)\\s?:\\s`.replace(
      '^',
      '(?:^|\\n)',
    ),
  ),
  pattern(
    '<|im_|[inst]|<<sys>>|[/inst]|<|system|### ',
    '<\\|[a-z_]{2,20}\\|>|\\[\\/?INST\\]|<<\\/?SYS>>|(?:^|\\n)#{2,4}\\s(?:system|instructions?|prompt)\\s?:?(?=\\n|$)',
  ),
  pattern(
    "you are now|you're now|act as|pretend",
    `${W}(?:you are now|you're now|from now on,? you (?:are|will)|act as|pretend (?:to be|you are))${E}${NEAR}${W}(?:assistant|ai|model|agent|bot|mode|persona|admin|administrator|root|system|developer|hacker|dan|unrestricted|uncensored|jailbroken|free from|no longer)${E}`,
  ),
  pattern(
    'developer mode|jailbreak|dan mode|mode développeur|ontwikkelaarsmodus|ontwikkelmodus|entwicklermodus|режим розробника|وضع المطور|god mode',
    `${W}(?:developer mode|jailbreak\\p{L}{0,5}|dan mode|god mode|mode développeur|ontwikkelaarsmodus|ontwikkelmodus|entwicklermodus|режим(?:і|у)? розробника|وضع المطور)${E}`,
  ),
  pattern(
    'es maintenant|es désormais|êtes maintenant|êtes désormais',
    `${W}(?:tu es|vous êtes) (?:maintenant|désormais)${E}${NEAR}${W}(?:assistant|ia|modèle|agent|robot|mode|administrateur|système|développeur|libre|sans restriction)`,
  ),
  pattern(
    'bent nu|bent voortaan',
    `${W}(?:je|jij|u) bent (?:nu|voortaan)${E}${NEAR}${W}(?:assistent|ai|model|agent|bot|modus|beheerder|systeem|ontwikkelaar|vrij)`,
  ),
  pattern(
    'bist jetzt|bist nun|sind jetzt|sind nun',
    `${W}(?:du bist|sie sind) (?:jetzt|nun|ab sofort)${E}${NEAR}${W}(?:assistent|ki|modell|agent|bot|modus|administrator|system|entwickler|frei)`,
  ),
  pattern('أنت الآن|انت الان', `(?:أنت الآن|انت الان)${NEAR}(?:مساعد|نموذج|وكيل|نظام|مطور|مدير|حر)`),
  pattern(
    'ти тепер|тепер ти|ви тепер|відтепер',
    `${W}(?:ти тепер|тепер ти|ви тепер|відтепер ти|відтепер ви)${E}${NEAR}${W}(?:асистент|помічник|модел|агент|бот|систем|адміністратор|розробник|вільн|ші${E})`,
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
];
