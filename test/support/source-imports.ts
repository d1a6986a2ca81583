/** One import of a file: the names that it takes, and from where. */
export interface Import {
  readonly names: string;
  readonly from: string;
}

/** What a file imports or passes on, for values or types, at once or late. */
export function importsOf(text: string): Import[] {
  const statements = text.matchAll(/^\s*(?:import|export)\s+([^;'"]*?)\s+from\s+'([^']+)'/gm);
  const others = text.matchAll(/\bimport(?:\(| )'([^']+)'/g);
  return [
    ...[...statements].map((match) => ({ names: match[1] as string, from: match[2] as string })),
    ...[...others].map((match) => ({ names: '', from: match[1] as string })),
  ];
}
