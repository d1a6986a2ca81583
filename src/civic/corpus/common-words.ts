import { OTHER_WORDS } from '../scrub/names/other-words.ts';
import { foldName, PLACES } from '../scrub/names/places.ts';

/** Words common in company names. */
const TRADE_WORDS: ReadonlySet<string> = new Set(
  (
    'about advice advies agence agency agentur always assist association assurance bank bel belgium berater beratung best better boxes bridge brussel brussels bureau business care center centre choice ' +
    'city clear client cloud company conseil consult consulting contact counsel credit data desk digital direct document documents dokument easy europe european experts expert express fair family fast ' +
    'finance first form forms free friend friends fund global green group groupe gruppe handel hands health help helper home house immo insurance international invest kantoor language languages legal ' +
    'letter letters light local logistics mail media mobile money mover movers moving near network office online open paper papers partner partners people perfect plus point portal premium print private ' +
    'pro project quick rapid right safe sample second secure sense service services simple smart social solution solutions speed star start storage store studio support swift sworn system systems taal team ' +
    'tech today together trade traduction transfer translate translation translations translator translators transport travel trust umzug united value verhuis verhuizing vertaling village water welcome words world'
  ).split(' '),
);

/** Whether a lower-case word is too common to stand for one company. */
export function isCommonWord(word: string): boolean {
  const folded = foldName(word);
  return TRADE_WORDS.has(folded) || OTHER_WORDS.has(folded) || PLACES.has(folded);
}
