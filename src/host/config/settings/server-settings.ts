import { z } from 'zod';
import { BREAKER_DEFAULTS } from '../../../gateway/throttle/breaker.ts';
import { CONNECTION_LIMITS } from '../../connection/limits.ts';
import { either, onIfEither } from '../narrowing.ts';
import { narrows, type Settings, UNTRUSTED } from './setting.ts';

/** `ai://name`, optionally with the authority to resolve it. */
export const IDENTITY = /^ai:\/\/[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:@[^\s/?#%]+)?$/i;

/** An Ed25519 key, encoded as in zones and the key set. */
const PUBLIC_KEY = /^ed25519:[A-Za-z0-9+/]{43}=$/;

/** A longer timer (24.8 days) fires immediately, so longer times are capped to this. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

const Texts = z.record(z.string(), z.string());
const PositiveInt = z.number().int().positive();
const DurationMs = PositiveInt.overwrite((ms) => Math.min(ms, TIMER_MS_MAX));
const Globs = z.array(z.string().min(1));

export const OAuthEntry = z.looseObject({
  authorization_url: z.string().optional(),
  token_url: z.string().optional(),
  registration_url: z.string().optional(),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  client_metadata_url: z.string().optional(),
  scope: z.string().optional(),
  redirect_uri: z.string().optional(),
  callback_port: z.number().int().min(1).max(65_535).optional(),
  resource: z.union([z.string(), z.literal(false)]).optional(),
  allow_private_endpoints: z.boolean().optional(),
});

/** One entry of `mcp.servers`. */
export const SERVER_SETTINGS = {
  transport: {
    schema: z.enum(['stdio', 'http', 'sse']),
    summary: 'How the server is reached: as a child process, over Streamable HTTP, or over HTTP+SSE.',
    unset: 'required',
    project: UNTRUSTED,
  },
  enabled: {
    schema: z.boolean().optional(),
    summary: 'Whether the server is used. A project switches one of yours off with this key alone.',
    default: true,
    project: UNTRUSTED,
  },
  command: {
    schema: z.string().min(1).optional(),
    summary: 'Program that a stdio server is; no shell reads it.',
    unset: 'required for stdio',
    project: UNTRUSTED,
  },
  args: { schema: z.array(z.string()).optional(), summary: 'Arguments of the program.', project: UNTRUSTED },
  cwd: {
    schema: z.string().min(1).optional(),
    summary: 'Folder that the program starts in; relative to config.json, or to the project for its own servers.',
    unset: 'servers/ID of the data directory; the project for its own servers',
    project: UNTRUSTED,
  },
  env: {
    schema: Texts.optional(),
    summary: 'Environment variables that the program gets in addition.',
    project: UNTRUSTED,
    isSecret: true,
  },
  url: {
    schema: z.string().optional(),
    summary: 'Endpoint of an HTTP server.',
    unset: 'required for http and sse, or identity',
    project: UNTRUSTED,
  },
  identity: {
    schema: z.string().regex(IDENTITY, 'is no ai:// name').optional(),
    summary: 'ai:// name that resolves to the endpoint, in place of url.',
    project: UNTRUSTED,
  },
  identity_keys: {
    schema: z.array(z.string().regex(PUBLIC_KEY, 'is no ed25519: key')).min(1).optional(),
    summary: 'Public keys whose signature on the resolved name counts.',
    project: UNTRUSTED,
  },
  headers: {
    schema: Texts.optional(),
    summary: 'Headers that are sent with every request.',
    project: UNTRUSTED,
    isSecret: true,
  },
  request_timeout_ms: {
    schema: z.unknown().optional(),
    summary:
      'How long a request may go without an answer or progress. A value that is not a positive number counts as absent.',
    default: CONNECTION_LIMITS.requestTimeoutMs,
    project: UNTRUSTED,
  },
  startup_timeout_ms: {
    schema: DurationMs.optional(),
    summary: 'How long the server has to start and to answer the handshake.',
    default: CONNECTION_LIMITS.startupTimeoutMs,
    project: UNTRUSTED,
  },
  tool_timeout_max_ms: {
    schema: DurationMs.optional(),
    summary: 'How long a call may take in all, whatever progress it reports.',
    default: CONNECTION_LIMITS.toolTimeoutMaxMs,
    project: UNTRUSTED,
  },
  oauth: {
    schema: z.union([z.literal(false), OAuthEntry]).optional(),
    summary: 'How to sign in: endpoints, client and scope if the server does not announce them; false: never.',
    unset: 'as the server announces',
    project: UNTRUSTED,
    isSecret: true,
  },
  credentials: {
    schema: z.enum(['shared', 'per_user']).optional(),
    summary: 'Whether all callers share one credential at the server, or each signs in.',
    default: 'shared',
    project: UNTRUSTED,
  },
  include_tools: {
    schema: Globs.optional(),
    summary: 'Tools that are offered, as globs.',
    unset: 'all',
    project: UNTRUSTED,
  },
  exclude_tools: {
    schema: Globs.optional(),
    summary: 'Tools that are not offered, as globs; this list wins over include_tools.',
    unset: 'none',
    project: UNTRUSTED,
  },
  required: {
    schema: z.boolean().optional(),
    summary: 'Whether /readyz, `connect()` and `bindery shell --headless` fail while the server is not ready.',
    default: false,
    project: UNTRUSTED,
  },
  expand_env: {
    schema: z.boolean().optional(),
    summary: 'Whether variables of the environment, as $VAR in braces, are expanded in the entry.',
    default: false,
    project: UNTRUSTED,
  },
  keep_alive: {
    schema: z.boolean().optional(),
    summary: 'Keeps an idle connection, whatever idle_stop_ms says.',
    default: false,
    project: UNTRUSTED,
  },
  idle_stop_ms: {
    schema: DurationMs.optional(),
    summary: 'Closes a connection that has been idle for so long; the next call connects again.',
    unset: 'connections stay open',
    project: UNTRUSTED,
  },
  sharing: {
    schema: z.enum(['auto', 'shared', 'session']).optional(),
    summary: 'Whether clients share one connection or each has its own; auto: by what server and client can do.',
    default: 'auto',
    project: UNTRUSTED,
  },
  max_concurrency: {
    schema: PositiveInt.optional(),
    summary: 'Calls that the server runs at once.',
    unset: '64; 16 over stdio',
    project: UNTRUSTED,
  },
  queue_max: {
    schema: z.number().int().min(0).optional(),
    summary: 'Calls that may wait while the server is busy; more are refused.',
    unset: '256',
    project: UNTRUSTED,
  },
  health_check: {
    schema: z.string().min(1).optional(),
    summary: 'Path at the origin of the endpoint that answers 200 while the server is well.',
    unset: 'ping only',
    project: UNTRUSTED,
  },
  pin_definitions: {
    schema: z.boolean().optional(),
    summary: 'Holds changed definitions of this server until a person accepts them.',
    unset: 'gateway.pin_definitions',
    project: narrows(either),
  },
  quarantine: {
    schema: z.enum(['on', 'off']).optional(),
    summary: 'Holds everything of this server until a person accepts it.',
    unset: 'gateway.quarantine',
    project: narrows(onIfEither),
  },
  breaker: {
    schema: z.looseObject({ failures: PositiveInt.optional(), open_ms: DurationMs.optional() }).optional(),
    summary: 'Circuit breaker: failures in a row that open it, and how long it stays open.',
    default: { failures: BREAKER_DEFAULTS.failures, open_ms: BREAKER_DEFAULTS.openMs },
    project: UNTRUSTED,
  },
  tool_breakers: {
    schema: z.array(z.string()).optional(),
    summary: 'Tools that get a circuit breaker of their own.',
    unset: 'none',
    project: UNTRUSTED,
  },
} satisfies Settings;
