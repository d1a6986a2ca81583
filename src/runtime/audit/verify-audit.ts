import { readFileSync } from 'node:fs';
import { BinderyError } from '../../contract/errors.ts';
import { parseExportLine } from '../../gateway/audit/chain.ts';
import {
  collectAnchors,
  givenHeads,
  joinHeads,
  joinReports,
  type NotedHeads,
  type StoredRecord,
  type VerifyReport,
  verifyChain,
} from '../../gateway/audit/verify-chain.ts';
import type { VerifyRequest } from '../../gateway/operations/deps.ts';
import type { ConfigStore } from '../../host/config/config-store.ts';
import { gatewaySettings } from '../../host/config/gateway-settings.ts';
import { readAudit } from '../../store/audit/audit-reader.ts';
import { readRegistryHeads } from '../../store/audit/head-notes.ts';
import { headsFilePath, type ReadHeads, readHeadsFile } from '../../store/audit/heads-file.ts';

export interface VerifyFilesOptions {
  readonly dataDir: string;
  readonly registryFile: string;
  readonly config: ConfigStore;
  /** Verifies the chains outside this thread. */
  readonly verifyChains?: (noted: NotedHeads) => Promise<VerifyReport>;
}

/** Verifies the chains of a data directory, or an export, against all noted heads. */
export async function verifyAudit(request: VerifyRequest, options: VerifyFilesOptions): Promise<VerifyReport> {
  if (request.file !== undefined) {
    return byNoted(request, undefined, (noted) => verifyExport(readText(request.file as string), noted));
  }
  const { dataDir, registryFile, config } = options;
  const { settings } = gatewaySettings((await config.read()).layers);
  const headsFile = headsFilePath(config.files.global, settings.audit?.heads_file);
  const verifyChains =
    options.verifyChains ?? ((noted: NotedHeads) => readAudit(dataDir, (reader) => reader.verify(noted)));
  return byNoted(request, headsFile, (noted) => verifyChains(joinHeads(noted, readRegistryHeads(registryFile))));
}

/** Verifies against the heads that a person gives and those in a file: the one in the request, otherwise the default. */
export async function byNoted(
  { heads, headsFile }: VerifyRequest,
  usualFile: string | undefined,
  verify: (noted: NotedHeads) => VerifyReport | Promise<VerifyReport>,
): Promise<VerifyReport> {
  const file = headsFile ?? usualFile;
  const filed: ReadHeads = file === undefined ? { heads: new Map(), warnings: [] } : await readHeadsFile(file);
  const report = await verify(joinHeads(givenHeads(heads), filed.heads));
  return { ...report, warnings: [...report.warnings, ...filed.warnings] };
}

function verifyExport(text: string, noted: NotedHeads): VerifyReport {
  const chains = new Map<string, StoredRecord[]>();
  for (const line of text.split('\n').filter((item) => item !== '')) {
    const stored = parseExportLine(line) ?? { text: line, hash: '' };
    const chain = chainOf(stored.text);
    const records = chains.get(chain) ?? [];
    records.push(stored);
    chains.set(chain, records);
  }
  const heads = joinHeads(noted, collectAnchors([...chains.values()].flat().map((stored) => stored.text)));
  const reports = [...chains].map(
    ([chain, records]) => [chain, verifyChain(chain, records, undefined, heads.get(chain))] as const,
  );
  return joinReports(reports, heads);
}

function chainOf(text: string): string {
  try {
    return String((JSON.parse(text) as { chain?: unknown }).chain);
  } catch {
    return 'unreadable';
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new BinderyError('USAGE', { detail: `"${file}" cannot be read`, cause });
  }
}
