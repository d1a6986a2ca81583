import { isSecretName, wordsOf } from '../../contract/redact.ts';
import { type Environment, expandEnv } from '../config/expand-env.ts';
import type { ServerEntry } from '../config/server-entry.ts';

/** The values of an entry that must not appear in logs, errors and prompts. */
export function knownSecrets(written: ServerEntry, env: Environment): string[] {
  const expanded = expandEnv(written, env);
  const entry = 'entry' in expanded ? expanded.entry : written;
  return [
    ...secretMembers(entry.env),
    ...secretMembers(entry.headers).flatMap(headerSecrets),
    ...secretArguments(entry.args ?? []),
    ...(entry.oauth ? [entry.oauth.client_secret] : []),
    ...urlSecrets(entry.url),
  ].filter((secret) => secret !== undefined && secret !== '') as string[];
}

function secretMembers(texts: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(texts).flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
}

/** `Bearer abc` is a secret as a whole, and so is its second half. */
function headerSecrets(value: string): string[] {
  const [, credential] = /^\S+\s+(\S.*)$/.exec(value) ?? [];
  return credential === undefined ? [value] : [value, credential];
}

/** Flags with these names may be followed by a secret, but also by a path or a word. */
const MAYBE_SECRET_FLAG = new Set(['key', 'auth', 'bearer', 'pat', 'pwd', 'jwt', 'session', 'sig', 'signature']);

/**
 * Finds secrets in `--token abc`, `--api-key=abc`, `GITHUB_TOKEN=abc`, `X-Api-Key: abc`, `https://user:abc@host`, and random text after
 * `--key`.
 */
export function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const [, flag, given] = /^-{1,2}([\w.-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const value = given ?? args[index + 1] ?? '';
    if (flag !== undefined && isSecretName(flag)) return [value];
    const isMaybe = flag !== undefined && wordsOf(flag).some((word) => MAYBE_SECRET_FLAG.has(word));
    return [...(isMaybe && looksRandom(value) ? [value] : []), ...pairSecrets(given ?? arg)];
  });
}

/** Secrets that a text names itself: a variable, a header, or a URL with a password. */
function pairSecrets(text: string): string[] {
  const [, name, value] = /^([\w.-]+)(?:=|:\s*)(.+)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined && isSecretName(name)) return headerSecrets(value);
  return urlSecrets(text);
}

/** Mixes letters and digits, as generated secrets do. */
function looksRandom(text: string): boolean {
  return /^[\w+=~.-]{16,}$/.test(text) && /\d/.test(text) && /[A-Za-z]/.test(text);
}

export function urlSecrets(url: string | undefined): string[] {
  if (url === undefined || !URL.canParse(url)) return [];
  const { username, password, searchParams } = new URL(url);
  const queries = [...searchParams].flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
  return [password === '' ? decode(username) : decode(password), ...queries];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
