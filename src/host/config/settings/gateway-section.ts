import { z } from 'zod';
import { DEFAULT_SURFACES, SURFACES } from '../../../contract/approval-surfaces.ts';
import { BearerToken } from '../../../contract/bearer-token.ts';
import { GATEWAY_LIMITS } from '../../../gateway/limits.ts';
import { SEARCH_LIMITS } from '../../../gateway/search/limits.ts';
import { ApprovalWebhook, WEBHOOKS_MAX } from '../approval-webhooks.ts';
import { both, common, commonListed, either, joined, lowest, narrowest, sideBySide } from '../narrowing.ts';
import { GLOBAL_ONLY, type ListedSetting, listed, narrows, type Settings } from './setting.ts';

const PositiveInt = z.number().int().positive();
const Exposure = z.enum(['auto', 'search', 'all']);
const Surfaces = z.array(z.enum(SURFACES));
const EXPOSURE_DEFAULT = 'auto' as const;
const QUARANTINE_DEFAULT = 'registered' as const;
const narrowsExposure = narrows(narrowest(['search', 'auto', 'all'], EXPOSURE_DEFAULT));

/** The keys of `gateway` that hold a single value. */
export const GATEWAY_VALUES = {
  port: {
    schema: z.number().int().min(1).max(65_535),
    summary: 'Port that bindery up listens on, and that clients are connected to.',
    default: 7717,
    project: GLOBAL_ONLY,
    flag: 'port',
  },
  exposure: {
    schema: Exposure,
    summary: 'Which tools clients see: all, a search in their place, or auto by budget_tokens.',
    default: EXPOSURE_DEFAULT,
    project: narrowsExposure,
    flag: 'exposure',
  },
  budget_tokens: {
    schema: PositiveInt,
    summary: 'Tokens that a list of tools may cost before auto shows the search.',
    default: SEARCH_LIMITS.exposureTokensDefault,
    project: narrows(lowest(SEARCH_LIMITS.exposureTokensDefault)),
  },
  pin_definitions: {
    schema: z.boolean(),
    summary: 'Holds changed definitions of every server until a person accepts them.',
    default: false,
    project: narrows(either),
  },
  quarantine: {
    schema: z.enum(['off', 'registered', 'on']),
    summary: 'Whose definitions are held until a person accepts them: of no server, of registered ones, of all.',
    default: QUARANTINE_DEFAULT,
    project: narrows(narrowest(['on', 'registered', 'off'], QUARANTINE_DEFAULT)),
  },
  output_bytes_max: {
    schema: PositiveInt,
    summary: 'Largest answer of a call, in bytes; a larger one is refused.',
    default: GATEWAY_LIMITS.answerBytesMax,
    project: narrows(lowest(GATEWAY_LIMITS.answerBytesMax)),
  },
} satisfies Settings;

/** One profile of `gateway.profiles`. */
export const PROFILE_SETTINGS = {
  servers: {
    schema: z.array(z.string()).optional(),
    summary: 'Servers that the profile shows.',
    unset: 'all',
    project: narrows(common),
  },
  exposure: {
    schema: Exposure.optional(),
    summary: 'gateway.exposure for this profile.',
    unset: 'gateway.exposure',
    project: narrowsExposure,
    flag: 'exposure',
  },
  budget_tokens: {
    schema: PositiveInt.optional(),
    summary: 'gateway.budget_tokens for this profile.',
    unset: 'gateway.budget_tokens',
    project: narrows(lowest(SEARCH_LIMITS.exposureTokensDefault)),
  },
  pinned: {
    schema: z.array(z.string()).optional(),
    summary: 'Tools that are listed beside the search.',
    unset: 'none',
    project: narrows(commonListed),
  },
  names: {
    schema: z.enum(['qualified', 'hashed', 'bare']).optional(),
    summary: 'How tools are called: server__tool, short with a hash, or as their only server calls them.',
    default: 'qualified',
    project: GLOBAL_ONLY,
  },
  policy: {
    schema: z.unknown().optional(),
    summary: 'Allowlist that calls of this profile have to pass as well.',
    unset: 'none',
    project: narrows(joined),
  },
  promote_resources: {
    schema: z.boolean().optional(),
    summary: 'Offers resources and prompts as tools too.',
    default: false,
    project: narrows(both),
  },
} satisfies Settings;

/** The approval surfaces of a profile. */
export const PROFILE_APPROVAL_SETTINGS = {
  surfaces: {
    schema: Surfaces.optional(),
    summary: 'gateway.approval.surfaces for this profile; both lists must hold a surface.',
    unset: 'gateway.approval.surfaces',
    project: narrows(sideBySide),
  },
} satisfies Settings;

export const RATE_LIMIT_SETTINGS = {
  client_per_minute: {
    schema: PositiveInt.optional(),
    summary: 'Calls of one client in a minute.',
    unset: 'no limit',
    project: narrows(lowest()),
  },
  server_per_minute: {
    schema: PositiveInt.optional(),
    summary: 'Calls to one server in a minute.',
    unset: 'no limit',
    project: narrows(lowest()),
  },
} satisfies Settings;

export const APPROVAL_SETTINGS = {
  expires_ms: {
    schema: PositiveInt.optional(),
    summary: 'How long an approval can be decided and used.',
    default: GATEWAY_LIMITS.approvalExpiresMs,
    project: GLOBAL_ONLY,
  },
  wait_ms: {
    schema: PositiveInt.optional(),
    summary: 'How long a call waits for a decision before it answers APPROVAL_PENDING.',
    default: GATEWAY_LIMITS.approvalWaitMs,
    project: GLOBAL_ONLY,
  },
  surfaces: {
    schema: Surfaces.optional(),
    summary: 'Where calls may be approved; client is the dialogue of the client, which an agent can answer itself.',
    default: DEFAULT_SURFACES,
    project: GLOBAL_ONLY,
  },
} satisfies Settings;

export const APPROVAL_WEBHOOK_SETTINGS = {
  webhooks: {
    schema: z.array(ApprovalWebhook).max(WEBHOOKS_MAX).optional(),
    summary:
      'Addresses that get a message when a call waits for a person, each with the secret that signs the message.',
    unset: 'none',
    project: GLOBAL_ONLY,
    isSecret: true,
  },
} satisfies Settings;

export const AUDIT_SETTINGS = {
  fsync: {
    schema: z.boolean().optional(),
    summary: 'Forces each record to the disk before its call goes on.',
    default: false,
    project: GLOBAL_ONLY,
  },
  retention_days: {
    schema: PositiveInt.optional(),
    summary: 'Days that records are kept.',
    unset: 'for ever',
    project: GLOBAL_ONLY,
  },
  retention_mb: {
    schema: PositiveInt.optional(),
    summary: 'Megabytes of records that are kept.',
    unset: 'no limit',
    project: GLOBAL_ONLY,
  },
  raw_arguments: {
    schema: z.boolean().optional(),
    summary: 'Keeps the arguments of calls as they came, encrypted.',
    default: false,
    project: GLOBAL_ONLY,
  },
  heads_file: {
    schema: z.string().min(1).optional(),
    summary: 'File that notes the ends of the log, so that a cut end is noticed.',
    unset: 'none',
    project: GLOBAL_ONLY,
  },
  sync: {
    schema: z.enum(['local', 'database']).optional(),
    summary: 'With several nodes: whether a call waits until its record is in the shared database.',
    default: 'local',
    project: GLOBAL_ONLY,
  },
} satisfies Settings;

export const AUTH_SETTINGS = {
  token: {
    schema: BearerToken.optional(),
    summary: 'Token that callers share.',
    unset: 'none',
    project: GLOBAL_ONLY,
    flag: 'token',
    isSecret: true,
  },
  oauth: {
    schema: z.unknown().optional(),
    summary: 'Authorization server whose tokens callers present: see docs/identity.md.',
    unset: 'none',
    project: GLOBAL_ONLY,
    isSecret: true,
  },
} satisfies Settings;

export const SEARCH_SETTINGS = {
  semantic: {
    schema: z.boolean().optional(),
    summary: 'Searches tools by meaning too, with a model on this machine.',
    default: false,
    project: GLOBAL_ONLY,
  },
  learn: {
    schema: z.boolean().optional(),
    summary: 'Learns from calls which tools a search should find.',
    default: false,
    project: GLOBAL_ONLY,
  },
} satisfies Settings;

export const GATEWAY_SETTINGS: readonly ListedSetting[] = [
  ...listed('gateway', GATEWAY_VALUES),
  ...listed('gateway.profiles.*', PROFILE_SETTINGS),
  ...listed('gateway.profiles.*.approval', PROFILE_APPROVAL_SETTINGS),
  ...listed('gateway.limits', RATE_LIMIT_SETTINGS),
  ...listed('gateway.approval', APPROVAL_SETTINGS),
  ...listed('gateway.approvals', APPROVAL_WEBHOOK_SETTINGS),
  ...listed('gateway.audit', AUDIT_SETTINGS),
  ...listed('gateway.auth', AUTH_SETTINGS),
  ...listed('gateway.search', SEARCH_SETTINGS),
];
