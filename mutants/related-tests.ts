import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The files of the tree that a file imports or runs in a thread. */
function importsOf(root: string, file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const imported = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+\.ts)'/g);
  const threads = text.matchAll(/new URL\(`(\.[^`$]+)\$\{extname\(import\.meta\.url\)\}`/g);
  return [...Array.from(imported, ([, target = '']) => target), ...Array.from(threads, ([, target]) => `${target}.ts`)]
    .map((target) => join(dirname(file), target))
    .filter((target) => existsSync(join(root, target)));
}

/** The tests that reach a source by imports or in a thread: the test of the same name first, then the nearest, then by similar name. */
export function relatedTests(root: string, tests: readonly string[]): (source: string) => string[] {
  const imports = new Map<string, readonly string[]>();
  const distances = new Map(tests.map((test) => [test, distancesFrom(test)]));

  function distancesFrom(test: string): Map<string, number> {
    const found = new Map([[test, 0]]);
    for (const [file, distance] of found) {
      const next = imports.get(file) ?? importsOf(root, file);
      imports.set(file, next);
      for (const target of next) if (!found.has(target)) found.set(target, distance + 1);
    }
    return found;
  }

  return (source) =>
    tests
      .map((test) => ({ test, distance: distances.get(test)?.get(source) }))
      .filter((entry): entry is { test: string; distance: number } => entry.distance !== undefined)
      .sort(
        (a, b) =>
          Number(isOwnTest(b.test, source)) - Number(isOwnTest(a.test, source)) ||
          a.distance - b.distance ||
          sharedWords(b.test, source) - sharedWords(a.test, source) ||
          a.test.localeCompare(b.test),
      )
      .map(({ test }) => test);
}

function isOwnTest(test: string, source: string): boolean {
  return test === source.replace(/\.ts$/, '.test.ts');
}

/** How many words of a source's path are also in a test's path. */
function sharedWords(test: string, source: string): number {
  const words = new Set(test.split(/[/.-]/));
  return source.split(/[/.-]/).filter((word) => words.has(word)).length;
}
