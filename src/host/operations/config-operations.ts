import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { pageInput, pageOf, pageSchema, tabLines } from '../../contract/paging.ts';
import { createRedactor, MASK } from '../../contract/redact.ts';
import type { Scope } from '../config/config-layer.ts';
import type { ConfiguredServer } from '../config/configured-servers.ts';
import { withPathsFrom } from '../config/launch-place.ts';
import type { HostDeps } from './deps.ts';

/** The output of an empty list. */
export const NO_SERVERS = 'no MCP servers configured\n';
export const ADD_SERVERS = 'Add one with `bindery mcp add NAME -- COMMAND`, or yours with `bindery import`.\n';
const CHANGES = { readOnly: false, destructive: false, idempotent: true, openWorld: false } as const;
const id = z.string().describe('id of the server');
const writeScope = z.enum(['project', 'global']).default('project').describe('which config file');
const pairs = (what: string) => z.array(z.string()).default([]).describe(`${what} as key=value`);
const milliseconds = (what: string) => z.number().int().positive().optional().describe(`${what}, in ms`);
const text = (what: string) => z.string().optional().describe(what);

const Changed = z.object({ id: z.string(), scope: z.enum(['project', 'global']), path: z.string() });
type Changed = z.output<typeof Changed>;

const addServer = defineOperation({
  id: 'host.add',
  summary: 'Add an MCP server to the config.',
  input: z.strictObject({
    id,
    target: z
      .array(z.string())
      .default([])
      .describe('URL of an HTTP server, ai:// name, or `--` and the command that starts a stdio server'),
    transport: z
      .enum(['http', 'stdio', 'sse'])
      .optional()
      .describe('default: derived from --command, --url or --identity'),
    url: text('endpoint of an HTTP server'),
    identity: text('ai:// name of an HTTP server, resolved at each connect'),
    identity_key: z
      .array(z.string())
      .default([])
      .describe('ed25519: key, one of which must have signed the answer for the name'),
    header: z.array(z.string()).default([]).describe("header of every request as 'Name: value' or name=value"),
    command: text('program of a stdio server'),
    arg: z.array(z.string()).default([]).describe('argument of the program'),
    cwd: text('folder that the program runs in'),
    env: pairs('variable of the program'),
    expand_env: z.boolean().default(false).describe('expand environment variables (dollar and braces) in the entry'),
    enabled: z.enum(['true', 'false']).optional().describe('whether it is used'),
    request_timeout_ms: milliseconds('time without an answer or progress, also while it is being connected'),
    startup_timeout_ms: milliseconds('time for the start: process, connection and handshake together'),
    oauth_authorization_url: text('where people sign in'),
    oauth_token_url: text('where tokens are issued'),
    oauth_registration_url: text('where clients register'),
    oauth_client_id: text('client id'),
    oauth_client_secret: text('client secret'),
    oauth_client_metadata_url: text('https URL of a client metadata document, which is then the client id'),
    oauth_scope: text('scope to ask for'),
    scope: writeScope,
    replace: z.boolean().default(false).describe('overwrite an existing entry'),
  }),
  output: Changed.extend({ warnings: z.array(z.string()) }),
  hints: CHANGES,
  http: false,
  mcp: false,
  cli: {
    command: 'mcp add',
    positional: ['id', 'target'],
    letters: { env: 'e' },
    print: (output) => changedLine('added', output),
  },
  failures: defaultFailures,
  run: async (input, deps: HostDeps) => {
    // Paths from a terminal are relative to its folder, not to that of the config file.
    const written = entryOf(withTarget(input));
    const entry =
      input.scope === 'global' ? withArgsFrom(resolve('.'), withPathsFrom(resolve('.'), written), deps) : written;
    refuseMissingFolder(entry, deps);
    // Check before writing: otherwise an entry that cannot be trusted would remain.
    if (input.scope === 'project') await deps.trust.ensureWritable();
    const missing = deps.missingProgram(entry);
    const warnings = [
      ...(await deps.config.add(input.id, entry, input.scope, input.replace)).map(asFlag),
      ...swallowedOptions(input.target),
      ...(missing === undefined ? [] : [missing]),
    ];
    for (const warning of warnings) deps.warn(`${input.id}: ${warning}`);
    // The person typed the definition and has seen it: only definitions that came with a project need a review.
    if (input.scope === 'project') {
      await deps.trust.trust((await deps.config.list('project')).filter((server) => server.id === input.id));
    }
    return { ...changed(deps, input.id, input.scope), warnings: [...warnings] };
  },
});

const listServers = defineOperation({
  id: 'host.list',
  summary: 'List the configured MCP servers without connecting to them.',
  input: z.strictObject({
    scope: z
      .enum(['effective', 'project', 'global'])
      .default('effective')
      .describe('which config file; both by default'),
    ...pageInput,
  }),
  output: pageSchema(z.looseObject({ id: z.string() })).extend({ config_error: z.string().optional() }),
  hints: READ_ONLY,
  http: false,
  mcp: false,
  cli: {
    command: 'mcp list',
    print: ({ items }) =>
      items.length === 0
        ? NO_SERVERS
        : tabLines(items.map((item) => [item.id, item.transport ?? '-', item.source, item.enabled, item.reason])),
    hint: ({ items }) => (items.length === 0 ? ADD_SERVERS : ''),
    exit: (output) => (output.config_error === undefined ? 0 : 1),
  },
  failures: defaultFailures,
  run: async ({ scope, ...page }, deps: HostDeps) => {
    const { errors, servers } = await deps.config.load();
    const listed = scope === 'effective' ? servers : await deps.config.list(scope);
    for (const { id: server, warnings } of listed) for (const warning of warnings) deps.warn(`${server}: ${warning}`);
    for (const error of errors) deps.warn(error);
    return {
      ...pageOf(listed.map(listItem), (item) => item.id, page),
      ...(errors.length > 0 ? { config_error: errors.join('; ') } : {}),
    };
  },
});

const removeServer = defineOperation({
  id: 'host.remove',
  summary: 'Remove an MCP server from one config file.',
  input: z.strictObject({ id, scope: writeScope }),
  output: Changed,
  hints: { ...CHANGES, destructive: true },
  http: false,
  mcp: false,
  cli: { command: 'mcp remove', positional: ['id'], print: (output) => changedLine('removed', output) },
  failures: defaultFailures,
  run: async (input, deps: HostDeps) => {
    await deps.config.remove(input.id, input.scope);
    return changed(deps, input.id, input.scope);
  },
});

const [enableServer, disableServer] = ([true, false] as const).map((enabled) =>
  defineOperation({
    id: enabled ? 'host.enable' : 'host.disable',
    summary: enabled ? 'Enable a configured MCP server.' : 'Disable a configured MCP server.',
    input: z.strictObject({ id, scope: writeScope }),
    output: Changed,
    hints: CHANGES,
    http: false,
    mcp: false,
    cli: {
      command: enabled ? 'mcp enable' : 'mcp disable',
      positional: ['id'],
      print: (output) => changedLine(enabled ? 'enabled' : 'disabled', output),
    },
    failures: defaultFailures,
    run: async (input, deps: HostDeps) => {
      await deps.config.setEnabled(input.id, input.scope, enabled);
      return changed(deps, input.id, input.scope);
    },
  }),
);

export const configOperations = [addServer, listServers, removeServer, enableServer, disableServer].filter(
  (operation) => operation !== undefined,
);

function changed(deps: HostDeps, server: string, scope: Scope): Changed {
  const { files } = deps.config;
  // In the home folder both are the same file, which is the user's own.
  return { id: server, scope: files.global === files.project ? 'global' : scope, path: files[scope] };
}

function changedLine(verb: string, { id: server, scope, path }: Changed): string {
  return `${verb} ${server} (${scope}: ${path})\n`;
}

type AddInput = z.output<typeof addServer.input>;

/** Converts the target after the id to flags: an address, a name, or a command with its arguments. */
function withTarget(input: AddInput): AddInput {
  const [first, ...rest] = input.target;
  if (first === undefined) {
    if ([input.url, input.identity, input.command, input.transport].some((given) => given !== undefined)) return input;
    throw new BinderyError('USAGE', {
      detail: 'a server needs a URL, or -- and a command',
      next: `For example: \`bindery mcp add ${input.id} https://example.com/mcp\` or \`bindery mcp add ${input.id} -- npx -y PACKAGE\`.`,
    });
  }
  if (input.url !== undefined || input.command !== undefined || input.identity !== undefined) {
    throw new BinderyError('USAGE', { detail: `give "${first}" or --url, --identity or --command, not both` });
  }
  const isAddress = /^[a-z][a-z\d+.-]*:\/\//i.test(first);
  if (!isAddress) return { ...input, command: first, arg: [...rest, ...input.arg] };
  if (rest.length > 0) throw new BinderyError('USAGE', { detail: 'an HTTP server has one address and no arguments' });
  return first.toLowerCase().startsWith('ai://') ? { ...input, identity: first } : { ...input, url: first };
}

/** The entry to write, with only the given members. */
function entryOf(input: AddInput): Record<string, unknown> {
  const oauth = definedOnly({
    authorization_url: input.oauth_authorization_url,
    token_url: input.oauth_token_url,
    registration_url: input.oauth_registration_url,
    client_id: input.oauth_client_id,
    client_secret: input.oauth_client_secret,
    client_metadata_url: input.oauth_client_metadata_url,
    scope: input.oauth_scope,
  });
  return definedOnly({
    transport: input.transport ?? (input.command === undefined ? 'http' : 'stdio'),
    url: input.url,
    identity: input.identity,
    identity_keys: input.identity_key.length > 0 ? input.identity_key : undefined,
    headers: input.header.length > 0 ? headerValues(input.header) : undefined,
    command: input.command,
    args: input.arg.length > 0 ? input.arg : undefined,
    cwd: input.cwd,
    env: input.env.length > 0 ? keyValues('env', input.env) : undefined,
    enabled: input.enabled === undefined ? undefined : input.enabled === 'true',
    expand_env: input.expand_env || undefined,
    request_timeout_ms: input.request_timeout_ms,
    startup_timeout_ms: input.startup_timeout_ms,
    oauth: Object.keys(oauth).length > 0 ? oauth : undefined,
  });
}

/**
 * Makes arguments absolute that are written as paths (`./server.js`, `..`) and exist: the server does not start in this folder unless
 * `cwd` says so. A file without `./` may be any word, so it is only warned about.
 */
function withArgsFrom(folder: string, entry: Record<string, unknown>, deps: Pick<HostDeps, 'kindOf' | 'warn'>) {
  const { args, cwd } = entry;
  if (!Array.isArray(args) || cwd !== undefined) return entry;
  const settled = (args as string[]).map((arg) => {
    const kind = deps.kindOf(resolve(folder, arg));
    if (kind !== undefined && /^\.{1,2}(?:[\\/]|$)/.test(arg)) return resolve(folder, arg);
    if (kind === 'file' && !isAbsolute(arg))
      deps.warn(`${arg} is a file of this folder, but the server does not start here: write ./${arg}, or add --cwd .`);
    return arg;
  });
  return { ...entry, args: settled };
}

/** At a terminal, a setting of the entry is a flag. */
function asFlag(warning: string): string {
  return warning.replace('set "expand_env": true', 'add --expand-env');
}

/** Options of this command that hardly any server has. */
const OWN_OPTIONS = /^--(?:scope|replace|expand-env|request-timeout-ms|startup-timeout-ms)(?:=|$)/;

/** Everything behind `--` belongs to the server, even what was meant for this command. */
function swallowedOptions([, ...args]: readonly string[]): string[] {
  return args
    .filter((arg) => OWN_OPTIONS.test(arg))
    .map((arg) => `${arg} stands behind -- and goes to the server: if it is meant for Bindery, write it before --`);
}

function refuseMissingFolder({ cwd, expand_env }: Record<string, unknown>, deps: Pick<HostDeps, 'kindOf'>): void {
  if (typeof cwd !== 'string' || expand_env === true || deps.kindOf(cwd) === 'folder') return;
  throw new BinderyError('INVALID_ARGUMENTS', {
    detail: `--cwd: there is no folder ${cwd}`,
    next: 'Make the folder, or correct the path.',
  });
}

/** `Name: value` as in HTTP, or `name=value`. */
function headerValues(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((item) => {
      const [, name, value] = /^([^:=]+)[:=]\s*(.*)$/s.exec(item) ?? [];
      if (name === undefined || value === undefined) {
        throw new BinderyError('INVALID_ARGUMENTS', { detail: "--header is written as 'Name: value' or name=value" });
      }
      return [name.trim(), value];
    }),
  );
}

function keyValues(flag: string, texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((item) => {
      const equals = item.indexOf('=');
      if (equals <= 0) throw new BinderyError('INVALID_ARGUMENTS', { detail: `--${flag} is written as key=value` });
      return [item.slice(0, equals), item.slice(equals + 1)];
    }),
  );
}

function definedOnly(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

function listItem({ id: server, transport, source, enabled, entry, reason, raw }: ConfiguredServer) {
  const written = (entry ?? raw) as Readonly<Record<string, unknown>> | null;
  const { url, command, identity, headers, env } = typeof written === 'object' && written !== null ? written : {};
  return {
    id: server,
    transport,
    source,
    enabled,
    valid: reason === undefined,
    reason: reason ?? null,
    ...definedOnly({
      url: maskText(url),
      command: maskText(command),
      identity,
      headers: maskAll(headers),
      env: maskAll(env),
    }),
  };
}

const redactor = createRedactor();

function maskText(value: unknown): string | undefined {
  return typeof value === 'string' ? redactor.text(value) : undefined;
}

function maskAll(values: unknown): Record<string, string> | undefined {
  if (typeof values !== 'object' || values === null) return undefined;
  return Object.fromEntries(Object.keys(values).map((name) => [name, MASK]));
}
