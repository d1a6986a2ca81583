import { isObject, type JsonObject } from '../contract/json.ts';
import { WIRE_LIMITS as LIMITS } from './limits.ts';
import { isModernVersion, LEGACY_VERSIONS, MODERN_VERSIONS, RPC } from './revisions.ts';

/** The server's revision at an earlier connect. */
export type RememberedEra = '2025' | '2026' | undefined;

/** The outcome of the last step. `silence`: the server did not answer the probe in time. */
export type EraEvent =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'rpc_error'; readonly code: number; readonly message: string; readonly data?: unknown }
  | { readonly kind: 'http_status'; readonly status: number }
  | { readonly kind: 'silence' }
  | { readonly kind: 'closed' };

/** What to do next. */
export type EraStep =
  | { readonly do: 'discover'; readonly version: string }
  | { readonly do: 'initialize'; readonly version: string; readonly fresh: boolean }
  | { readonly do: 'legacy_sse' }
  | { readonly do: 'modern'; readonly version: string; readonly discovered: JsonObject }
  | { readonly do: 'legacy'; readonly version: string; readonly initialized: JsonObject }
  | { readonly do: 'fail'; readonly reason: string };

export interface EraState {
  readonly transport: 'stdio' | 'http' | 'sse';
  /** The step that the next event is the outcome of. */
  readonly last: EraStep;
  readonly discovers: number;
  readonly initializes: number;
  /** True: this server was not probed for the modern revision yet. */
  readonly skippedProbe: boolean;
}

/** The first step for a server: the probe, unless it is known to begin with `initialize`. */
export function beginEraDetection(transport: EraState['transport'], remembered: RememberedEra): EraState {
  const skip = transport === 'sse' || remembered === '2025';
  const last: EraStep = skip
    ? { do: 'initialize', version: LEGACY_VERSIONS[0], fresh: false }
    : { do: 'discover', version: MODERN_VERSIONS[0] };
  return { transport, last, discovers: skip ? 0 : 1, initializes: skip ? 1 : 0, skippedProbe: skip };
}

/** The next state after an event. Every path ends in `modern`, `legacy` or `fail` within a few steps. */
export function stepEraDetection(state: EraState, event: EraEvent): EraState {
  const probed = state.last.do === 'discover';
  const next = probed ? afterDiscover(state, event) : afterInitialize(state, event);
  // A slow start says nothing about the probe.
  if (probed && event.kind === 'silence' && next.do === 'initialize') {
    return { ...state, last: next, discovers: 0, initializes: state.initializes + 1, skippedProbe: true };
  }
  if (next.do === 'discover') return { ...state, last: next, discovers: state.discovers + 1 };
  if (next.do === 'initialize') return { ...state, last: next, initializes: state.initializes + 1 };
  if (next.do === 'legacy_sse') return { ...state, last: next, transport: 'sse' };
  return { ...state, last: next };
}

function afterDiscover(state: EraState, event: EraEvent): EraStep {
  switch (event.kind) {
    case 'result':
      return afterDiscovered(state, event.result);
    case 'rpc_error':
      return event.code === RPC.unsupportedVersion ? afterUnsupported(state, event.data) : initialize(state);
    case 'http_status':
      // Also for 5xx: servers that know only `initialize` fail on anything else.
      return initialize(state);
    case 'silence':
      return state.transport === 'stdio' ? initialize(state) : fail('the server did not answer in time');
    case 'closed':
      // Some servers exit on any message before `initialize`.
      return state.transport === 'stdio' ? initialize(state, true) : fail('the connection closed');
  }
}

function afterDiscovered(state: EraState, result: JsonObject): EraStep {
  const supported = stringList(result.supportedVersions);
  const version = MODERN_VERSIONS.find((ours) => supported.includes(ours));
  if (version !== undefined) return { do: 'modern', version, discovered: result };
  if (supported.some((theirs) => isModernVersion(theirs)) && !supported.some((theirs) => !isModernVersion(theirs))) {
    return fail(`the server speaks only ${supported.join(', ').slice(0, LIMITS.reasonTextMax)}`);
  }
  return initialize(state);
}

function afterUnsupported(state: EraState, data: unknown): EraStep {
  const supported = isObject(data) ? stringList(data.supported) : [];
  const version = MODERN_VERSIONS.find((ours) => supported.includes(ours));
  if (version !== undefined && state.discovers < LIMITS.discoversMax) return { do: 'discover', version };
  if (supported.some((theirs) => isModernVersion(theirs)))
    return fail(`the server speaks only ${supported.join(', ').slice(0, LIMITS.reasonTextMax)}`);
  return initialize(state);
}

function afterInitialize(state: EraState, event: EraEvent): EraStep {
  switch (event.kind) {
    case 'result':
      return afterInitialized(event.result);
    case 'rpc_error':
      return afterInitializeError(state, event);
    case 'http_status':
      if (healsByProbe(state)) return { do: 'discover', version: MODERN_VERSIONS[0] };
      if (state.transport === 'http' && [400, 404, 405].includes(event.status)) return { do: 'legacy_sse' };
      return fail(`the server answered HTTP ${event.status}`);
    case 'silence':
      return fail('the server did not answer in time');
    case 'closed':
      return fail('the connection closed before the server answered');
  }
}

function afterInitialized(result: JsonObject): EraStep {
  const version = result.protocolVersion;
  if (typeof version !== 'string') return fail('the server named no protocol version in its answer to initialize');
  const ours = LEGACY_VERSIONS.find((known) => known === version);
  if (ours === undefined) return fail(`the server speaks ${brief(version)}, which this client does not`);
  const missing = ['capabilities', 'serverInfo'].find((name) => !isObject(result[name]));
  if (missing !== undefined) return fail(`the server gave no ${missing} in its answer to initialize`);
  return { do: 'legacy', version: ours, initialized: result };
}

function afterInitializeError(state: EraState, event: EraEvent & { kind: 'rpc_error' }): EraStep {
  const supported = isObject(event.data) ? stringList(event.data.supported) : [];
  const modern = MODERN_VERSIONS.find((ours) => supported.includes(ours));
  if (modern !== undefined && state.discovers < LIMITS.discoversMax) return { do: 'discover', version: modern };
  const tried = state.last.do === 'initialize' ? state.last.version : undefined;
  const older = LEGACY_VERSIONS.find((ours) => ours !== tried && supported.includes(ours));
  if (older !== undefined && state.initializes < LIMITS.initializesMax) {
    return { do: 'initialize', version: older, fresh: false };
  }
  if (healsByProbe(state)) return { do: 'discover', version: MODERN_VERSIONS[0] };
  return fail(
    `the server refused to initialise: ${event.message.slice(0, LIMITS.reasonTextMax) || `error ${event.code}`}`,
  );
}

/** A server remembered as 2025 that refuses `initialize` may have been upgraded: probe it once. */
function healsByProbe(state: EraState): boolean {
  return state.skippedProbe && state.discovers === 0 && state.transport !== 'sse';
}

function initialize(state: EraState, fresh = false): EraStep {
  if (state.initializes >= LIMITS.initializesMax) return fail('no revision of the protocol in common');
  return { do: 'initialize', version: LEGACY_VERSIONS[0], fresh };
}

function brief(value: unknown): string {
  return JSON.stringify(value).slice(0, LIMITS.reasonTextMax);
}

function fail(reason: string): EraStep {
  return { do: 'fail', reason };
}

function stringList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
