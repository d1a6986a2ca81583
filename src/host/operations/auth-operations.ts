import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { pageInput, pageOf, pageSchema, tabLines } from '../../contract/paging.ts';
import { findServer, type HostDeps } from './deps.ts';

const CHANGES = { readOnly: false, destructive: false, idempotent: true, openWorld: false } as const;
const id = z.string().describe('id of the server');
const user = z.string().optional();
const TokenItem = z.object({ server_id: z.string(), has_refresh: z.boolean(), expires_at: z.string().nullable() });
const UserItem = z.object({ user: z.string(), server_id: z.string(), updated_at: z.string() });
/** Cannot be a user name, because those are longer. */
const ALL_USERS = 'all';

const listTokens = defineOperation({
  id: 'host.auth-list',
  summary: 'List the servers with a stored token.',
  input: z.strictObject({
    user: user.describe('sign-ins of this user of the gateway, named as in the audit log, or of `all`'),
    ...pageInput,
  }),
  output: pageSchema(z.union([TokenItem, UserItem])),
  hints: READ_ONLY,
  http: false,
  mcp: false,
  cli: {
    command: 'mcp auth list',
    print: ({ items }) =>
      items.length === 0
        ? 'no token is stored; sign in to a server with: bindery mcp auth login SERVER\n'
        : tabLines(
            items.map((item) =>
              'user' in item
                ? [item.server_id, item.user, item.updated_at]
                : [item.server_id, item.has_refresh, item.expires_at],
            ),
          ),
  },
  failures: defaultFailures,
  run: async ({ user: wanted, ...page }, deps: HostDeps) => {
    if (wanted !== undefined)
      return pageOf(await signInsOf(deps, wanted), (item) => `${item.user}\n${item.server_id}`, page);
    for (const damage of await deps.tokens.damage()) deps.warn(damage);
    // A registered client without a token does not count.
    const stored = Object.entries(await deps.tokens.list()).filter(
      ([, token]) => token.access_token !== undefined || token.refresh_token !== undefined,
    );
    const items = stored.map(([server, token]) => ({
      server_id: server,
      has_refresh: token.refresh_token !== undefined,
      expires_at: token.expires_at === undefined ? null : new Date(token.expires_at).toISOString(),
    }));
    items.sort((a, b) => Buffer.compare(Buffer.from(a.server_id), Buffer.from(b.server_id)));
    return pageOf(items, (item) => item.server_id, page);
  },
});

const setToken = defineOperation({
  id: 'host.auth-set',
  summary: 'Store a token for an HTTP server.',
  input: z.strictObject({
    id,
    access_token: z
      .string()
      .min(1)
      .optional()
      .describe('the token; omit it to be asked, so that it stays out of the shell history'),
    access_token_file: z.string().optional().describe('file that holds the token; - is stdin'),
    refresh_token: z.string().min(1).optional().describe('refresh token'),
    expires_at: z.number().int().min(0).optional().describe('expiry of the token in ms since 1970'),
    expires_in: z.number().int().min(0).optional().describe('lifetime of the token in seconds'),
    scope: z.string().optional().describe('scope of the token'),
    token_type: z.string().default('Bearer').describe('type of the token'),
  }),
  output: z.object({ id: z.string(), stored: z.literal(true) }),
  hints: CHANGES,
  http: false,
  mcp: false,
  cli: { command: 'mcp auth set', positional: ['id'], print: (output) => `stored a token for ${output.id}\n` },
  failures: defaultFailures,
  run: async (input, deps: HostDeps, call) => {
    if (input.expires_at !== undefined && input.expires_in !== undefined) {
      throw new BinderyError('USAGE', { detail: 'give --expires-at or --expires-in, not both' });
    }
    if (input.access_token !== undefined && input.access_token_file !== undefined) {
      throw new BinderyError('USAGE', { detail: 'give --access-token or --access-token-file, not both' });
    }
    const server = await findServer(deps, input.id);
    if (server.transport === 'stdio') {
      throw new BinderyError('SERVER_INVALID', { detail: 'a stdio server takes no token; give it one in env' });
    }
    const expiresAt =
      input.expires_at ?? (input.expires_in === undefined ? undefined : deps.clock.now() + input.expires_in * 1000);
    // A token is valid only for the URL that it was issued for.
    const url = await deps.urlOf(server, call.signal);
    const accessToken =
      input.access_token ?? (await deps.readSecret(`Access token for ${input.id}: `, input.access_token_file));
    if (input.access_token !== undefined) {
      deps.warn('--access-token leaves the token in the history of your shell: leave it out to be asked for it');
    }
    // Keep the registered client: the refresh token needs it.
    await deps.tokens.update(input.id, (stored) => {
      const { access_token: _a, refresh_token: _r, expires_at: _e, renew_at: _n, scope: _s, ...client } = stored ?? {};
      return {
        ...client,
        access_token: accessToken,
        token_type: input.token_type,
        url,
        ...(input.refresh_token === undefined ? {} : { refresh_token: input.refresh_token }),
        ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
        ...(input.scope === undefined ? {} : { scope: input.scope }),
      };
    });
    return { id: input.id, stored: true as const };
  },
});

const clearToken = defineOperation({
  id: 'host.auth-clear',
  summary: 'Delete the stored sign-in of a server.',
  input: z.strictObject({
    id,
    user: user.describe('the sign-in of this user of the gateway, named as in the audit log'),
  }),
  output: z.object({ id: z.string(), cleared: z.boolean().describe('whether anything was stored') }),
  hints: { ...CHANGES, destructive: true },
  http: false,
  mcp: false,
  cli: {
    command: 'mcp auth clear',
    positional: ['id'],
    print: ({ id: server, cleared }) => (cleared ? `cleared ${server}\n` : `nothing is stored for ${server}\n`),
  },
  failures: defaultFailures,
  run: async (input, deps: HostDeps) => {
    if (input.user !== undefined) {
      await deps.userSignIns.clear(input.user, input.id);
      return { id: input.id, cleared: true };
    }
    const { found, setAside } = await deps.tokens.clear(input.id);
    if (setAside !== undefined) deps.warn(`the damaged token file is now ${setAside}`);
    if (!found && !(await isConfigured(deps, input.id)))
      throw new BinderyError('SERVER_NOT_FOUND', {
        detail: `"${input.id}" is not configured, and nothing is stored for it`,
        members: { id: input.id },
      });
    return { id: input.id, cleared: found };
  },
});

const login = defineOperation({
  id: 'host.auth-login',
  summary: 'Sign in to a server in the browser.',
  input: z.strictObject({ id }),
  output: z.object({ id: z.string(), authorization_url: z.string().nullable(), signed_in: z.boolean() }),
  hints: { ...CHANGES, openWorld: true },
  http: false,
  mcp: false,
  cli: {
    command: 'mcp auth login',
    positional: ['id'],
    print: (output) => (output.signed_in ? `signed in to ${output.id}\n` : `sign in at ${output.authorization_url}\n`),
  },
  failures: defaultFailures,
  run: async ({ id: server }, deps: HostDeps, call) => {
    const gateway = await deps.findGateway();
    if (gateway) {
      const { authorization_url } = await gateway.act(server, 'login');
      if (typeof authorization_url !== 'string')
        throw new BinderyError('GATEWAY_REFUSED', { detail: 'it gave no sign-in URL' });
      await deps.openUrl(authorization_url);
      return { id: server, authorization_url, signed_in: false };
    }
    await deps.signIn(await findServer(deps, server), call.signal);
    return { id: server, authorization_url: null, signed_in: true };
  },
});

async function isConfigured(deps: HostDeps, server: string): Promise<boolean> {
  return (await deps.config.load()).servers.some((one) => one.id === server);
}

async function signInsOf(deps: HostDeps, wanted: string): Promise<z.output<typeof UserItem>[]> {
  const all = await deps.userSignIns.list();
  return all
    .filter((item) => wanted === ALL_USERS || item.user === wanted)
    .map(({ user: name, server, updated_at }) => ({ user: name, server_id: server, updated_at }));
}

export const authOperations = [listTokens, setToken, clearToken, login];
