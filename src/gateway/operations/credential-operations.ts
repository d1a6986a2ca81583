import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { pageInput, pageOf, pageSchema } from '../../contract/paging.ts';
import type { GatewayDeps } from './deps.ts';

const CredentialItem = z.object({ user: z.string(), server: z.string(), updated_at: z.string() });

/** Sorts by user, then by server; no name contains a line end. */
const keyOf = ({ user, server }: z.output<typeof CredentialItem>) => `${user}\n${server}`;

export const listUserCredentials = defineOperation({
  id: 'gateway.user_credentials',
  summary: 'List which users have signed in to which servers; the tokens are never shown.',
  input: z.strictObject({
    user: z.string().optional().describe('only of this user, by the name that the audit log has'),
    server: z.string().optional().describe('only for this server'),
    ...pageInput,
  }),
  output: pageSchema(CredentialItem),
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/credentials', showsCallers: true },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: ({ user, server, ...page }, deps: GatewayDeps) => {
    const items = deps.credentials
      .list()
      .filter((item) => (user === undefined || item.user === user) && (server === undefined || item.server === server))
      .map((item) => ({ ...item }));
    return pageOf(items, keyOf, page);
  },
});

export const clearUserCredential = defineOperation({
  id: 'gateway.clear_user_credential',
  summary: 'Delete what a user got to sign in to a server, and end their connections to it.',
  input: z.strictObject({
    server: z.string().describe('id of the server'),
    user: z.string().describe('the user, by the name that the audit log has'),
  }),
  output: z.object({ server: z.string(), user: z.string(), cleared: z.literal(true) }),
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  http: { method: 'DELETE', path: '/v1/credentials/{server}/{user}' },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async ({ server, user }, deps: GatewayDeps) => {
    if (!(await deps.credentials.clear(user, server)))
      throw new BinderyError('CREDENTIAL_NOT_FOUND', {
        detail: `nothing is stored for "${user}" at "${server}"`,
        members: { server, user },
      });
    return { server, user, cleared: true as const };
  },
});

export const credentialOperations = [listUserCredentials, clearUserCredential];
