/** Letters that change before `і`: `Ольга`, `Ользі`. */
const SOFTENED: Readonly<Record<string, string>> = { г: 'з', к: 'ц', х: 'с' };

/** The case forms of a name or a word for a person, in small letters and with the straight apostrophe. */
export function ukrainianForms(name: string): string[] {
  const stem = name.slice(0, -1);
  const last = stem.at(-1) ?? '';
  switch (name.at(-1)) {
    case 'а': {
      const soft = SOFTENED[last] ? stem.slice(0, -1) + SOFTENED[last] : stem;
      const isHissing = /[жчшщ]/.test(last);
      return [name, ...withEndings(stem, isHissing ? 'і у ею е' : 'и у ою о'), `${soft}і`];
    }
    case 'я':
      return [name, ...withEndings(stem, /[аеєиіїоуюя']/.test(last) ? 'ї ю єю є' : 'і ю ею е')];
    case 'о':
      return [name, ...withEndings(stem, 'а у ові ом і е')];
    case 'ь':
      return [name, ...withEndings(stem, 'я ю еві ем і')];
    case 'й':
      // `Андрій` is a noun, `Левицький` an adjective.
      return [name, ...withEndings(stem, 'я ю єві єм ї')];
    case 'і':
    case 'у':
    case 'е':
    case 'и':
      return [name];
    default:
      return masculineForms(name);
  }
}

/** `Антін`, `Антона`; `Ігор`, `Ігоря`; `Марек`, `Марека`. */
function masculineForms(name: string): string[] {
  const open = /і[нрпвшд]$/.test(name)
    ? [`${name.slice(0, -2)}о${name.slice(-1)}`, `${name.slice(0, -2)}е${name.slice(-1)}`]
    : [];
  return [
    name,
    ...[name, ...open].flatMap((stem) =>
      withEndings(
        stem,
        /р$/.test(stem) ? 'а у ові ом і е я ю еві ем' : /[жчшщ]$/.test(stem) ? 'а у еві ем і е' : 'а у ові ом і е',
      ),
    ),
  ];
}

function withEndings(stem: string, endings: string): string[] {
  return endings.split(' ').map((ending) => stem + ending);
}
