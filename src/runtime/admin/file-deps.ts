import { randomBytes } from 'node:crypto';
import { BinderyError } from '../../contract/errors.ts';
import { redactLines } from '../../gateway/audit/redact-digests.ts';
import type { ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import type { PolicyLayer } from '../../gateway/policy/decide.ts';
import type { ConfigStore } from '../../host/config/config-store.ts';
import { gatewaySettings } from '../../host/config/gateway-settings.ts';
import { ProfileView } from '../../proxy/lists/profile-view.ts';
import type { ApprovalStore } from '../../store/approvals/approval-store.ts';
import { AuditReader, readAudit } from '../../store/audit/audit-reader.ts';
import type { CredentialIndex } from '../../store/credentials/credential-index.ts';
import type { PolicyVersions } from '../../store/policy/policy-versions.ts';
import type { AcceptedDefinitions } from '../../store/registry/accepted-definitions.ts';
import { fileApprovals } from '../approvals/file-approvals.ts';
import { rawArguments } from '../audit/raw-arguments.ts';
import { verifyAudit } from '../audit/verify-audit.ts';
import { toolChanges } from '../catalogue/definition-changes.ts';
import { offersOf, toolItems } from '../catalogue/registry-tools.ts';
import { profileNamed, settingsInForce } from '../config/settings-in-force.ts';
import { type FilePolicyOptions, filePolicy } from '../policy/file-policy.ts';
import { approvalPlaces } from '../policy/policy-status.ts';
import { searchDeps } from '../search/search-deps.ts';

export interface FileDepsOptions extends FilePolicyOptions {
  readonly dataDir: string;
  readonly registryFile: string;
  readonly approvals: ApprovalStore;
  readonly definitions: AcceptedDefinitions;
  readonly credentials: CredentialIndex;
  now(): number;
}

/** Dependencies of the admin operations while no gateway runs: the files on disk. */
export function fileDeps(options: FileDepsOptions): GatewayDeps {
  const { policyFiles, registry, definitions, credentials } = options;
  const offers = () => [...registry.servedOffers().values()];
  const view = (profile: string) => fileView(profile, { ...options, offers, policyLayers: () => policyFiles.layers() });
  return {
    about: () => {
      throw new BinderyError('GATEWAY_NOT_RUNNING');
    },
    isAdmin: () => false,
    keyName: () => undefined,
    nodes: () => {
      throw new BinderyError('GATEWAY_NOT_RUNNING');
    },
    servers: NO_SERVERS,
    tools: {
      list: async (profile) => {
        if (profile === undefined) return toolItems(offers(), policyFiles.layers());
        const { settings, source } = await view(profile);
        return toolItems(offersOf(offers(), settings), source.policyLayers(settings.name));
      },
      ofUsers: () => registry.allPrivateOffers().flatMap((offer) => toolItems([offer], policyFiles.layers())),
      accept: (server, seen) => definitions.acceptForAll(registry, server, seen),
      changes: () => toolChanges([...offers(), ...registry.allPrivateOffers()], definitions),
    },
    credentials: {
      list: () => credentials.list(),
      clear: (user, server) => {
        registry.forgetPrivate(user, server);
        return credentials.remove(user, server);
      },
    },
    search: searchDeps({
      config: options.config,
      view,
      missing: () => [],
    }),
    approvals: fileApprovals(options),
    policy: {
      ...filePolicy(options),
      status: async () => ({
        open: policyFiles.layers().length === 0,
        layers: policyFiles.status() as never,
        approval: approvalPlaces(gatewaySettings((await options.config.read()).layers).settings),
      }),
      reload: () => policyFiles.accept(),
      source: noGateway,
      preview: noGateway,
      save: noGateway,
    },
    events: {
      stream: () => {
        throw new BinderyError('GATEWAY_NOT_RUNNING');
      },
    },
    audit: auditDeps(options),
  };
}

function auditDeps(options: FileDepsOptions): GatewayDeps['audit'] {
  const { dataDir, now } = options;
  const read = <T>(use: (reader: AuditReader) => T): T => readAudit(dataDir, use);
  return {
    search: (query, limit, offset) => read((reader) => reader.search(query, limit, offset)) as never,
    call: (callId) => read((reader) => reader.call(callId)),
    summary: (query, range) => read((reader) => reader.summary(query, range)),
    verify: (request) => verifyAudit(request, options),
    lines: (redactDigests) => fileLines(dataDir, redactDigests ? randomBytes(32) : undefined),
    raw: (callId) => rawArguments(dataDir, callId),
    now,
  };
}

function* fileLines(dataDir: string, digestKey: Uint8Array | undefined): Generator<readonly string[]> {
  const reader = new AuditReader(dataDir);
  try {
    for (const lines of reader.exportBatches()) yield digestKey ? redactLines(lines, digestKey) : lines;
  } finally {
    reader.close();
  }
}

async function noGateway(): Promise<never> {
  throw new BinderyError('GATEWAY_NOT_RUNNING');
}

/** No servers run without a gateway. */
const NO_SERVERS: GatewayDeps['servers'] = {
  list: () => [],
  find: () => undefined,
  configError: () => undefined,
  reconnect: noGateway,
  setEnabled: noGateway,
  register: noGateway,
  remove: noGateway,
  test: noGateway,
  testEntry: noGateway,
  trust: noGateway,
  add: noGateway,
  removeConfigured: noGateway,
  login: noGateway,
  signIn: noGateway,
};

interface FileViewOptions {
  readonly config: ConfigStore;
  readonly versions: PolicyVersions;
  offers(): readonly ServerOffer[];
  policyLayers(): readonly PolicyLayer[];
}

/** A profile as a gateway with these files would show it. Throws `PROFILE_NOT_FOUND`. */
async function fileView(name: string, options: FileViewOptions): Promise<ProfileView> {
  const { layers } = await options.config.read();
  const profile = profileNamed(settingsInForce(layers, options.versions).settings, name);
  const offers = options.offers();
  return new ProfileView(profile, {
    version: () => 1,
    offers: () => offers,
    policyLayers: () => [...options.policyLayers(), ...profile.policies],
  });
}
