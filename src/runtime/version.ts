import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the package; every file of the program that looks for it lies two folders below. */
export const PACKAGE_DIR = fileURLToPath(new URL('../../', import.meta.url));

/** The version in package.json, the only place where it is written. */
export const VERSION: string = JSON.parse(readFileSync(join(PACKAGE_DIR, 'package.json'), 'utf8')).version;
