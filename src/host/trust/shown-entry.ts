import { createRedactor, isSecretName, MASK } from '../../contract/redact.ts';
import { visibleLine } from '../../contract/visible-text.ts';
import type { ConfiguredServer } from '../config/configured-servers.ts';
import type { ServerEntry } from '../config/server-entry.ts';
import { secretArguments, urlSecrets } from '../redact/known-secrets.ts';

/**
 * The text that a person reviews before trusting a server: everything that is run or sent, on one line. It contains nothing that a
 * terminal would hide or execute, because the project wrote it. Each secret is replaced by its kind and length.
 */
export function shownEntry({ entry, reason }: Pick<ConfiguredServer, 'entry' | 'reason'>): string {
  if (entry) return visibleLine(wholeEntry(entry));
  return reason === undefined ? 'switched off here' : visibleLine(`invalid: ${reason}`);
}

function wholeEntry(entry: ServerEntry): string {
  const { transport, command, args = [], url, identity, env, headers, enabled: _enabled, ...rest } = entry;
  const words = transport === 'stdio' ? [command, ...maskedArguments(args)] : [maskedUrl(url ?? identity ?? '')];
  const parts = [
    ...(transport === 'sse' ? ['transport: sse'] : []),
    ...pairs('env', env),
    ...pairs('headers', headers),
    ...Object.entries(rest).map(([key, value]) => `${key}: ${shownValue(key, value)}`),
  ];
  return `${words.join(' ')}${parts.length === 0 ? '' : ` (${parts.join('; ')})`}`;
}

function pairs(key: string, texts: Readonly<Record<string, string>> = {}): string[] {
  const shown = Object.entries(texts).map(([name, value]) => `${name}=${shownText(name, value)}`);
  return shown.length === 0 ? [] : [`${key}: ${shown.join(', ')}`];
}

function shownText(name: string, value: string): string {
  const [, scheme, credential] = /^(Bearer|Basic)\s+(\S.*)$/is.exec(value) ?? [];
  if (credential !== undefined) return `${scheme} ${masked('credential', credential)}`;
  return isSecretName(name) ? masked('secret', value) : maskedUrl(createRedactor().text(value));
}

function shownValue(name: string, value: unknown): string {
  if (typeof value === 'string') return shownText(name, value);
  if (Array.isArray(value)) return `[${value.map((item) => shownValue(name, item)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${key}: ${shownValue(key, member)}`)
    .join(', ')}}`;
}

/** Masks secrets, however short they are. */
export function maskedArguments(args: readonly string[]): string[] {
  const secrets = secretArguments(args).filter((secret) => secret !== '');
  return args.map((word) => {
    const secret = secrets.find((one) => word.endsWith(one));
    return secret === undefined
      ? createRedactor().text(maskedUrl(word))
      : word.slice(0, -secret.length) + masked('secret', secret);
  });
}

export function maskedUrl(text: string): string {
  return urlSecrets(text)
    .filter((secret) => secret !== '')
    .reduce((shown, secret) => {
      const written = [secret, encodeURIComponent(secret)].find((one) => shown.includes(one));
      return written === undefined ? createRedactor().text(shown) : shown.replace(written, masked('password', secret));
    }, text);
}

/** A variable is shown as it is: its value is unknown here, and not a secret of the project. */
function masked(kind: string, value: string): string {
  if (/^\$\{[^}]*\}$/.test(value)) return value;
  return `${MASK}[${kind}, ${value.length} characters]`;
}
