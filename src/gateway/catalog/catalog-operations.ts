import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { didYouMean } from '../../contract/nearest-word.ts';
import { defineOperation, READ_ONLY, type Room } from '../../contract/operation.ts';
import { pageInput, pageOf, pageSchema, tabLines } from '../../contract/paging.ts';
import { cleanId } from '../import/plan-servers.ts';
import { blanksOf, CatalogEntry, configEntry } from './catalog-entry.ts';
import { findServers } from './find-servers.ts';

export interface CatalogDeps {
  /** The servers that ship with Bindery, then those of registries: named ones and those of the config. */
  catalog(
    registries: readonly string[],
    query: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly CatalogEntry[]>;
}

export interface CatalogAddDeps extends CatalogDeps {
  /** Whether a file or folder is at this path of this machine. */
  hasPath(path: string): boolean;
  /** Writes the entry of a server into the config; returns the path of the file, and warnings. */
  addServer(
    id: string,
    entry: object,
    scope: 'project' | 'global',
  ): Promise<{ path: string; warnings: readonly string[] }>;
}

const registry = z
  .array(z.string())
  .default([])
  .describe('MCP registry to look in as well: its URL, or a file with its answer; at a terminal only');

const searchCatalog = defineOperation({
  id: 'catalog.search',
  summary: 'Find MCP servers to add: well-known ones, and those of registries.',
  input: z.strictObject({
    query: z.string().default('').describe('words; without them all are listed'),
    registry,
    ...pageInput,
  }),
  output: pageSchema(CatalogEntry),
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/catalog' },
  mcp: false,
  cli: {
    command: 'catalog search',
    positional: ['query'],
    print: ({ items }) =>
      items.length === 0
        ? 'no server matches; other words, or --registry URL\n'
        : tabLines(
            items.map(({ name, transport, labels, description }) => [name, transport, labels.join(','), description]),
          ),
  },
  failures: defaultFailures,
  run: async ({ query, registry: registries, ...page }, deps: CatalogDeps, call) => {
    const entries = await deps.catalog(call.face === 'cli' ? registries : [], query, call.signal);
    const found = findServers(entries, query);
    // Best match first: a page is sorted by its keys.
    const places = new Map(found.map((entry, at) => [entry, String(at).padStart(6, '0')]));
    return pageOf(found, (entry) => places.get(entry) as string, page);
  },
});

const showServer = defineOperation({
  id: 'catalog.show',
  summary: 'Show one server of the catalogue: how it is reached, what it needs, what to know before trusting it.',
  input: z.strictObject({ name: z.string().describe('name of the server'), registry }),
  output: CatalogEntry,
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/catalog/{name}' },
  mcp: false,
  cli: { command: 'catalog show', positional: ['name'], print: entryText },
  failures: defaultFailures,
  run: ({ name, registry: registries }, deps: CatalogDeps, call) =>
    entryNamed(deps, name, call.face === 'cli' ? registries : [], call.signal),
});

const addServer = defineOperation({
  id: 'catalog.add',
  summary: 'Add a server of the catalogue to the config.',
  input: z.strictObject({
    name: z.string().describe('name of the server'),
    id: z.string().optional().describe('id in the config; default: its name'),
    set: z.array(z.string()).default([]).describe('value for a {blank} of its arguments, as blank=value'),
    env: z
      .array(z.string())
      .default([])
      .describe('variable of the server, as key=value; default: taken from the gateway’s own'),
    scope: z.enum(['project', 'global']).default('global').describe('which config file'),
    registry,
  }),
  output: z.object({ id: z.string(), path: z.string(), needs: z.array(z.string()), warnings: z.array(z.string()) }),
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  http: false,
  mcp: false,
  cli: {
    command: 'catalog add',
    positional: ['name'],
    print: ({ id, path, needs }) =>
      [`added ${id} (${path})\n`, ...needs.map((need) => `  ${need}\n`), `Try it: bindery mcp test ${id}\n`].join(''),
  },
  failures: defaultFailures,
  run: async (input, deps: CatalogAddDeps, call) => {
    const entry = await entryNamed(deps, input.name, input.registry, call.signal);
    const filled = pairsOf('set', input.set);
    const missing = blanksOf(entry).filter((name) => filled[name] === undefined);
    if (missing.length > 0) {
      throw new BinderyError('USAGE', {
        detail: `${entry.name} needs a value for ${missing.join(', ')}`,
        next: `Add ${missing.map((name) => `--set ${name}=VALUE`).join(' ')}.`,
      });
    }
    for (const [name, value] of Object.entries(filled)) {
      if (isPath(name) && !deps.hasPath(value)) {
        throw new BinderyError('INVALID_ARGUMENTS', {
          detail: `--set ${name}: there is nothing at ${value}`,
          next: 'Make it, or correct the path.',
        });
      }
    }
    const env = pairsOf('env', input.env);
    const id = input.id ?? cleanId(entry.name);
    const added = deps.addServer(id, configEntry(entry, filled, env), input.scope);
    const { path, warnings } = await added.catch((thrown: unknown) => {
      throw isTaken(thrown) ? takenId(thrown, input.name, id, input.scope) : thrown;
    });
    return { id, path, needs: needsOf(entry, id, env), warnings: [...warnings] };
  },
});

/** Blanks that name a place on this machine. */
function isPath(blank: string): boolean {
  return /^(?:folder|repository)$/.test(blank);
}

function isTaken(thrown: unknown): thrown is BinderyError {
  return thrown instanceof BinderyError && thrown.code === 'SERVER_EXISTS';
}

/** The error for an id that the config has, with the remedies of this command. */
function takenId(cause: BinderyError, name: string, id: string, scope: string): BinderyError {
  const { detail = id, members } = cause;
  const next = `Choose another id: \`bindery catalog add ${name} --id ${id}-2\`. Or remove that one first: \`bindery mcp remove ${id} --scope ${scope}\`.`;
  return new BinderyError('SERVER_EXISTS', { detail, members, next, cause });
}

export const catalogOperations = [searchCatalog, showServer, addServer];

/** The part that a gateway serves. Adding is `gateway.add_server` there. Not a tool: an agent must not choose its own servers. */
export const catalogRoom: Room<CatalogDeps> = {
  name: 'catalog',
  summary: 'servers that can be added',
  operations: [searchCatalog, showServer],
};

async function entryNamed(
  deps: CatalogDeps,
  name: string,
  registries: readonly string[],
  signal: AbortSignal,
): Promise<CatalogEntry> {
  const entries = await deps.catalog(registries, name.includes('/') ? name : undefined, signal);
  const found = entries.find((entry) => entry.name === name);
  if (found) return found;
  const hint = didYouMean(
    name,
    entries.map((entry) => entry.name),
  );
  throw new BinderyError('SERVER_NOT_FOUND', {
    detail: `the catalogue has no ${name}`,
    next: hint === '' ? 'List it with `bindery catalog search`, or name a registry with --registry.' : hint,
    members: { id: name },
  });
}

function pairsOf(flag: string, texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new BinderyError('USAGE', { detail: `--${flag} is written as name=value` });
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

/** Steps that remain before the server works. */
function needsOf({ runtime, auth, env }: CatalogEntry, id: string, given: Readonly<Record<string, string>>): string[] {
  const unset = env.filter(({ name, required }) => required && given[name] === undefined);
  return [
    ...(runtime === 'uv' ? ['needs uv (https://docs.astral.sh/uv) on the PATH'] : []),
    ...unset.map(({ name, description }) => `set ${name} (${description}) in the environment of the gateway`),
    ...(auth === 'oauth' ? [`sign in: bindery mcp auth login ${id}`] : []),
    ...(auth === 'headers' ? [`it wants a header: bindery mcp add ${id} URL --header 'Name: value' --replace`] : []),
  ];
}

function entryText(entry: CatalogEntry): string {
  const {
    name,
    title,
    description,
    transport,
    command,
    args = [],
    url,
    runtime,
    auth,
    env,
    labels,
    trust,
    source,
  } = entry;
  const lines: (readonly [string, string | null])[] = [
    ['name', name],
    ['what', `${title}: ${description}`],
    ['reached by', command === undefined ? `${transport} ${url}` : [command, ...args].join(' ')],
    ['runtime', runtime],
    ['sign-in', auth === 'none' ? null : auth],
    ...env.map((one) => ['variable', `${one.name}${one.required ? '' : ' (optional)'}: ${one.description}`] as const),
    ['labels', labels.join(', ') || null],
    ['trust', trust],
    ['source', source],
    ['add', ['bindery catalog add', name, ...blanksOf(entry).map((blank) => `--set ${blank}=VALUE`)].join(' ')],
  ];
  return lines.flatMap(([label, value]) => (value === null ? [] : [`${label.padEnd(12)}${value}\n`])).join('');
}
