import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BinderyError, ERRORS, type ErrorCode } from '../../contract/errors.ts';
import type { Approval, ApprovalDecision } from '../../gateway/approval/approval.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import type { FoundTools } from '../../gateway/search/find-tools.ts';
import type { ListingCosts } from '../../gateway/search/listing-cost.ts';
import { ConfigStore, projectConfigFile } from '../../host/config/config-store.ts';
import { askGateway } from '../../runtime/admin/ask-gateway.ts';
import { callGateway } from '../../runtime/admin/call-gateway.ts';
import { fileDeps } from '../../runtime/admin/file-deps.ts';
import { BUILTIN_SERVERS } from '../../runtime/catalogue/builtin-server.ts';
import { policyPaths } from '../../runtime/policy/policy-in-force.ts';
import { ApprovalStore } from '../../store/approvals/approval-store.ts';
import { CredentialIndex } from '../../store/credentials/credential-index.ts';
import { openDatabase } from '../../store/open-database.ts';
import { PolicyFiles, type PolicyPath } from '../../store/policy/policy-files.ts';
import { PolicyVersions } from '../../store/policy/policy-versions.ts';
import { isCopy } from '../../store/postgres/shared/registry-copy.ts';
import { AcceptedDefinitions } from '../../store/registry/accepted-definitions.ts';
import { RegistryStore } from '../../store/registry/registry-store.ts';
import { directories } from '../directories.ts';
import { createLog } from '../log.ts';
import type { CommandFlags } from '../operation-command.ts';
import { registryFileOfCommand, sharedDatabaseUrl } from '../registry-location.ts';
import { type Announcement, findAnnouncement } from '../running-gateway.ts';
import { nodesDeps, withoutDecisions } from './nodes-deps.ts';

const TIMEOUT_MS = 10_000;

/** Dependencies of the gateway's commands: they read its files, and make changes through a running gateway, if there is one. */
export async function commandDeps(flags: CommandFlags): Promise<GatewayDeps> {
  const { dataDir, configDir, configFile } = directories(process.env);
  const projectDir = resolve(String(flags.cwd ?? '.'));
  const announced = await findAnnouncement(dataDir);
  const policyFile =
    typeof flags.policy === 'string' ? resolve(projectDir, flags.policy) : policyOfGateway(announced, projectDir);
  const clock = { now: Date.now };
  const log = createLog((line) => process.stderr.write(line), 'warn');
  const registryFile = await registryFileOfCommand(flags.db, dataDir, projectDir);
  const database = openDatabase(registryFile);
  const approvals = new ApprovalStore(database);
  const paths = policyPaths(policyFile, configDir, projectDir);
  const versions = new PolicyVersions(database);
  const inForce = ({ layer, file }: PolicyPath) =>
    layer === 'file' ? announced?.policy === file : versions.find(file) !== undefined;
  const files = fileDeps({
    dataDir,
    registryFile,
    projectDir,
    env: process.env,
    builtins: BUILTIN_SERVERS,
    config: new ConfigStore({ global: configFile, project: projectConfigFile(projectDir) }),
    policyFiles: new PolicyFiles(paths, { versions, clock, log, inForce }),
    versions,
    approvals,
    registry: new RegistryStore(database),
    credentials: new CredentialIndex(database),
    definitions: new AcceptedDefinitions(database),
    now: clock.now,
  });
  const running = await runningGateway(dataDir, announced);
  const url = sharedDatabaseUrl(flags.db);
  if (url !== undefined) return nodesDeps(files, { url, registryFile, approvals, now: clock.now });
  if (running) return throughGateway(files, running);
  return isCopy(database) ? withoutDecisions(files) : files;
}

/** The policy file that the gateway of this project was started with. */
function policyOfGateway(announced: Announcement | undefined, projectDir: string): string | undefined {
  return announced?.cwd === projectDir ? announced.policy : undefined;
}

interface Address {
  readonly url: string;
  readonly token: string;
}

async function runningGateway(dataDir: string, announced: Announcement | undefined): Promise<Address | undefined> {
  if (!announced) return undefined;
  const { url } = announced;
  // The process may have stopped serving, or another program may have its pid now.
  const answers = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => undefined);
  return answers?.ok ? { url, token: readFileSync(join(dataDir, 'admin.token'), 'utf8').trim() } : undefined;
}

/** Reads use the files; changes go through the gateway, so that they take effect at once. */
function throughGateway(files: GatewayDeps, gateway: Address): GatewayDeps {
  return {
    ...files,
    isRecorded: true,
    approvals: {
      ...files.approvals,
      reveal: async (id, path) => {
        const where = `/v1/approvals/${encodeURIComponent(id)}/arguments`;
        return String((await post(gateway, where, path === undefined ? {} : { path })).text);
      },
      decide: async (id: string, { decision, via, reason, remember }: ApprovalDecision) =>
        (await post(
          gateway,
          `/v1/approvals/${encodeURIComponent(id)}/decision`,
          { decision, ...(reason === undefined ? {} : { reason }), ...(remember === undefined ? {} : { remember }) },
          { 'bindery-surface': via },
        )) as unknown as Approval,
      forget: async (id) => {
        await ask(gateway, `/v1/remembered-approvals/${encodeURIComponent(id)}`, { method: 'DELETE' });
        return true;
      },
    },
    tools: {
      ...files.tools,
      accept: async (server, seen) => {
        await post(gateway, `/v1/servers/${encodeURIComponent(server)}/accept`, { definitions: seen });
        return true;
      },
    },
    nodes: async () => {
      const { items } = await ask(gateway, '/v1/nodes', { method: 'GET' });
      return items as Awaited<ReturnType<GatewayDeps['nodes']>>;
    },
    servers: {
      ...files.servers,
      setEnabled: async (id, enabled) => {
        const headers = { 'content-type': 'application/json' };
        const body = JSON.stringify({ enabled });
        await ask(gateway, `/v1/servers/${encodeURIComponent(id)}`, { method: 'PATCH', headers, body });
      },
    },
    credentials: {
      ...files.credentials,
      clear: async (user, server) => {
        const path = [server, user].map(encodeURIComponent).join('/');
        await ask(gateway, `/v1/credentials/${path}`, { method: 'DELETE' });
        return true;
      },
    },
    search: {
      ...files.search,
      find: async (input, profile) =>
        (await post(gateway, '/v1/tools/find', { ...input, profile })) as unknown as FoundTools,
      cost: (profile) => costOf(gateway, profile),
      call: (call, signal) => callGateway(gateway, call, signal),
    },
    policy: {
      ...files.policy,
      reload: async () => {
        await post(gateway, '/v1/policy/reload', {});
        await files.policy.reload();
      },
    },
  };
}

/** The token costs of tools in a gateway, which also knows its built-in servers. */
async function costOf(gateway: Address, profile: string): Promise<ListingCosts> {
  const tools: ListingCosts['tools'][number][] = [];
  let cursor: string | null = null;
  for (;;) {
    const query = new URLSearchParams({ profile, limit: '1000', ...(cursor === null ? {} : { cursor }) });
    const page = (await ask(gateway, `/v1/tools/cost?${query}`, { method: 'GET' })) as unknown as {
      items: ListingCosts['tools'];
      next_cursor: string | null;
      exposure: ListingCosts['exposure'];
      budget_tokens: number;
      exposures: Pick<ListingCosts, 'all' | 'search'> & { auto: { as: ListingCosts['auto'] } };
    };
    for (const item of page.items) tools.push(item);
    cursor = page.next_cursor;
    const { exposure, budget_tokens: budgetTokens, exposures } = page;
    const { all, search, auto } = exposures;
    if (cursor === null) return { exposure, budgetTokens, all, search, auto: auto.as, tools };
  }
}

function post(
  gateway: Address,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>> {
  return ask(gateway, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

async function ask(
  { url, token }: Address,
  path: string,
  { headers, ...rest }: { method: string; headers?: Readonly<Record<string, string>>; body?: string },
): Promise<Record<string, unknown>> {
  const { status, isOk, text } = await askGateway(`${url}${path}`, {
    ...rest,
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const answer = bodyOf(text);
  if (isOk) return answer;
  throw asError(answer, status);
}

/** An answer without a body is an empty one. */
function bodyOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** The gateway's problem as the command's error: the same code and text. */
function asError(
  { code, detail, type: _type, title: _title, status: _status, request_id: _id, ...members }: Record<string, unknown>,
  status: number,
) {
  const isKnown = typeof code === 'string' && Object.hasOwn(ERRORS, code);
  if (!isKnown) return new BinderyError('GATEWAY_REFUSED', { detail: `it answered ${status}` });
  return new BinderyError(code as ErrorCode, { ...(typeof detail === 'string' ? { detail } : {}), members });
}
