import { GIVEN_NAMES } from './given-names.ts';
import { listedGivenNames } from './known-names.ts';

/**
 * A name by its sound: classes of consonants, and the vowels before, between and after them. Other scripts transcribe foreign names by
 * sound, so `كريستين` and `Крістін` have the consonants of `Christine` and compatible vowels.
 */
interface Sound {
  readonly consonants: string;
  readonly vowels: readonly string[];
}

/** Vowels of the listed given names, by consonants. */
let index: Map<string, string[][]> | undefined;

const CONSONANTS_MIN = 3;

/** Whether an Arabic-script word transcribes a given name of the Latin list. */
export function isArabicSound(word: string): boolean {
  const sound = soundOf(word, ARABIC);
  return isKnownSound(sound, fitsArabic);
}

/** Whether a Ukrainian word without its case ending transcribes a given name of the Latin list. */
export function isCyrillicSound(stem: string): boolean {
  const small = stem.toLowerCase();
  if (isKnownSound(soundOf(small, CYRILLIC), fitsCyrillic)) return true;
  return /[гґ]/.test(small) && isKnownSound(soundOf(small.replaceAll('г', 'х'), CYRILLIC), fitsCyrillic);
}

function isKnownSound(
  { consonants, vowels }: Sound,
  fits: (written: string, latin: string, at: Place) => boolean,
): boolean {
  if (consonants.length < CONSONANTS_MIN) return false;
  index ??= buildIndex();
  const last = vowels.length - 1;
  return (index.get(consonants) ?? []).some((latin) =>
    vowels.every((written, at) => fits(written, latin[at] ?? '', at === 0 ? 'first' : at === last ? 'last' : 'inner')),
  );
}

type Place = 'first' | 'inner' | 'last';

/** Arabic may omit a single short vowel, and writes an initial vowel with an alef. */
function fitsArabic(written: string, latin: string, place: Place): boolean {
  if (place === 'first') {
    if (latin === '') return written === '';
    if (/^[iu]$/.test(written)) return ARABIC_VOWELS[written]?.test(latin.slice(0, 1)) === true;
    return written.startsWith('a') && (written.length === 1 || fitsArabic(written.slice(1), latin, 'inner'));
  }
  if (written === '') return place === 'last' ? latin === '' || latin === 'e' : /^[aeiou]?$/.test(latin);
  return [...written].every((vowel) => ARABIC_VOWELS[vowel]?.test(latin));
}

const ARABIC_VOWELS: Readonly<Record<string, RegExp>> = { a: /[ae]/, i: /[iye]/, u: /[ouw]/ };

function fitsCyrillic(written: string, latin: string, place: Place): boolean {
  if (place === 'last') return true;
  if (written === '') return latin === '';
  return latin !== '' && [...written].every((vowel) => CYRILLIC_VOWELS[vowel]?.test(latin));
}

const CYRILLIC_VOWELS: Readonly<Record<string, RegExp>> = { a: /a/, e: /[eai]/, i: /[iyej]/, o: /[oau]/, u: /[ouwy]/ };

/** Arabic letters: capitals are consonants, small letters vowels. */
const ARABIC = lettersOf(
  'بB تT ثT جG حH خH دD ذD رR زZ سS شC صS ضD طT ظD غG فF قK كK لL مM نN هH وu يi ىa اa أa إa آa ةa',
);
const CYRILLIC = lettersOf(
  'бB вF гG ґG дD жG зZ кK лL мM нN пB рR сS тT фF хH цTS чC шC щC аa яia еe єie иi іi їi йi оo уu юiu',
);
const LATIN = lettersOf(
  'schC tchC shC chC ckK khH thT phF ghG djG zhG qK kK xKS gG jG hH bB pB tT dD fF vF wu lL mM nN rR sS zZ aa ee ii oo uu yi',
);
/** Longest first; `c` sounds like `s` before some vowels. */
const LATIN_PARTS = /sch|tch|[scktpgz]h|ck|dj|c(?=[eiy])|./g;

function lettersOf(pairs: string): ReadonlyMap<string, string> {
  return new Map(
    pairs.split(' ').map((pair) => {
      const at = /[A-Z]+$|[a-z]{1,2}$/.exec(pair.slice(1))?.index ?? 0;
      return [pair.slice(0, at + 1), pair.slice(at + 1)];
    }),
  );
}

function soundOf(word: string, letters: ReadonlyMap<string, string>): Sound {
  let sound = '';
  for (const letter of word) sound += letters.get(letter) ?? '';
  return parted(sound);
}

/** Doubled letters count once. */
function parted(sound: string): Sound {
  let consonants = '';
  const vowels = [''];
  let before = '';
  for (const letter of sound) {
    if (letter === before) continue;
    before = letter;
    if (letter < 'a') {
      consonants += letter;
      vowels.push('');
    } else vowels[vowels.length - 1] += letter;
  }
  return { consonants, vowels };
}

function latinSounds(name: string): Sound[] {
  const sound = name.replace(LATIN_PARTS, (part, at: number) => {
    if (part === 'c') return /[eiy]/.test(name.charAt(at + 1)) ? 'S' : 'K';
    return LATIN.get(part) ?? '';
  });
  const sounds = [parted(sound)];
  if (name.startsWith('j')) sounds.push(parted(`i${sound.slice(1)}`));
  if (name.includes('ch')) sounds.push(parted(sound.replaceAll('C', 'K')));
  return sounds;
}

function buildIndex(): Map<string, string[][]> {
  const names = new Map<string, string[][]>();
  for (const list of [listedGivenNames(), GIVEN_NAMES]) {
    for (const name of list) {
      if (name.length < 4) continue;
      for (const { consonants, vowels } of latinSounds(name)) {
        if (consonants.length < CONSONANTS_MIN) continue;
        const known = names.get(consonants);
        if (known) known.push([...vowels]);
        else names.set(consonants, [[...vowels]]);
      }
    }
  }
  return names;
}
