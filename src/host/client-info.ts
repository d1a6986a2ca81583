import { readFileSync } from 'node:fs';
import type { Implementation } from '../wire/upstream.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The client info for servers, with the version of package.json. */
export const CLIENT_INFO: Implementation = { name: 'bindery', title: 'Bindery', version };
