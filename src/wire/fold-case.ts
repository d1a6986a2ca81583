/**
 * A name without its case. Equal results mean that some parser that ignores case takes the names for one: through upper case
 * (U+0131), through lower case (U+0130, U+212A) or by Unicode case folding (U+017F, ligatures).
 */
export function foldCase(name: string): string {
  return name.replaceAll('\u0130', 'i').toUpperCase().toLowerCase();
}
