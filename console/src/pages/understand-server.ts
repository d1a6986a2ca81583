/** A pasted server, as an entry of the config. */
export interface UnderstoodServer {
  readonly id: string;
  readonly entry: Readonly<Record<string, unknown>> & { readonly transport: 'stdio' | 'http' | 'sse' };
}

/** Understands a URL, an `ai://` name, a command line, the config of a client, or a server.json; empty: none of these. */
export function understandServer(text: string): readonly UnderstoodServer[] {
  const given = text.trim();
  if (given === '') return [];
  if (/^https?:\/\/\S+$/i.test(given) && URL.canParse(given))
    return [{ id: idOf(new URL(given).hostname), entry: { transport: 'http', url: given } }];
  if (/^ai:\/\/\S+$/i.test(given)) return [{ id: idOf(given.slice(5)), entry: { transport: 'http', identity: given } }];
  if (given.startsWith('{')) return fromJson(given);
  if (SCHEME.test(given)) return [];
  const [command, ...args] = words(given.replaceAll(/\\\r?\n/g, ' ')) ?? [];
  const added = /^claude(\.cmd|\.exe)?$/.test(command ?? '') && args[0] === 'mcp' && args[1] === 'add';
  if (added) return fromClaude(args.slice(2));
  if (command === undefined || /[<>{}]/.test(command)) return [];
  const named = args.find((word) => !word.startsWith('-')) ?? command;
  return [{ id: idOf(named), entry: { transport: 'stdio', command, ...(args.length > 0 ? { args } : {}) } }];
}

/** Options of `claude mcp add` that take a word. */
const CLAUDE_OPTIONS: Readonly<Record<string, string>> = {
  '-t': 'transport',
  '--transport': 'transport',
  '-s': 'scope',
  '--scope': 'scope',
  '-e': 'env',
  '--env': 'env',
  '-H': 'header',
  '--header': 'header',
};

/** `claude mcp add NAME …`: the words after the name, or after `--`, are the command or the address. */
function fromClaude(words: readonly string[]): readonly UnderstoodServer[] {
  const [env, headers, rest]: [Record<string, string>, Record<string, string>, string[]] = [{}, {}, []];
  let transport = '';
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    if (word === '--') {
      rest.push(...words.slice(at + 1));
      break;
    }
    const [, long = word, joined] = /^(--[a-z]+)=(.*)$/s.exec(word) ?? [];
    const option = CLAUDE_OPTIONS[long];
    // Options after the name belong to the program.
    if (option === undefined || (rest.length > 1 && !isWebAddress(rest[1] ?? ''))) {
      rest.push(word);
      continue;
    }
    const value = joined ?? words[at + 1] ?? '';
    if (joined === undefined) at += 1;
    if (option === 'transport') transport = value;
    if (option === 'env') addPair(env, value, '=');
    if (option === 'header') addPair(headers, value, ':');
  }
  const [name, target, ...args] = rest;
  if (name === undefined || target === undefined) return [];
  const type = transport === 'sse' ? 'sse' : 'http';
  if (transport === 'http' || transport === 'sse' || isWebAddress(target))
    return fromEntry(name, { url: target, type, ...(Object.keys(headers).length > 0 ? { headers } : {}) });
  const more = { ...(args.length > 0 ? { args } : {}), ...(Object.keys(env).length > 0 ? { env } : {}) };
  return fromEntry(name, { command: target, ...more });
}

function addPair(into: Record<string, string>, text: string, between: string): void {
  const at = text.indexOf(between);
  if (at > 0) into[text.slice(0, at).trim()] = text.slice(at + 1).trim();
}

/** The position of the first JSON syntax error; undefined: it is valid, or not meant as JSON. */
export function brokenJsonAt(text: string): { readonly line: number; readonly column: number } | undefined {
  const given = text.trimStart();
  if (!given.startsWith('{')) return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (thrown) {
    const message = (thrown as Error).message;
    const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
    if (line !== undefined) return { line: Number(line), column: Number(column) };
    const position = /position (\d+)/.exec(message)?.[1];
    const before = text.slice(0, position === undefined ? endOf(text, message) : Number(position)).split('\n');
    return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
  }
}

/** A message without a position quotes the text there, or is about the end of the text. */
function endOf(text: string, message: string): number {
  const quoted = /\.\.\."?([\s\S]{4,}?)"?\.\.\. is not valid JSON/.exec(message)?.[1];
  const at = quoted === undefined ? -1 : text.indexOf(quoted);
  const token = /Unexpected token '?(.)/.exec(message)?.[1] ?? '';
  return at < 0
    ? text.trimEnd().length
    : Math.max(at, text.indexOf(token, at + Math.floor((quoted as string).length / 2)));
}

/** A word before a colon; one letter is a drive. */
const SCHEME = /^["']?[a-z][a-z0-9+.-]+:/i;

/** Why a text is not a server, for a message to the person. */
export function whyNotUnderstood(text: string): 'openQuote' | 'otherScheme' | 'notUnderstood' {
  const given = text.trim();
  if (SCHEME.test(given)) return 'otherScheme';
  return given.startsWith('{') || words(given) ? 'notUnderstood' : 'openQuote';
}

function isWebAddress(url: string): boolean {
  return /^https?:$/.test(URL.parse(url)?.protocol ?? '');
}

function fromJson(text: string): readonly UnderstoodServer[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  if (!isObject(value)) return [];
  if (Array.isArray(value.remotes) && typeof value.name === 'string') return fromServerJson(value.name, value.remotes);
  const mcp = isObject(value.mcp) ? value.mcp.servers : undefined;
  const servers = [value.mcpServers, value.servers, value.mcp_servers, mcp].find(isObject);
  if (servers) return Object.entries(servers).flatMap(([name, entry]) => fromEntry(name, entry));
  return fromEntry('server', value);
}

function fromServerJson(name: string, remotes: readonly unknown[]): readonly UnderstoodServer[] {
  const remote = remotes.find((one) => isObject(one) && typeof one.url === 'string' && isWebAddress(one.url));
  if (!isObject(remote) || typeof remote.url !== 'string') return [];
  return [{ id: idOf(name), entry: { transport: remote.type === 'sse' ? 'sse' : 'http', url: remote.url } }];
}

function fromEntry(name: string, entry: unknown): readonly UnderstoodServer[] {
  if (!isObject(entry)) return [];
  const url = [entry.url, entry.httpUrl, entry.serverUrl].find((one) => typeof one === 'string');
  if (typeof entry.command === 'string') {
    const args = Array.isArray(entry.args) ? entry.args.map(String) : undefined;
    const env = texts(entry.env);
    return [
      {
        id: idOf(name),
        entry: { transport: 'stdio', command: entry.command, ...(args ? { args } : {}), ...(env ? { env } : {}) },
      },
    ];
  }
  if (url === undefined || !isWebAddress(url)) return [];
  const headers = texts(entry.headers);
  const transport = entry.type === 'sse' || entry.transport === 'sse' ? 'sse' : 'http';
  return [{ id: idOf(name), entry: { transport, url, ...(headers ? { headers } : {}) } }];
}

function texts(value: unknown): Record<string, string> | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, String(one)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Words of a command line; quotes join words. Undefined: a quote is not closed. */
function words(line: string): string[] | undefined {
  const found: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (const character of line) {
    if (quote !== '') {
      if (character === quote) quote = '';
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) found.push(word);
      word = undefined;
    } else {
      word = `${word ?? ''}${character}`;
    }
  }
  if (quote !== '') return undefined;
  return word === undefined ? found : [...found, word];
}

function idOf(text: string): string {
  const last = text.split(/[/\\]/).filter(Boolean).at(-1) ?? 'server';
  const clean = last
    .replace(/@[^@]*$/, (version, at: number) => (at === 0 ? version : ''))
    .replace(/\.[a-z]{1,5}$/i, '')
    .replace(/^(mcp-)?server-/, '')
    .replaceAll(/[^a-zA-Z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return (clean === '' ? 'server' : clean).slice(0, 64);
}
