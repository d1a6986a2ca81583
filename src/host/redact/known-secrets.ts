import { isSecretName } from '../../contract/redact.ts';
import { type Environment, expandEnv } from '../config/expand-env.ts';
import type { ServerEntry } from '../config/server-entry.ts';

/** The values of an entry that must not be seen in logs, errors and prompts. */
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

/** `Bearer abc` is a secret as a whole and by its second half. */
function headerSecrets(value: string): string[] {
  const [, credential] = /^\S+\s+(\S.*)$/.exec(value) ?? [];
  return credential === undefined ? [value] : [value, credential];
}

/** `--token abc`, `--api-key=abc`. */
function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const [, flag, value] = /^-{1,2}([\w-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (flag === undefined || !isSecretName(flag)) return [];
    return [value ?? args[index + 1] ?? ''];
  });
}

function urlSecrets(url: string | undefined): (string | undefined)[] {
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
