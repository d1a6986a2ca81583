import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the package; the files that use it are all two folders below. */
export const PACKAGE_DIR = fileURLToPath(new URL('../../', import.meta.url));

/** The version, from package.json only. */
export const VERSION: string = JSON.parse(readFileSync(join(PACKAGE_DIR, 'package.json'), 'utf8')).version;
