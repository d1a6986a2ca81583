import { z } from 'zod';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { convertAscendingZone } from '../ascending-zone.ts';
import { findZone } from '../collapse.ts';
import type { BindDeps } from '../deps.ts';
import { bindFailures } from '../failures.ts';
import { zoneEtag } from '../read-zone.ts';
import { IdentityName, toError } from '../request.ts';
import { exportServerJson, importServerJson } from '../server-json.ts';
import { decideWrite, invalidZone } from '../write-zone.ts';
import type { Zone, ZoneIssue } from '../zone.ts';
import { ZoneOutput } from './outputs.ts';
import { describeStored, printStored, type StoredZone, StoredZoneOutput, writeMembers } from './zones.ts';

const ImportInput = z.strictObject({
  document: z.record(z.string(), z.unknown()).describe('A server.json, or a zone of another resolver'),
  identity: IdentityName,
  priority_order: z
    .enum(['asc', 'desc'])
    .default('desc')
    .describe('asc: in the zone that is imported the lower priority wins'),
  contact: z.string().optional().describe('mailto:, URL or handle of the person or team responsible for the zone'),
  variables: z.record(z.string(), z.string()).optional().describe('Values of the {variables} in URLs, as JSON'),
  ...writeMembers,
});

/** Another format → a stored zone. */
export const importOperation = defineOperation({
  id: 'bind.import',
  summary: 'Store a zone made from a server.json of the MCP registry, or from a zone of another resolver.',
  input: ImportInput,
  output: StoredZoneOutput,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  http: false,
  mcp: false,
  cli: { command: 'bind import', positional: ['document'], files: ['document'], print: printStored },
  failures: bindFailures,
  run: async (input, deps: BindDeps, call): Promise<StoredZone> => {
    const at = new Date(deps.clock.now()).toISOString();
    let converted: Converted | undefined;
    const entry = await deps.writer.update(input.identity, at, (current) => {
      converted = convert(input, current, at);
      const { zone, ifMatch } = converted;
      const write = { name: input.identity, zone, ifMatch, registrarKey: input.registrar_key };
      return decideWrite({ ...write, isLocal: call.face === 'cli' }, current, deps.policy);
    });
    const stored = describeStored(input.identity, entry, converted?.zone, deps);
    return { ...stored, warnings: [...(converted?.warnings ?? []), ...stored.warnings] };
  },
});

/** A zone → a server.json. */
export const exportOperation = defineOperation({
  id: 'bind.export',
  summary: 'Write a zone as a server.json of the MCP registry.',
  input: z.strictObject({
    identity: IdentityName,
    name: z.string().optional().describe('Name in the registry; default: the one it was imported with'),
  }),
  output: ZoneOutput,
  hints: READ_ONLY,
  http: false,
  mcp: false,
  cli: {
    command: 'bind export',
    positional: ['identity'],
    document: (server) => `${JSON.stringify(server, null, 2)}\n`,
  },
  failures: bindFailures,
  run: ({ identity, name }, { zones, policy }: BindDeps) => {
    const found = findZone(zones, identity, policy);
    if (!found.ok) throw toError(found.failure);
    return exportServerJson(found.zone, name);
  },
});

interface Converted {
  readonly zone: unknown;
  readonly warnings: readonly ZoneIssue[];
  readonly ifMatch: string | undefined;
}

function convert(input: z.output<typeof ImportInput>, current: Zone | undefined, createdAt: string): Converted {
  const { document, identity: name, contact, variables } = input;
  if (Array.isArray(document.records)) {
    const { zone, errors } =
      input.priority_order === 'asc' ? convertAscendingZone(document) : { zone: document, errors: [] };
    if (errors.length > 0) throw invalidZone(name, errors);
    const renamed = { ...zone, identity: name, ...(contact === undefined ? {} : { contact }) };
    return { zone: renamed, warnings: [], ifMatch: input.if_match };
  }
  const { zone, warnings } = importServerJson(document, { name, createdAt, contact, variables, current });
  // The same server again is a newer version; a different server would take over the name.
  const isSameServer = current?.registryName !== undefined && current.registryName === nameOf(document);
  return { zone, warnings, ifMatch: input.if_match ?? (isSameServer ? zoneEtag(current) : undefined) };
}

function nameOf(document: Readonly<Record<string, unknown>>): unknown {
  const { server } = document as { server?: { name?: unknown } };
  return server?.name ?? document.name;
}
