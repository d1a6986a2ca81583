// Runs after `npm install` and `npm ci` in a checkout, on the Node that npm runs on: builds dist/ and the console, bundles dist/, and links
// the commands where npx looks first, so that `npx bindery` runs on the pinned Node beside them.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const bin = join('node_modules', '.bin');
const options = { stdio: 'inherit', shell: process.platform === 'win32' };
execFileSync('tsc', ['-b', 'tsconfig.src.json'], options);
// npm puts the pinned Node first in the path.
execFileSync('node', [join('scripts', 'build-console.js')], options);
try {
  execFileSync('node', [join('scripts', 'bundle.js')], options);
} catch {
  console.error('The program could not be joined into few files here: it runs as compiled, and starts more slowly.');
}

if (process.platform !== 'win32' && existsSync(bin)) {
  for (const name of ['bindery', 'context']) {
    rmSync(join(bin, name), { force: true });
    symlinkSync(join('..', '..', 'bin', `${name}.js`), join(bin, name));
  }
}
