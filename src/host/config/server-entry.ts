import { z } from 'zod';
import { issueWords } from '../../contract/input-issues.ts';
import { isLoopbackHost } from '../../contract/public-address.ts';
import { CONNECTION_LIMITS } from '../connection/limits.ts';
import { metadataUrlReason } from '../oauth/client-metadata.ts';
import { OAuthEntry, SERVER_SETTINGS, TIMER_MS_MAX } from './settings/server-settings.ts';
import { shapeOf } from './settings/setting.ts';

export const SERVER_ID = /^[a-zA-Z0-9_-]{1,64}$/;

/** One entry of `mcp.servers`, as written. */
export const ServerEntry = z.looseObject(shapeOf(SERVER_SETTINGS));
export type ServerEntry = z.output<typeof ServerEntry>;

export type CheckedEntry =
  | { readonly entry: ServerEntry; readonly reason: undefined; readonly warnings: readonly string[] }
  | { readonly entry: undefined; readonly reason: string; readonly warnings: readonly string[] };

/** Validates an entry; the reason of an invalid one contains none of its values. */
export function checkServerEntry(id: string, raw: unknown): CheckedEntry {
  if (!SERVER_ID.test(id)) return refused('the id must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -');
  const missing = missingTransport(raw);
  if (missing !== undefined) return refused(missing);
  const parsed = ServerEntry.safeParse(raw);
  if (!parsed.success) return refused(reasonOf(parsed.error));
  const entry = parsed.data;
  const reason = entry.transport === 'stdio' ? stdioReason(entry) : httpReason(entry);
  return reason === undefined ? { entry, reason: undefined, warnings: warningsOf(entry) } : refused(reason);
}

/** The effective `request_timeout_ms`; anything but a positive number counts as absent. */
export function requestTimeoutMs(entry: ServerEntry): number {
  const value = entry.request_timeout_ms;
  return isTimeout(value) ? Math.min(Math.max(1, Math.round(value)), TIMER_MS_MAX) : CONNECTION_LIMITS.requestTimeoutMs;
}

/** The timeout of each handshake request, if the entry limits requests but not the start-up. */
export function handshakeTimeoutMs(entry: ServerEntry): number | undefined {
  const isLimited = isTimeout(entry.request_timeout_ms) && entry.startup_timeout_ms === undefined;
  return isLimited ? requestTimeoutMs(entry) : undefined;
}

/** Why this is not a valid MCP server URL; undefined if it is. */
export function urlReason(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (!parsed) return 'url: is not a URL';
  return /^https?:$/.test(parsed.protocol) ? undefined : 'url: must begin with http:// or https://';
}

/** Why the health check is invalid: it must have the origin of the endpoint. */
export function healthCheckReason({ url, health_check }: ServerEntry): string | undefined {
  if (health_check === undefined) return undefined;
  const { origin } = new URL(url ?? 'https://endpoint.invalid');
  const isThere = URL.canParse(health_check, origin) && new URL(health_check, origin).origin === origin;
  return isThere ? undefined : 'health_check: is not at the origin of the endpoint';
}

function refused(reason: string): CheckedEntry {
  return { entry: undefined, reason, warnings: [] };
}

/** Other programs guess the transport; here it must be stated. */
function missingTransport(raw: unknown): string | undefined {
  const { transport, command, url } = (typeof raw === 'object' && raw !== null ? raw : {}) as Record<string, unknown>;
  if (transport !== undefined || (command === undefined && url === undefined)) return undefined;
  const [what, value] = command === undefined ? ['a URL', 'http'] : ['a command', 'stdio'];
  return `transport: is missing. It has ${what}, so write "transport": "${value}"`;
}

function stdioReason(entry: ServerEntry): string | undefined {
  if (entry.command === undefined) return 'command: is required for transport stdio';
  if (entry.url !== undefined) return 'url: does not go with transport stdio';
  if (entry.identity !== undefined) return 'identity: does not go with transport stdio';
  if (entry.credentials === 'per_user') return 'credentials: per_user does not go with transport stdio';
  if (entry.identity_keys !== undefined) return 'identity_keys: does not go with transport stdio';
  const bad = Object.keys(entry.env ?? {}).find((name) => name === '' || /[=\0]/.test(name));
  return bad === undefined ? undefined : 'env: has a name that no environment variable can have';
}

function httpReason(entry: ServerEntry): string | undefined {
  if (entry.command !== undefined) return `command: does not go with transport ${entry.transport}`;
  if (entry.url !== undefined && entry.identity !== undefined) return 'identity: stands in place of url, not beside it';
  if (entry.credentials === 'per_user' && entry.oauth === false) return 'credentials: per_user needs oauth';
  if (entry.url === undefined && entry.identity === undefined) {
    return `url: is required for transport ${entry.transport} (or identity)`;
  }
  if (entry.identity === undefined && entry.identity_keys !== undefined) return 'identity_keys: stands beside identity';
  const document = entry.oauth ? entry.oauth.client_metadata_url : undefined;
  const isExpanded = entry.expand_env === true && document?.includes('${');
  const wrong = document === undefined || isExpanded ? undefined : metadataUrlReason(document);
  if (wrong !== undefined) return `oauth.client_metadata_url: ${wrong}`;
  for (const [name, value] of Object.entries(entry.headers ?? {})) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return 'headers: has a name that no header can have';
    if (/[\r\n\0]/.test(value)) return `headers.${name}: must be one line`;
  }
  const expandsLater = entry.expand_env === true && entry.url?.includes('${');
  if (expandsLater) return undefined;
  return (entry.url === undefined ? undefined : urlReason(entry.url)) ?? healthCheckReason(entry);
}

function warningsOf(entry: ServerEntry): string[] {
  const warnings = unknownKeys(entry, ServerEntry.shape).map(
    (key) => `unknown key "${key}" is kept, but has no effect`,
  );
  if (entry.oauth) {
    for (const key of unknownKeys(entry.oauth, OAuthEntry.shape)) {
      warnings.push(`unknown key "oauth.${key}" is kept, but has no effect`);
    }
  }
  if (entry.request_timeout_ms !== undefined && !isTimeout(entry.request_timeout_ms)) {
    warnings.push(`request_timeout_ms is not a positive number: ${CONNECTION_LIMITS.requestTimeoutMs} is used`);
  }
  const texts = textsOf(entry).filter(({ text }) => text.includes('${'));
  for (const place of placesOf(texts, EDITOR_PLACEHOLDER)) {
    warnings.push(`${place} has a placeholder that only an editor fills in: write the value itself`);
  }
  for (const place of entry.expand_env === true ? [] : placesOf(texts, VARIABLE)) {
    warnings.push(`${place} has a \${…} that is used as it stands: set "expand_env": true to have variables replaced`);
  }
  if (entry.transport === 'stdio' && entry.health_check !== undefined) {
    warnings.push('health_check has no effect on a stdio server');
  }
  if (entry.transport !== 'stdio' && entry.env !== undefined) warnings.push('env has no effect on an HTTP server');
  if (entry.url !== undefined && isPlainHttpAbroad(entry.url)) {
    warnings.push('http:// to a host that is not this machine: what is sent can be read on the way');
  }
  return warnings;
}

/** Placeholders that editors replace; no environment has them. */
const EDITOR_PLACEHOLDER = /\$\{(?:workspaceFolder|workspaceFolderBasename|userHome|input:[^}]*)\}/;
const VARIABLE = /\$\{(?!workspaceFolder|userHome\})[A-Za-z_]\w*(?::-[^}]*)?\}/;

interface EntryText {
  readonly place: string;
  readonly text: string;
}

function textsOf({ command, args = [], cwd, env = {}, url, headers = {} }: ServerEntry): EntryText[] {
  return [
    ...Object.entries({ command, cwd, url }).flatMap(([place, text]) => (text === undefined ? [] : [{ place, text }])),
    ...args.map((text) => ({ place: 'args', text })),
    ...Object.entries(env).map(([name, text]) => ({ place: `env.${name}`, text })),
    ...Object.entries(headers).map(([name, text]) => ({ place: `headers.${name}`, text })),
  ];
}

/** The members of the entry that match. */
function placesOf(texts: readonly EntryText[], wanted: RegExp): string[] {
  return [...new Set(texts.filter(({ text }) => wanted.test(text)).map(({ place }) => place))];
}

function isTimeout(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

function isPlainHttpAbroad(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'http:' && !isLoopbackHost(parsed.hostname);
}

function unknownKeys(value: object, shape: object): string[] {
  return Object.keys(value).filter((key) => !Object.hasOwn(shape, key));
}

function reasonOf(error: z.ZodError): string {
  const sentences = error.issues.map((issue) => {
    const path = issue.path.map(String).join('.');
    return path === '' ? issueWords(issue) : `${path}: ${issueWords(issue)}`;
  });
  return [...new Set(sentences)].slice(0, 5).join('; ');
}
