// Builds the console into dist/console/. What is up to date stays.
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const modifiedMs = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const sources = [
  ...globSync('console/**/*', { exclude: ['console/node_modules/**'] }),
  'package-lock.json',
  'scripts/build-console.js',
];
const made = modifiedMs(join('dist', 'console', 'index.html'));
if (!sources.every((file) => modifiedMs(file) <= made)) await build({ configFile: join('console', 'vite.config.ts') });
