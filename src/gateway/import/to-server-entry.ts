import { isObject, type JsonObject } from '../../contract/json.ts';
import type { SourceId } from './client-formats.ts';

/** A client's server as one of our entries, with a remark if it is disabled or changed; or why there is none. */
export type Translated =
  | { readonly entry: JsonObject; readonly reason: string | null }
  | { readonly entry?: undefined; readonly reason: string };

const TRANSPORTS: Readonly<Record<string, 'stdio' | 'http' | 'sse'>> = {
  stdio: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamable_http: 'http',
  streamableHttp: 'http',
  sse: 'sse',
};

/** Converts an entry of a client. Drops members that concern only the client. An entry that works only in the client has no conversion. */
export function toServerEntry(client: SourceId, value: unknown, home: string): Translated {
  if (!isObject(value)) return { reason: 'it is not an object' };
  const url = textOf(value.httpUrl) ?? textOf(value.serverUrl) ?? textOf(value.url);
  const line = commandLine(value);
  const command = line?.[0] ?? textOf(value.command);
  const transport = transportOf(client, value, command);
  if (transport === undefined) return { reason: 'its transport is not known' };
  if (transport === 'stdio' ? command === undefined : url === undefined) {
    return { reason: lacking(value, transport) };
  }
  const where =
    transport === 'stdio'
      ? { command, args: line?.slice(1) ?? value.args, cwd: value.cwd, env: withPassedOn(value) }
      : { url, headers: headersOf(value) };
  const place = new Placeholders(client, home);
  const entry = place.rewrite(
    definedOnly({
      transport,
      ...where,
      request_timeout_ms: milliseconds(value.timeout, 1) ?? milliseconds(value.tool_timeout_sec, 1_000),
      startup_timeout_ms: milliseconds(value.startup_timeout_sec, 1_000),
      include_tools: value.includeTools ?? value.enabled_tools,
      exclude_tools: value.excludeTools ?? value.disabledTools ?? value.disabled_tools,
    }),
  ) as JsonObject;
  const obstacle = place.obstacle() ?? (value.envFile === undefined ? null : 'only the client reads its envFile');
  if (obstacle !== null) return { reason: obstacle };
  const isOff = value.disabled === true || value.enabled === false;
  return {
    entry: { ...entry, ...(place.expands ? { expand_env: true } : {}), ...(isOff ? { enabled: false } : {}) },
    reason: isOff ? 'switched off, as in the client' : line === undefined ? null : 'its command is split at the spaces',
  };
}

/** The words of a command line in place of a program: `npx -y package`. Undefined for a path with spaces. */
function commandLine({ command, args }: JsonObject): readonly string[] | undefined {
  if (typeof command !== 'string' || (Array.isArray(args) && args.length > 0)) return undefined;
  return /^[\w.-]+(?: +[^\s"'\\]+)+$/.test(command.trim()) ? command.trim().split(/ +/) : undefined;
}

/** Why an entry is not a server. */
function lacking({ command, type, transport: named }: JsonObject, transport: 'stdio' | 'http' | 'sse'): string {
  if (command !== undefined && typeof command !== 'string') return 'its command is not a text';
  if ((type ?? named) === undefined) return 'it has neither a command nor a URL';
  return transport === 'stdio' ? 'it has no command' : 'it has no URL';
}

function transportOf(client: SourceId, value: JsonObject, command: string | undefined) {
  const named = value.type ?? value.transport;
  if (named !== undefined) return typeof named === 'string' ? TRANSPORTS[named] : undefined;
  if (command !== undefined) return 'stdio';
  // Gemini's `url` means HTTP+SSE; its Streamable HTTP is `httpUrl`.
  return client === 'gemini' && value.httpUrl === undefined ? 'sse' : 'http';
}

/** Codex lists variables to pass on; our stdio servers get only those of their entry. */
function withPassedOn(value: JsonObject): unknown {
  if (!Array.isArray(value.env_vars)) return value.env;
  const passed = Object.fromEntries(value.env_vars.map((name) => [String(name), `\${${String(name)}}`]));
  return { ...passed, ...(isObject(value.env) ? value.env : {}) };
}

/** Codex has three ways to configure headers. */
function headersOf(value: JsonObject): unknown {
  const bearer = textOf(value.bearer_token_env_var);
  const named = isObject(value.env_http_headers) ? value.env_http_headers : {};
  const headers = {
    ...(isObject(value.headers) ? value.headers : {}),
    ...(isObject(value.http_headers) ? value.http_headers : {}),
    ...Object.fromEntries(Object.entries(named).map(([header, name]) => [header, `\${${String(name)}}`])),
    ...(bearer === undefined ? {} : { Authorization: `Bearer \${${bearer}}` }),
  };
  if (value.headers !== undefined && !isObject(value.headers)) return value.headers;
  return Object.keys(headers).length > 0 ? headers : undefined;
}

/** Converts the placeholders of clients to ours, and collects those that only the client can fill. */
class Placeholders {
  expands = false;
  readonly #foreign = new Set<string>();
  readonly #client: SourceId;
  readonly #home: string;

  constructor(client: SourceId, home: string) {
    this.#client = client;
    this.#home = home;
  }

  rewrite(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((item) => this.rewrite(item));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.rewrite(member)]));
  }

  obstacle(): string | null {
    const names = [...this.#foreign];
    if (names.length === 0) return null;
    const asks = names.some((name) => name.startsWith('input:'));
    return `${asks ? 'the client asks a person for' : 'only the client knows'} ${names.map((name) => `\${${name}}`).join(', ')}`;
  }

  #text(text: string): string {
    const braced =
      this.#client === 'gemini' ? text.replaceAll(/\$([A-Za-z_][A-Za-z0-9_]*)/g, (_, name) => `\${${name}}`) : text;
    return braced.replaceAll(/\$\{([^}]*)\}/g, (whole, inner: string) => {
      const name = inner.startsWith('env:') ? inner.slice(4) : inner;
      if (name === 'userHome') return this.#home;
      if (!/^[A-Za-z_][A-Za-z0-9_]*(:-.*)?$/s.test(name) || name === 'workspaceFolder') {
        this.#foreign.add(inner);
        return whole;
      }
      this.expands = true;
      return `\${${name}}`;
    });
  }
}

function milliseconds(value: unknown, unit: number): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value * unit) : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function definedOnly(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}
