import { publicCatalogue, type ToolEntry } from '../../gateway/catalogue/public-catalogue.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import { judge } from '../../gateway/policy/decide.ts';
import { AuditReader } from '../../store/audit/audit-reader.ts';
import { fileDeps } from './file-deps.ts';
import type { GatewayRuntime } from './gateway-runtime.ts';

/** What the admin operations run on while a gateway runs. */
export function runningDeps(runtime: GatewayRuntime, dataDir: string, now: () => number): GatewayDeps {
  const files = fileDeps({ dataDir, policyFiles: runtime.policyFiles, approvals: runtime.approvalStore, now });
  return {
    ...files,
    servers: {
      list: () =>
        runtime
          .serverIds()
          .map((id) => serverItem(runtime, id))
          .sort((a, b) => Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))),
      find: (id) => (runtime.serverIds().includes(id) ? serverDetail(runtime, id) : undefined),
      configError: () => runtime.config.error,
      reconnect: async (id) => {
        runtime.guardOf(id).reset();
        if (!runtime.builtins.has(id)) await runtime.host.reconnect(id);
      },
      setEnabled: async (id, enabled) => {
        const source = runtime.effective(id)?.configured.source;
        if (source) await runtime.config.store.setEnabled(id, source, enabled);
        await runtime.config.reload();
        runtime.changed();
      },
    },
    tools: {
      list: () => toolItems(runtime),
      accept: (server, tool, sha256) => {
        const accepted = runtime.catalogue.accept(server, tool, sha256);
        if (accepted) runtime.changed();
        return accepted;
      },
    },
    approvals: { ...files.approvals, decide: (id, decision) => runtime.approvals.decide(id, decision) },
    policy: {
      ...files.policy,
      check: ({ server, tool, arguments: args, profile = 'default' }) =>
        judge(runtime.policyLayers(profile), {
          server,
          tool,
          ...(args === undefined ? {} : { arguments: { value: args } }),
          resolvePath: (path) => runtime.gateway.ports.resolvePath(server, path),
        }).decision,
      reload: () => {
        runtime.policyFiles.accept();
        runtime.changed();
      },
    },
    audit: {
      ...files.audit,
      search: (query, limit, offset) => withReader(dataDir, (reader) => reader.search(query, limit, offset)),
    },
  };
}

function serverItem(runtime: GatewayRuntime, id: string) {
  const { stderr: _stderr, server_info: _info, ...item } = serverDetail(runtime, id);
  return item;
}

function serverDetail(runtime: GatewayRuntime, id: string) {
  const guard = runtime.guardOf(id);
  const offer = runtime.catalogue.offer(id);
  const common = {
    id,
    era: offer?.era ?? null,
    protocol_version: offer?.protocolVersion ?? null,
    server_info: (offer?.serverInfo as Record<string, unknown> | null | undefined) ?? null,
    tools: offer?.tools.filter(({ status }) => status === 'active').length ?? 0,
    breaker: guard.breaker(),
    last_health_check: null,
  };
  if (runtime.builtins.has(id)) {
    const ready = {
      state: 'ready',
      reason: null,
      connected: true,
      status: 'running',
      last_error: null,
      last_connected_at: null,
      stderr: null,
    } as const;
    return { ...common, transport: 'stdio', source: 'builtin' as const, enabled: true, ...ready };
  }
  const effective = runtime.effective(id);
  const status = runtime.host.statusOf(id);
  const state = effective?.state ?? status?.state ?? 'connecting';
  const connected = status?.connected ?? false;
  return {
    ...common,
    transport: effective?.configured.transport ?? null,
    source: effective?.configured.source ?? ('global' as const),
    enabled: effective?.configured.enabled ?? false,
    state,
    reason: effective?.reason ?? status?.reason ?? null,
    connected,
    status:
      state === 'error' || state === 'auth_required'
        ? ('error' as const)
        : connected
          ? ('running' as const)
          : ('stopped' as const),
    last_error: status?.lastError ?? guard.lastFailure ?? (state === 'error' ? (effective?.reason ?? null) : null),
    last_connected_at: status?.lastConnectedAt === undefined ? null : new Date(status.lastConnectedAt).toISOString(),
    stderr: status?.stderr ?? null,
  };
}

function toolItems(runtime: GatewayRuntime) {
  const layers = runtime.policyLayers('default');
  const { tools } = publicCatalogue(runtime.catalogue.offersOf(runtime.serverIds()), 'qualified');
  return [...tools.values()].map((entry: ToolEntry) => {
    const { definition, sha256, status, flags } = entry.offered;
    const { decision, rule } = judge(layers, {
      server: entry.server,
      tool: entry.tool,
      resolvePath: (path) => path,
    }).decision;
    return {
      name: entry.name,
      server: entry.server,
      original_name: entry.tool,
      title: definition.title ?? null,
      description: definition.description ?? null,
      input_schema: definition.inputSchema ?? null,
      output_schema: definition.outputSchema ?? null,
      annotations: (definition.annotations as Record<string, unknown> | undefined) ?? null,
      read_only: definition.annotations?.readOnlyHint === true,
      approval_required: decision === 'approval',
      tokens: runtime.catalogue.tokensOf(entry.json),
      definition_sha256: sha256,
      status,
      flags: [...flags],
      decision: { decision, rule },
    };
  });
}

function withReader<T>(dataDir: string, use: (reader: AuditReader) => T): T {
  const reader = new AuditReader(dataDir);
  try {
    return use(reader);
  } finally {
    reader.close();
  }
}
