import { z } from 'zod';
import { SURFACES } from '../../contract/approval-surfaces.ts';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { refuseAllButOwner } from '../../contract/owner-only.ts';
import { pageInput, pageOf, pageSchema, tabLines } from '../../contract/paging.ts';
import { type ApiKey, SCOPES } from '../keys/api-key.ts';
import type { AdministrationDeps } from './deps.ts';
import { listOf } from './list-of.ts';

/** Keys are managed by commands, and by a running gateway. */
export type KeyDeps = Pick<AdministrationDeps, 'keys'>;

const CHANGES = { readOnly: false, destructive: false, idempotent: false, openWorld: false } as const;

const KeyItem = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  profiles: z.array(z.string()),
  surfaces: z.array(z.enum(SURFACES)).nullable(),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
});

const createKey = defineOperation({
  id: 'gateway.create_key',
  summary: 'Create an API key; its secret is shown once.',
  input: z.strictObject({
    name: z.string().min(1).max(100).describe('what it is for'),
    profile: z
      .array(z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/))
      .default([])
      .describe('profile that it is bound to; default: all'),
    scope: z.string().default('call').describe('call, read, register, admin, separated by commas'),
    surfaces: z
      .string()
      .optional()
      .describe(
        'where its calls may be approved: console, cli, webhook, client, separated by commas; default: as the profile says',
      ),
    expires: z
      .string()
      .regex(/^[1-9]\d{0,3}[hd]$/, 'must be a number with h or d, such as 90d')
      .optional()
      .describe('lifetime, such as 12h or 90d; default: until it is revoked'),
  }),
  output: KeyItem.extend({ key: z.string() }),
  hints: CHANGES,
  http: { method: 'POST', path: '/v1/keys', meta: () => ({ status: 201, headers: { 'cache-control': 'no-store' } }) },
  mcp: false,
  cli: {
    command: 'keys create',
    positional: ['name'],
    print: ({ key }) => `${key}\n`,
    note: ({ id }) => `the key is shown this once; its id is ${id}\n`,
  },
  failures: defaultFailures,
  run: async ({ name, profile, scope, surfaces, expires }, deps: KeyDeps, call) => {
    refuseAllButOwner(call);
    const { key, record } = await deps.keys.create({
      name,
      scopes: listOf('scope', scope, SCOPES),
      profiles: profile,
      surfaces: surfaces === undefined ? null : listOf('surfaces', surfaces, SURFACES),
      lifeMs: expires === undefined ? null : lifeMs(expires),
    });
    return { key, ...itemOf(record) };
  },
});

const listKeys = defineOperation({
  id: 'gateway.keys',
  summary: 'List the API keys, including revoked ones; secrets are not stored.',
  input: z.strictObject({ ...pageInput }),
  output: pageSchema(KeyItem),
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/keys', showsCallers: true },
  mcp: false,
  cli: {
    command: 'keys list',
    print: ({ items }) =>
      items.length === 0
        ? 'there are no keys; make one with: bindery keys create NAME\n'
        : tabLines(
            items.map((item) => [
              item.id,
              item.name,
              item.scopes.join(','),
              item.profiles.join(','),
              item.revoked_at === null ? (item.expires_at ?? 'no end') : `revoked ${item.revoked_at}`,
              item.surfaces?.join(',') ?? '',
            ]),
          ),
  },
  failures: defaultFailures,
  run: async (page, deps: KeyDeps) => pageOf((await deps.keys.list()).map(itemOf), ({ id }) => id, page),
});

const revokeKey = defineOperation({
  id: 'gateway.revoke_key',
  summary: 'Revoke an API key; it stops working at once.',
  input: z.strictObject({ id: z.string().describe('id of the key') }),
  output: KeyItem,
  hints: { ...CHANGES, destructive: true, idempotent: true },
  http: { method: 'DELETE', path: '/v1/keys/{id}' },
  mcp: false,
  cli: { command: 'keys revoke', positional: ['id'], print: ({ id }) => `revoked ${id}\n` },
  failures: defaultFailures,
  run: async ({ id }, deps: KeyDeps, call) => {
    refuseAllButOwner(call);
    const revoked = await deps.keys.revoke(id.replace(/^bk_/, '').slice(0, 8));
    if (!revoked) throw new BinderyError('KEY_NOT_FOUND', { members: { id } });
    return itemOf(revoked);
  },
});

export const keyOperations = [createKey, listKeys, revokeKey];

function lifeMs(text: string): number {
  return Number(text.slice(0, -1)) * (text.endsWith('h') ? 3_600_000 : 86_400_000);
}

function itemOf({ scopes, profiles, surfaces, ...key }: ApiKey): z.output<typeof KeyItem> {
  return { ...key, scopes: [...scopes], profiles: [...profiles], surfaces: surfaces && [...surfaces] };
}
