import { z } from 'zod';

const PROFILE_NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;
const PositiveInt = z.number().int().positive();

export const Profile = z.looseObject({
  servers: z.array(z.string()).optional(),
  exposure: z.enum(['auto', 'search', 'all']).optional(),
  budget_tokens: PositiveInt.optional(),
  pinned: z.array(z.string()).optional(),
  names: z.enum(['qualified', 'hashed', 'bare']).optional(),
  policy: z.record(z.string(), z.unknown()).optional(),
  promote_resources: z.boolean().optional(),
});
export type Profile = z.output<typeof Profile>;

/** The section `gateway` of config.json. */
export const GatewaySection = z.looseObject({
  exposure: z.enum(['auto', 'search', 'all']).optional(),
  budget_tokens: PositiveInt.optional(),
  pin_definitions: z.boolean().optional(),
  profiles: z.record(z.string().regex(PROFILE_NAME), Profile).optional(),
  limits: z
    .looseObject({ client_per_minute: PositiveInt.optional(), server_per_minute: PositiveInt.optional() })
    .optional(),
  output_bytes_max: PositiveInt.optional(),
  approval: z.looseObject({ expires_ms: PositiveInt.optional(), wait_ms: PositiveInt.optional() }).optional(),
  audit: z
    .looseObject({
      fsync: z.boolean().optional(),
      retention_days: PositiveInt.optional(),
      retention_mb: PositiveInt.optional(),
      raw_arguments: z.boolean().optional(),
    })
    .optional(),
  auth: z.looseObject({ token: z.string().min(1).optional() }).optional(),
});
export type GatewaySection = z.output<typeof GatewaySection>;

/** Keys that a project may not set: they are a person's own. */
const PERSONAL = ['audit', 'approval', 'auth'] as const;

export interface GatewaySettings {
  readonly section: GatewaySection;
  /** Every profile, `default` among them. */
  readonly profiles: ReadonlyMap<string, Profile>;
  /** What was ignored or is wrong, one sentence each. */
  readonly warnings: readonly string[];
}

/** Joins the sections of the global and the project's file: the project wins by key, but can only lower limits. */
export function gatewaySettings(global: unknown, project: unknown): GatewaySettings {
  const warnings: string[] = [];
  const own = parseSection(global, 'global', warnings);
  const theirs = parseSection(project, 'project', warnings);
  for (const key of PERSONAL) {
    if (theirs[key] === undefined) continue;
    warnings.push(`gateway.${key} is ignored in a project's config`);
    delete theirs[key];
  }
  const section: GatewaySection = {
    ...own,
    ...theirs,
    pin_definitions: own.pin_definitions === true || theirs.pin_definitions === true,
    limits: smallest(own.limits, theirs.limits),
    output_bytes_max: Math.min(
      own.output_bytes_max ?? Number.MAX_SAFE_INTEGER,
      theirs.output_bytes_max ?? Number.MAX_SAFE_INTEGER,
    ),
  };
  const profiles = new Map<string, Profile>(Object.entries({ default: {}, ...own.profiles, ...theirs.profiles }));
  for (const [name, profile] of profiles) {
    if (profile.names === 'bare' && profile.servers?.length !== 1) {
      warnings.push(`profile ${name} is bare, so it needs exactly one server`);
      profiles.delete(name);
    }
  }
  return { section, profiles, warnings };
}

function parseSection(value: unknown, scope: string, warnings: string[]): GatewaySection {
  const parsed = GatewaySection.safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues)
    warnings.push(`${scope} config: gateway.${issue.path.join('.')}: ${issue.message}`);
  return {};
}

function smallest(
  own: GatewaySection['limits'],
  theirs: GatewaySection['limits'],
): NonNullable<GatewaySection['limits']> {
  const limits: Record<string, number> = {};
  for (const key of ['client_per_minute', 'server_per_minute'] as const) {
    const values = [own?.[key], theirs?.[key]].filter((value) => value !== undefined);
    if (values.length > 0) limits[key] = Math.min(...values);
  }
  return limits;
}
