import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { corruptZone, findZone } from '../collapse.ts';
import type { BindDeps } from '../deps.ts';
import { canonicalJson, toEtag } from '../digest.ts';
import { bindFailures } from '../failures.ts';
import { toUri } from '../identity.ts';
import { lintCandidate } from '../lint-zones.ts';
import { parseZoneJson } from '../read-zone.ts';
import { IdentityName, toError } from '../request.ts';
import { signZone } from '../signed-zone.ts';
import { decideWrite } from '../write-zone.ts';
import type { ZoneIssue } from '../zone.ts';
import { IssueOutput, ZoneOutput } from './outputs.ts';

/** A stored zone, with the tag that a write must send. */
export const zoneOperation = defineOperation({
  id: 'bind.zone',
  summary: 'Read a zone as it is stored.',
  input: z.strictObject({ identity: IdentityName }),
  output: ZoneOutput,
  hints: READ_ONLY,
  http: {
    method: 'GET',
    path: '/codex/zones/{identity}',
    meta: () => ({ headers: { 'cache-control': 'no-cache' } }),
    etag: (zone) => toEtag(canonicalJson(zone)),
  },
  mcp: false,
  cli: false,
  failures: bindFailures,
  run: ({ identity }, { zones, policy, signing, clock }: BindDeps, call) => {
    const found = findZone(zones, identity, policy);
    if (!found.ok) throw toError(found.failure);
    const json = parseZoneJson(identity, found.zone.text);
    if (!json) throw toError(corruptZone(identity).failure);
    const signer = signing?.()?.signer;
    if (signer) call.setHeader?.('zone-signature', signZone(json, signer, clock.now()));
    return json;
  },
});

export interface StoredZone {
  readonly identity: string;
  readonly created: boolean;
  readonly etag: string;
  /** Number of the entry in the change log. */
  readonly seq: number;
  readonly warnings: readonly ZoneIssue[];
}

export const StoredZoneOutput: z.ZodType<StoredZone> = z.object({
  identity: z.string(),
  created: z.boolean(),
  etag: z.string(),
  seq: z.int(),
  warnings: z.array(IssueOutput),
});

/** Members that name the writer and the version to replace. */
export const writeMembers = {
  if_match: z.string().optional().describe('Tag of the version that is replaced; * for any'),
  registrar_key: z
    .string()
    .transform((text) => text.replace(/^Bearer +/i, ''))
    .optional()
    .describe('A key of bind.registrar_keys'),
};

/** Stores a zone: all of it or nothing, with an entry in the change log. */
export const putOperation = defineOperation({
  id: 'bind.put',
  summary: 'Store a new zone, or replace the version that If-Match names.',
  input: z.strictObject({
    identity: IdentityName.optional(),
    zone: z.record(z.string(), z.unknown()).describe('The whole zone'),
    ...writeMembers,
    if_none_match: z.string().optional().describe('* refuses to replace a zone'),
    signature: z.string().optional().describe('Detached JWS over the zone by a key of its stored version'),
  }),
  output: StoredZoneOutput,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  http: {
    method: 'PUT',
    path: '/codex/zones/{identity}',
    body: 'zone',
    hasManyMembers: true,
    headers: {
      if_match: 'if-match',
      if_none_match: 'if-none-match',
      registrar_key: 'authorization',
      signature: 'zone-signature',
    },
    meta: ({ created, etag }) => ({ status: created ? 201 : 200, headers: { etag } }),
  },
  mcp: false,
  cli: { command: 'bind put', positional: ['zone'], files: ['zone'], print: printStored },
  failures: bindFailures,
  run: async (input, deps: BindDeps, call): Promise<StoredZone> => {
    const name = input.identity ?? IdentityName.safeParse(input.zone.identity).data;
    if (name === undefined) throw new BinderyError('INVALID_IDENTITY', { detail: 'the zone has no valid identity' });
    const entry = await deps.writer.update(name, new Date(deps.clock.now()).toISOString(), (current) =>
      decideWrite(
        {
          name,
          zone: input.zone,
          ifMatch: input.if_match,
          ifNoneMatch: input.if_none_match,
          registrarKey: input.registrar_key,
          signature: input.signature,
          isLocal: call.face === 'cli',
        },
        current,
        deps.policy,
      ),
    );
    return describeStored(name, entry, input.zone, deps);
  },
});

export function describeStored(
  name: string,
  entry: { readonly seq: number; readonly zone: string; readonly replaced: string | null },
  zone: unknown,
  { zones, policy }: BindDeps,
): StoredZone {
  return {
    identity: toUri(name),
    created: entry.replaced === null,
    etag: `"${entry.zone}"`,
    seq: entry.seq,
    warnings: lintCandidate(zones, name, zone, policy),
  };
}

export function printStored({ identity, created, etag, warnings }: StoredZone): string {
  const lines = warnings.map((issue) => `${issue.level}: ${issue.message}\n`);
  return `${created ? 'created' : 'replaced'} ${identity} ${etag}\n${lines.join('')}`;
}
