import { GATEWAY_LIMITS } from '../gateway/limits.ts';
import { OutputPromises } from '../gateway/search/output-promises.ts';
import { surfacesOf } from '../host/config/gateway-settings.ts';
import type { GatewayPorts } from '../proxy/call/gateway-ports.ts';
import { PROXY_LIMITS } from '../proxy/limits.ts';
import { SignInGate } from '../proxy/own-tools/sign-in-gate.ts';
import type { KeyStore } from '../store/keys/key-store.ts';
import type { CallAudit } from './audit/call-audit.ts';
import {
  type ChangingServers,
  firstDiscoveries,
  firstProbes,
  type PendingProbes,
} from './catalogue/first-discoveries.ts';
import { whyAway } from './catalogue/why-away.ts';
import type { EffectiveConfig } from './config/effective-config.ts';
import type { GatewayConnections } from './connections/gateway-connections.ts';
import type { ServerLimiters } from './connections/server-limiters.ts';
import { filesOfServer } from './policy/argument-files.ts';
import type { PolicyInForce } from './policy/policy-in-force.ts';
import type { ClientSessions } from './sessions/client-sessions.ts';

/** The parts of a gateway that serve calls. */
export interface CallParts {
  readonly audit: CallAudit;
  readonly config: EffectiveConfig;
  readonly policy: PolicyInForce;
  readonly stores: { readonly keys: KeyStore };
  readonly connections: GatewayConnections;
  readonly limiters: ServerLimiters;
  readonly sessions: ClientSessions;
  readonly servers: ChangingServers['servers'] & { readonly builtins: ReadonlyMap<string, unknown> };
  readonly catalogue: ChangingServers['catalogue'];
  readonly feed: ChangingServers['feed'];
  readonly updater: PendingProbes;
  readonly approvals: GatewayPorts['approvals'];
}

export interface CallPortsOptions {
  readonly projectDir: string;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: GatewayPorts['log'];
}

/** The ports of the call path in a running gateway. */
export function callPorts(parts: CallParts, options: CallPortsOptions): GatewayPorts {
  const { audit, config, policy, stores, connections, limiters, sessions, servers, catalogue, feed } = parts;
  const { log, projectDir, dataDir, env } = options;
  const { own, realms, host } = connections;
  const discoveries = { host, feed, catalogue, servers };
  return {
    audit: audit.recorder,
    keepRaw: (callId, args) => audit.upkeep.keepRaw(callId, args),
    noteTrace: audit.recorder.tracing?.note,
    connections: realms.connections(connections.clients),
    signIns: new SignInGate(realms, PROXY_LIMITS.signInWaitMs),
    approvals: parts.approvals,
    held: sessions.held,
    rounds: sessions.rounds,
    tasks: sessions.tasks,
    watches: connections.watches,
    logLevels: sessions.logLevels,
    promises: OutputPromises.logged(log),
    subscriptions: own.subscriptions,
    ownLists: own.lists,
    redactor: config.redactor,
    log,
    get answerBytesMax() {
      return config.settings.output_bytes_max ?? GATEWAY_LIMITS.answerBytesMax;
    },
    limiterOf: (server) => limiters.of(server),
    policyLayers: (profile) => policy.layers(profile),
    filesOf: (server, { capabilities }) =>
      filesOfServer({
        server: config.find(server)?.configured,
        projectDir,
        dataDir,
        env,
        hasClientRoots: capabilities.roots !== undefined,
      }),
    isBare: (profile) => policy.profiles.some(({ name, names }) => name === profile && names === 'bare'),
    approvalSurfaces: ({ caller, profile }) =>
      surfacesOf(config.settings, profile, stores.keys.ofCaller(caller)?.surfaces),
    countRate: (client, target, perMinute) => limiters.rates.count(client, target, perMinute, config.settings.limits),
    undiscovered: () => servers.undiscovered(),
    untilDiscovered: (signal, named) => firstDiscoveries(discoveries, signal, named),
    whyAway: (server) => whyAway({ config, connections }, server),
    unprobed: () => parts.updater.unprobed(),
    untilProbed: (signal, named) => firstProbes(parts.updater, signal, named),
    isBuiltin: (server) => servers.builtins.has(server),
    listsChanged: () => feed.changed(),
    newCallId: audit.newCallId,
    now: audit.now,
  };
}
