import { type Sampler, samplerOf } from './sampler.ts';

/** How to export spans, from the `OTEL_*` variables. */
export interface TraceSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Attributes of the resource; always includes `service.name`. */
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: Sampler;
  /** Timeout of one request to the collector. */
  readonly timeoutMs: number;
  readonly delayMs: number;
  readonly exportTimeoutMs: number;
  readonly queueMax: number;
  readonly batchMax: number;
}

export interface TraceSettingsReport {
  /** Undefined: no spans are created. */
  readonly settings: TraceSettings | undefined;
  readonly warnings: readonly string[];
}

type Variables = Readonly<Record<string, string | undefined>>;

const SERVICE_NAME = 'bindery';

/** Reads OpenTelemetry's variables. Without an endpoint, there are no spans. */
export function readTraceSettings(env: Variables): TraceSettingsReport {
  const warnings: string[] = [];
  const off = (warning?: string) => ({ settings: undefined, warnings: warning ? [...warnings, warning] : warnings });
  if (variable(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return off();
  const exporter = variable(env, 'OTEL_TRACES_EXPORTER') ?? 'otlp';
  if (exporter === 'none') return off();
  const url = endpointOf(env);
  if (url === undefined) return off();
  if (exporter !== 'otlp') return off(`OTEL_TRACES_EXPORTER=${exporter} is not known: no spans are sent`);
  if (!URL.canParse(url)) return off('the OTLP endpoint is not a URL: no spans are sent');
  const protocol = ofTraces(env, 'PROTOCOL');
  if (protocol === 'grpc') return off('OTLP over gRPC is not spoken here, only over HTTP: no spans are sent');
  const number = (name: string, fallback: number, least: number) => {
    const text = variable(env, name);
    if (text === undefined) return fallback;
    const value = Number(text);
    if (Number.isSafeInteger(value) && value >= least) return value;
    warnings.push(`${name} is not a whole number from ${least} on: ${fallback} is used`);
    return fallback;
  };
  const named = variable(env, 'OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
  const sampler = samplerOf(named, variable(env, 'OTEL_TRACES_SAMPLER_ARG'));
  if (!sampler) warnings.push(`OTEL_TRACES_SAMPLER=${named} is not known: parentbased_always_on is used`);
  const queueMax = number('OTEL_BSP_MAX_QUEUE_SIZE', 2_048, 1);
  const service = variable(env, 'OTEL_SERVICE_NAME');
  const settings: TraceSettings = {
    url,
    headers: { ...lowerCased(pairsOf(ofTraces(env, 'HEADERS'))), 'content-type': 'application/json' },
    resource: {
      'service.name': SERVICE_NAME,
      ...pairsOf(variable(env, 'OTEL_RESOURCE_ATTRIBUTES')),
      ...(service === undefined ? {} : { 'service.name': service }),
    },
    sampler: sampler ?? { ratio: 1, followsParent: true },
    timeoutMs: number(
      env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ? 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT' : 'OTEL_EXPORTER_OTLP_TIMEOUT',
      10_000,
      1,
    ),
    delayMs: number('OTEL_BSP_SCHEDULE_DELAY', 5_000, 0),
    exportTimeoutMs: number('OTEL_BSP_EXPORT_TIMEOUT', 30_000, 1),
    queueMax,
    batchMax: Math.min(number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, 1), queueMax),
  };
  return { settings, warnings };
}

/** The traces endpoint is used as it is; the general endpoint gets the traces path appended. */
function endpointOf(env: Variables): string | undefined {
  const own = variable(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  if (own !== undefined) return own;
  const common = variable(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  return common === undefined ? undefined : `${common.replace(/\/+$/, '')}/v1/traces`;
}

function ofTraces(env: Variables, name: string): string | undefined {
  return variable(env, `OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? variable(env, `OTEL_EXPORTER_OTLP_${name}`);
}

/** An empty variable counts as unset. */
function variable(env: Variables, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

/** Parses `a=1,b=two%20words`; ignores malformed parts. */
function pairsOf(text: string | undefined): Record<string, string> {
  const pairs = (text ?? '').split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    const name = decoded(pair.slice(0, Math.max(at, 0)).trim());
    return at < 0 || !name ? [] : [[name, decoded(pair.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(pairs);
}

function lowerCased(pairs: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(pairs).map(([name, value]) => [name.toLowerCase(), value]));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
