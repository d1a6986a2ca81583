import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import { SEARCH_LIMITS } from '../../gateway/search/limits.ts';
import {
  both,
  common,
  commonListed,
  either,
  joined,
  lowest,
  type Narrow,
  narrowest,
  onIfEither,
  sideBySide,
} from './narrowing.ts';

/** What the config of a project may do to a setting. */
export type ProjectRule =
  /** Nothing. */
  | { readonly direction: 'global_only' }
  /** Take away from what the person's own config gives. */
  | { readonly direction: 'narrows'; readonly narrow: Narrow }
  /** Add something that has no effect before a person trusts it. */
  | { readonly direction: 'adds_untrusted' };

/** One key of config.json. */
export interface Setting {
  /** Names from the top of the file, with dots; `*` is any name. */
  readonly path: string;
  readonly project: ProjectRule;
}

const GLOBAL_ONLY: ProjectRule = { direction: 'global_only' };
const UNTRUSTED: ProjectRule = { direction: 'adds_untrusted' };
const narrows = (narrow: Narrow): ProjectRule => ({ direction: 'narrows', narrow });

const ENTRY = 'mcp.servers.*';
const PROFILE = 'gateway.profiles.*';
const EXPOSURE = ['search', 'auto', 'all'];

/** Every key of config.json. A key without a record has no effect in a project. */
export const SETTINGS: readonly Setting[] = [
  { path: 'version', project: GLOBAL_ONLY },

  { path: 'mcp.token_store', project: GLOBAL_ONLY },
  { path: `${ENTRY}.transport`, project: UNTRUSTED },
  { path: `${ENTRY}.enabled`, project: UNTRUSTED },
  { path: `${ENTRY}.command`, project: UNTRUSTED },
  { path: `${ENTRY}.args`, project: UNTRUSTED },
  { path: `${ENTRY}.cwd`, project: UNTRUSTED },
  { path: `${ENTRY}.env`, project: UNTRUSTED },
  { path: `${ENTRY}.url`, project: UNTRUSTED },
  { path: `${ENTRY}.identity`, project: UNTRUSTED },
  { path: `${ENTRY}.identity_keys`, project: UNTRUSTED },
  { path: `${ENTRY}.headers`, project: UNTRUSTED },
  { path: `${ENTRY}.request_timeout_ms`, project: UNTRUSTED },
  { path: `${ENTRY}.startup_timeout_ms`, project: UNTRUSTED },
  { path: `${ENTRY}.tool_timeout_max_ms`, project: UNTRUSTED },
  { path: `${ENTRY}.oauth`, project: UNTRUSTED },
  { path: `${ENTRY}.credentials`, project: UNTRUSTED },
  { path: `${ENTRY}.include_tools`, project: UNTRUSTED },
  { path: `${ENTRY}.exclude_tools`, project: UNTRUSTED },
  { path: `${ENTRY}.required`, project: UNTRUSTED },
  { path: `${ENTRY}.expand_env`, project: UNTRUSTED },
  { path: `${ENTRY}.keep_alive`, project: UNTRUSTED },
  { path: `${ENTRY}.idle_stop_ms`, project: UNTRUSTED },
  { path: `${ENTRY}.sharing`, project: UNTRUSTED },
  { path: `${ENTRY}.max_concurrency`, project: UNTRUSTED },
  { path: `${ENTRY}.queue_max`, project: UNTRUSTED },
  { path: `${ENTRY}.health_check`, project: UNTRUSTED },
  { path: `${ENTRY}.pin_definitions`, project: narrows(either) },
  { path: `${ENTRY}.quarantine`, project: narrows(onIfEither) },
  { path: `${ENTRY}.breaker`, project: UNTRUSTED },
  { path: `${ENTRY}.tool_breakers`, project: UNTRUSTED },

  { path: 'permissions.allow', project: GLOBAL_ONLY },
  { path: 'permissions.deny', project: narrows(joined) },
  { path: 'permissions.ask', project: narrows(joined) },
  { path: 'permissions.projects', project: GLOBAL_ONLY },

  { path: 'gateway.exposure', project: narrows(narrowest(EXPOSURE, 'auto')) },
  { path: 'gateway.budget_tokens', project: narrows(lowest(SEARCH_LIMITS.exposureTokensDefault)) },
  { path: 'gateway.pin_definitions', project: narrows(either) },
  { path: 'gateway.quarantine', project: narrows(narrowest(['on', 'registered', 'off'], 'registered')) },
  { path: `${PROFILE}.servers`, project: narrows(common) },
  { path: `${PROFILE}.exposure`, project: narrows(narrowest(EXPOSURE, 'auto')) },
  { path: `${PROFILE}.budget_tokens`, project: narrows(lowest(SEARCH_LIMITS.exposureTokensDefault)) },
  { path: `${PROFILE}.pinned`, project: narrows(commonListed) },
  { path: `${PROFILE}.names`, project: GLOBAL_ONLY },
  { path: `${PROFILE}.policy`, project: narrows(joined) },
  { path: `${PROFILE}.promote_resources`, project: narrows(both) },
  { path: `${PROFILE}.approval.surfaces`, project: narrows(sideBySide) },
  { path: 'gateway.limits.client_per_minute', project: narrows(lowest()) },
  { path: 'gateway.limits.server_per_minute', project: narrows(lowest()) },
  { path: 'gateway.output_bytes_max', project: narrows(lowest(GATEWAY_LIMITS.outputBytesMax)) },
  { path: 'gateway.approval.expires_ms', project: GLOBAL_ONLY },
  { path: 'gateway.approval.wait_ms', project: GLOBAL_ONLY },
  { path: 'gateway.approval.surfaces', project: GLOBAL_ONLY },
  { path: 'gateway.approvals.webhooks', project: GLOBAL_ONLY },
  { path: 'gateway.audit.fsync', project: GLOBAL_ONLY },
  { path: 'gateway.audit.retention_days', project: GLOBAL_ONLY },
  { path: 'gateway.audit.retention_mb', project: GLOBAL_ONLY },
  { path: 'gateway.audit.raw_arguments', project: GLOBAL_ONLY },
  { path: 'gateway.audit.heads_file', project: GLOBAL_ONLY },
  { path: 'gateway.audit.sync', project: GLOBAL_ONLY },
  { path: 'gateway.auth.token', project: GLOBAL_ONLY },
  { path: 'gateway.auth.oauth', project: GLOBAL_ONLY },
  { path: 'gateway.search.semantic', project: GLOBAL_ONLY },
  { path: 'gateway.search.learn', project: GLOBAL_ONLY },

  { path: 'context.caches', project: GLOBAL_ONLY },

  { path: 'bind.zones', project: GLOBAL_ONLY },
  { path: 'bind.allow_private_endpoints', project: GLOBAL_ONLY },
  { path: 'bind.registrar_keys', project: GLOBAL_ONLY },
  { path: 'bind.signing_key_file', project: GLOBAL_ONLY },
  { path: 'bind.protected_names', project: GLOBAL_ONLY },
  { path: 'bind.resolvers.*.url', project: GLOBAL_ONLY },
  { path: 'bind.resolvers.*.keys', project: GLOBAL_ONLY },
  { path: 'bind.resolvers.*.stale_if_error_seconds', project: GLOBAL_ONLY },
  { path: 'bind.registry_namespace', project: GLOBAL_ONLY },

  { path: 'civic.corpus', project: GLOBAL_ONLY },
  { path: 'civic.providers', project: GLOBAL_ONLY },
  { path: 'civic.base_url', project: GLOBAL_ONLY },
  { path: 'civic.trusted_proxies', project: GLOBAL_ONLY },
  { path: 'civic.client_address_header', project: GLOBAL_ONLY },
  { path: 'civic.probes', project: GLOBAL_ONLY },
  { path: 'civic.pepper_file', project: GLOBAL_ONLY },
  { path: 'civic.maintainer_token', project: GLOBAL_ONLY },
  { path: 'civic.probe_token', project: GLOBAL_ONLY },
];
