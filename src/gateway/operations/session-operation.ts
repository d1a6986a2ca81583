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
    caller: z.string().nullable(),
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
  run: (_input, deps: GatewayDeps, call) => ({
    ...deps.about(),
    role: call.signIn || deps.isAdmin(call.header('authorization')) ? ('admin' as const) : ('reader' as const),
    caller: call.caller ?? null,
    profiles: call.profiles ? [...call.profiles] : null,
  }),
});
