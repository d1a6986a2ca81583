/**
 * Case-folds a name. Equal results mean that some case-insensitive parser treats the names as equal: through upper case (U+0131),
 * through lower case (U+0130, U+212A) or by Unicode case folding (U+017F, ligatures).
 */
export function foldCase(name: string): string {
  return name.replaceAll('\u0130', 'i').toUpperCase().toLowerCase();
}
