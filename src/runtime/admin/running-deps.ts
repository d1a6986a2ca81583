import { BinderyError } from '../../contract/errors.ts';
import { publicCatalogue } from '../../gateway/catalogue/public-catalogue.ts';
import { readsOnly } from '../../gateway/catalogue/server-offer.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import { judge } from '../../gateway/policy/decide.ts';
import { nameDoubts } from '../../gateway/policy/name-doubts.ts';
import { oversizedArguments } from '../../proxy/message/argument-bounds.ts';
import { inTurns, threadedAudit } from '../audit/threaded-audit.ts';
import { toolChanges } from '../catalogue/definition-changes.ts';
import { offersOf, toolItems } from '../catalogue/registry-tools.ts';
import type { GatewayAssembly } from '../gateway-assembly.ts';
import { adminToken, bearerOf } from '../http/credentials.ts';
import { sharedAuditDeps } from '../nodes/shared-audit.ts';
import { policySource } from '../policy/policy-source.ts';
import { degradedMember } from '../policy/policy-status.ts';
import { searchDeps } from '../search/search-deps.ts';
import { actorOf } from '../users/actor-of.ts';
import { LOCAL_CALLER } from '../users/callers.ts';
import { callGateway } from './call-gateway.ts';
import { fileDeps } from './file-deps.ts';
import { serverAdministration } from './server-administration.ts';
import { ServerHistory } from './server-history.ts';
import { serverDetail, serverItem } from './server-item.ts';
import { serverSignIns } from './server-sign-ins.ts';
import { SignInSteps } from './sign-in-steps.ts';
import { serverTests } from './test-server.ts';

/** Dependencies of the admin operations in a running gateway. */
export function runningDeps(
  runtime: GatewayAssembly,
  dataDir: string,
  now: () => number,
  baseUrl: () => string,
): GatewayDeps {
  const { stores, policy, catalogue, servers, connections, gateway, options } = runtime;
  const config = runtime.config.store;
  const files = fileDeps({
    dataDir,
    registryFile: stores.registryFile,
    projectDir: options.projectDir,
    env: options.env,
    versions: stores.policyVersions,
    builtins: [...servers.builtins.keys()],
    config,
    policyFiles: policy.files,
    approvals: stores.approvals,
    registry: stores.registry,
    definitions: catalogue.definitions,
    credentials: stores.credentials,
    now,
  });
  const audit = threadedAudit(files.audit, { dataDir, registryFile: stores.registryFile, config });
  return {
    ...files,
    nodes: () => nodesOf(runtime, now),
    servers: serverDeps(runtime, { dataDir, baseUrl, now }),
    tools: toolDeps(runtime, files.tools),
    credentials: {
      ...files.credentials,
      clear: async (user, server) => {
        if (!(await files.credentials.clear(user, server))) return false;
        const realm = connections.realms.find(user);
        await realm?.signOut(server);
        realm?.recall();
        runtime.changed();
        return true;
      },
    },
    search: {
      ...searchDeps({
        config,
        view: (profile) => gateway.views.view(profile),
        missing: () => servers.undiscovered(),
        tokensOf: (json) => catalogue.tokensOf(json),
      }),
      // A call by a person takes the same path as any other call: through the clients' endpoint, with the credential of the request. A
      // browser that signed in sends none: it is the admin.
      call: ({ authorization, ...call }, signal) => {
        const token = bearerOf(authorization) ?? adminToken(dataDir);
        return callGateway({ url: baseUrl(), token, client: 'bindery-console' }, call, signal);
      },
    },
    approvals: {
      ...files.approvals,
      refresh: () => runtime.approvals.refresh(),
      decide: (id, decision) => runtime.approvals.decide(id, decision),
      isAwaited: (id) => runtime.approvals.isAwaited(id),
      forget: (id) => runtime.approvals.forget(id),
    },
    policy: policyDeps(runtime, files.policy, { dataDir, now }),
    audit: inTurns(runtime.shared ? sharedAuditDeps(audit, runtime.shared.readAudit.bind(runtime.shared)) : audit),
  };
}

function serverDeps(
  runtime: GatewayAssembly,
  place: { readonly dataDir: string; baseUrl(): string; now(): number },
): GatewayDeps['servers'] {
  const { servers, connections, access, config } = runtime;
  const { host, realms } = connections;
  const { dataDir, now } = place;
  const redact = (text: string) => config.redactor.text(text);
  const history = new ServerHistory(host, now);
  const signIns = new SignInSteps({ now, redact });
  realms.onSignIn((server, owner) => signIns.begin(server, owner));
  const detail = (id: string, caller = LOCAL_CALLER) => ({
    ...serverDetail(runtime, id),
    history: [...history.of(id)],
    ...signInOf(runtime, signIns, id, caller),
  });
  return {
    list: () =>
      servers
        .ids()
        .map((id) => serverItem(runtime, id))
        .sort((a, b) => Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))),
    find: (id, caller) => (servers.ids().includes(id) ? detail(id, caller) : undefined),
    configError: () => config.error ?? access.error,
    ...serverAdministration({ runtime, ...place }),
    ...serverTests({
      hostOf: (id) => (realms.isPerUser(id) ? realms.of(LOCAL_CALLER).host : host),
      specOf: (id, entry) => config.specOf(id, entry),
      hostPorts: connections.hostPorts,
      redact,
      now,
    }),
    ...serverSignIns({
      host,
      realms,
      callbacks: access.callbacks,
      steps: signIns,
      redact,
      nameOf: (authorization) => actorOf({ keys: runtime.stores.keys, access, dataDir }, authorization).name,
    }),
  };
}

/** The progress of the sign-in to a server: the shared one, or that of one caller. */
function signInOf({ connections, stores }: GatewayAssembly, signIns: SignInSteps, id: string, caller: string) {
  const isPerUser = connections.realms.isPerUser(id);
  const steps = isPerUser ? signIns.of(id, caller) : signIns.of(id);
  const sign_in = steps.map((step) => ({ ...step, requests: [...step.requests] }));
  if (!isPerUser) return { credentials: 'shared' as const, sign_in };
  const own = stores.credentials.list().find(({ user, server }) => user === caller && server === id);
  // A sign-in that the server no longer accepts does not count.
  const isWaiting = connections.realms.waiting(caller).includes(id);
  return { credentials: 'per_user' as const, signed_in_at: isWaiting ? null : (own?.updated_at ?? null), sign_in };
}

/** The nodes of the gateway; without other nodes, only this one. */
async function nodesOf({ nodes, options }: GatewayAssembly, now: () => number) {
  const known = await nodes?.list();
  if (!known)
    return [{ name: options.node, url: null, present: true, seen_at: new Date(now()).toISOString(), self: true }];
  return known.map(({ seen_at, ...node }) => ({
    ...node,
    seen_at: seen_at.toISOString(),
    self: node.name === options.node,
  }));
}

function toolDeps(runtime: GatewayAssembly, files: GatewayDeps['tools']): GatewayDeps['tools'] {
  const { stores, policy, catalogue, servers, connections, gateway } = runtime;
  return {
    list: (profile) => {
      const { name, servers: named } =
        profile === undefined ? { name: 'default', servers: undefined } : gateway.views.view(profile).settings;
      const offers = offersOf(servers.offers(), named ? { servers: named } : {});
      return toolItems(offers, policy.layers(name), (json) => catalogue.tokensOf(json));
    },
    accept: async (server, seen) => {
      const accepted = catalogue.accept(server, seen);
      if (accepted) {
        for (const realm of connections.realms.all()) realm.recall();
        runtime.changed();
        await runtime.shared?.registry.flush();
      }
      return accepted;
    },
    ofUsers: files.ofUsers,
    changes: () => toolChanges([...servers.offers(), ...stores.registry.allPrivateOffers()], catalogue.definitions),
  };
}

function policyDeps(
  runtime: GatewayAssembly,
  files: GatewayDeps['policy'],
  place: { readonly dataDir: string; now(): number },
): GatewayDeps['policy'] {
  const { policy, gateway, servers } = runtime;
  const tools = () => [...publicCatalogue(servers.offers(), 'qualified').tools.values()];
  const isReadOnly = (server: string, tool: string) =>
    tools().some((entry) => entry.server === server && entry.tool === tool && readsOnly(entry.offered));
  return {
    ...files,
    status: () => policy.status() as never,
    check: ({ server, tool, arguments: args, profile = 'default', at, isBound = false }) => {
      // A call with such arguments is refused before policy judges it.
      const oversized = oversizedArguments(args);
      if (oversized) throw oversized;
      const { filesOf, now } = gateway.ports;
      const { name, servers: named } = gateway.views.view(profile).settings;
      if (isBound && named !== undefined && !named.includes(server))
        throw new BinderyError('SERVER_NOT_FOUND', { detail: server, members: { id: server } });
      const { decision } = judge(policy.layers(name), {
        server,
        tool,
        now: () => at ?? Date.parse(now()),
        readOnly: isReadOnly(server, tool),
        ...(args === undefined
          ? {}
          : { arguments: { value: args, files: () => filesOf(server, { capabilities: {} }) } }),
      });
      const notes = nameDoubts(server, tool, servers.knownTools());
      return {
        ...decision,
        ...degradedMember(policy.status().layers, profile),
        ...(notes.length > 0 ? { notes } : {}),
      };
    },
    reload: () => runtime.acceptPolicy(),
    ...policySource({
      ...place,
      policyFiles: policy.files,
      tools: () => tools().map(({ server, tool, offered }) => ({ server, tool, readOnly: readsOnly(offered) })),
      known: () => servers.knownTools(),
      layers: () => policy.layers('default'),
      accept: () => runtime.acceptPolicy(),
    }),
  };
}
