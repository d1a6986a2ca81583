// Builds the console into dist/console/, unless it is up to date.
import { globSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const modifiedMs = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const sources = [
  ...globSync('console/**/*', { exclude: ['console/node_modules/**'] }),
  'package-lock.json',
  'scripts/build-console.js',
];
const made = modifiedMs(join('dist', 'console', 'index.html'));
if (!sources.every((file) => modifiedMs(file) <= made)) {
  await build({ configFile: join('console', 'vite.config.ts') });
  const { dependencies } = JSON.parse(readFileSync(join('console', 'package.json'), 'utf8'));
  const libraries = [...Object.keys(dependencies), '@preact/signals-core'].sort();
  writeFileSync(join('dist', 'console', 'LICENSES.txt'), libraries.map(licence).join('\n'));
}

/** The licence of a library whose code is in the files. */
function licence(name) {
  const folder = join('node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8') : ''}`;
}
