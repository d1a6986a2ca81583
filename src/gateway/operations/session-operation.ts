import { z } from 'zod';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import type { GatewayDeps } from './deps.ts';

export const showSession = defineOperation({
  id: 'gateway.session',
  summary: 'Show the caller, what they may do, and which parts this gateway serves.',
  input: z.strictObject({}),
  output: z.object({
    version: z.string(),
    url: z.string(),
    role: z
      .enum(['admin', 'reader'])
      .describe('admin: may decide and change, by a sign-in, the admin token or a key; reader: everybody else'),
    owner: z
      .boolean()
      .describe(
        'may also change keys, servers of the config and policy files: by a sign-in or the admin token, not by a key',
      ),
    caller: z.string().nullable(),
    name: z.string().nullable().describe('of the key that the caller sent; null: it sent none'),
    profiles: z.array(z.string()).nullable().describe('that the credential is bound to; null: all'),
    rooms: z.array(z.string()),
    key_needed: z.boolean().describe('callers without a credential are refused'),
    sample: z.boolean().describe('what is shown is sample data'),
  }),
  hints: READ_ONLY,
  http: {
    method: 'GET',
    path: '/v1/session',
    perProfile: true,
    meta: () => ({ headers: { 'cache-control': 'no-store' } }),
  },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: (_input, deps: GatewayDeps, call) => {
    const isAdmin = call.signIn?.mayChange ?? deps.isAdmin(call.header('authorization'));
    return {
      ...deps.about(),
      role: isAdmin ? ('admin' as const) : ('reader' as const),
      owner: isAdmin && call.caller === undefined,
      caller: call.caller ?? null,
      name: (call.caller === undefined ? undefined : deps.keyName(call.caller)) ?? null,
      profiles: call.profiles ? [...call.profiles] : null,
    };
  },
});
