import { readFileSync } from 'node:fs';

/** The version in package.json, the only place where it is written. */
export const VERSION: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
