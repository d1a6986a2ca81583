import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { type Call, defineOperation } from '../../contract/operation.ts';
import type { BindDeps } from '../deps.ts';
import { canonicalJson } from '../digest.ts';
import { bindFailures } from '../failures.ts';
import { parseZoneJson, zoneEtag } from '../read-zone.ts';
import { identityOf } from '../registry.ts';
import { importServerJson } from '../server-json.ts';
import { decideWrite } from '../write-zone.ts';
import { writeMembers } from './zones.ts';

interface ImportReport {
  created: string[];
  replaced: string[];
  unchanged: number;
  readonly skipped: { readonly server: string; readonly reason: string }[];
  readonly dry_run: boolean;
}

const Input = z.strictObject({
  source: z.string().min(1).describe('URL of an MCP registry, or a file with its answer'),
  search: z.string().optional().describe('Only servers whose name has this part'),
  contact: z.string().optional().describe('mailto:, URL or handle, for servers that name none'),
  dry_run: z.boolean().optional().describe('Say what would be stored, and store nothing'),
  registrar_key: writeMembers.registrar_key,
});

/** A registry → a zone for each of its servers that can be reached by URL. */
export const importRegistryOperation = defineOperation({
  id: 'bind.import_registry',
  summary: 'Store a zone for each server of an MCP registry that has a remote endpoint.',
  input: Input,
  output: z.object({
    created: z.array(z.string()),
    replaced: z.array(z.string()),
    unchanged: z.int(),
    skipped: z.array(z.object({ server: z.string(), reason: z.string() })),
    dry_run: z.boolean(),
  }),
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  http: false,
  mcp: false,
  cli: { command: 'bind import-registry', positional: ['source'], print: printReport },
  failures: bindFailures,
  run: async (input, deps: BindDeps, call): Promise<ImportReport> => {
    const report: ImportReport = {
      created: [],
      replaced: [],
      unchanged: 0,
      skipped: [],
      dry_run: input.dry_run === true,
    };
    let done = 0;
    for await (const document of deps.registryServers(input.source, input.search, call.signal)) {
      await importOne(document, input, report, deps, call);
      done += 1;
      call.progress(done, undefined, 'servers read');
    }
    return report;
  },
});

async function importOne(
  document: JsonObject,
  input: z.output<typeof Input>,
  report: ImportReport,
  deps: BindDeps,
  call: Call,
): Promise<void> {
  const server = isObject(document.server) ? document.server : document;
  const serverName = typeof server.name === 'string' ? server.name : '(without a name)';
  const skip = (reason: string) => {
    report.skipped.push({ server: serverName, reason });
  };
  const identity = identityOf(serverName);
  if (identity === undefined)
    return skip('its name makes no identity; import it with `bindery bind import --identity`');
  const at = new Date(deps.clock.now()).toISOString();
  const current = deps.zones.get(identity);
  if (current && current.registryName !== serverName) return skip(`the identity ${identity} is taken`);
  try {
    const options = { name: identity, createdAt: at, otherwiseContact: input.contact, current };
    const { zone } = importServerJson(document, options);
    if (!zone.records.some(({ type }) => type === 'MCP')) return skip('it has no remote endpoint');
    if (!('contact' in zone)) return skip('it names no contact; pass --contact for such servers');
    const stored = current && parseZoneJson(identity, current.text);
    if (stored && canonicalJson(stored) === canonicalJson(zone)) {
      report.unchanged += 1;
      return undefined;
    }
    const write = { name: identity, zone, registrarKey: input.registrar_key, isLocal: call.face === 'cli' };
    const decide = (now: typeof current) => decideWrite({ ...write, ifMatch: now && zoneEtag(now) }, now, deps.policy);
    if (report.dry_run) decide(current);
    else await deps.writer.update(identity, at, decide);
    (current ? report.replaced : report.created).push(identity);
  } catch (thrown) {
    // A server without a valid zone does not stop the import; an error that concerns all servers does.
    if (!(thrown instanceof BinderyError) || thrown.code !== 'INVALID_ZONE') throw thrown;
    skip(thrown.message);
  }
  return undefined;
}

function printReport({ created, replaced, unchanged, skipped, dry_run: isDry }: ImportReport): string {
  const lines = [
    ...skipped.map(({ server, reason }) => `skipped ${server}: ${reason}`),
    `${created.length} created, ${replaced.length} replaced, ${unchanged} unchanged, ${skipped.length} skipped${isDry ? ' (nothing was stored)' : ''}`,
  ];
  return `${lines.join('\n')}\n`;
}
