import { z } from 'zod';
import { BinderyError } from '../contract/errors.ts';
import type { HttpParts } from '../contract/operation.ts';
import { parseCapability, sortedSet } from './capability.ts';
import type { CollapseFailure } from './collapse.ts';
import { parseIdentity, zoneKey } from './identity.ts';
import { BIND_LIMITS } from './limits.ts';
import type { CascadeReason } from './zone.ts';

/** A client that accepts this type wants the collapsed descriptor. */
export const MCP_MEDIA_TYPE = 'application/vnd.codex.mcp+json';

/** An identity of this resolver in any spelling; the operation gets its canonical name. */
export const IdentityName = z
  .string()
  .transform((text, context) => {
    const identity = parseIdentity(text);
    if (identity && identity.authority === undefined) return identity.name;
    const message = identity ? 'names an identity of another resolver' : 'is not an identity';
    context.issues.push({ code: 'custom', message, input: text });
    return z.NEVER;
  })
  .describe('Name of a zone, such as ai://sentinel');

/** An identity of this or of another resolver in any spelling; the operation gets the key of its zone. */
export const QueriedName = z
  .string()
  .transform((text, context) => {
    const identity = parseIdentity(text);
    if (identity) return zoneKey(identity);
    context.issues.push({ code: 'custom', message: 'is not an identity', input: text });
    return z.NEVER;
  })
  .describe('Name to resolve, such as ai://sentinel, or ai://sentinel@org.example at another resolver');

const Caps = z
  .array(z.string())
  .min(1)
  .transform((texts, context) => {
    const pieces = texts.flatMap((text) => text.split(','));
    const tokens = pieces.map(parseCapability).filter((token) => token !== undefined);
    if (tokens.length === pieces.length && tokens.length <= BIND_LIMITS.capsRequestedMax) return sortedSet(tokens);
    context.issues.push({ code: 'custom', message: 'is not a list of capability tokens', input: texts });
    return z.NEVER;
  })
  .describe('Capabilities that are wanted, separated by commas');

/** Members that every question about a collapse has. */
export const collapseMembers = {
  caps: Caps.optional(),
  match: z.enum(['any', 'all']).optional().describe('Whether one of the capabilities is enough; default any'),
  cascade: z.enum(['on', 'off']).optional().describe('off looks at the zone alone; default on'),
};

export const Mode = z
  .enum(['default', 'raw', 'mcp'])
  .optional()
  .describe('mcp gives the one endpoint; default and raw give the records');

export const Trace = z.boolean().optional().describe('Adds the steps of the resolution to the answer');

/** The input of a resolution in path and query; a parameter that is given twice stays a list, which the schema refuses. */
export function readQuery({ params, query }: HttpParts): unknown {
  const input: Record<string, unknown> = { ...params };
  for (const [name, text] of query) {
    const before = input[name];
    if (Array.isArray(before)) before.push(text);
    else if (name === 'caps') input[name] = [text];
    else input[name] = before === undefined ? text : [before, text];
  }
  if (input.trace === '1' || input.trace === 'true') input.trace = true;
  if (input.trace === '0' || input.trace === 'false') input.trace = false;
  return input;
}

/** Whether an Accept header names the descriptor's type and prefers it to, or likes it as much as, plain JSON. */
export function acceptsDescriptor(accept: string | undefined): boolean {
  if (!accept) return false;
  const weights = new Map<string, number>();
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = weightOf(parameters);
    if (weight !== undefined) weights.set(type, Math.max(weight, weights.get(type) ?? 0));
  }
  const descriptor = weights.get(MCP_MEDIA_TYPE) ?? 0;
  const json = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  return descriptor > 0 && descriptor >= json;
}

/** The q-value of a media range, 1 if it has none; undefined if it is malformed, which makes the range void. */
function weightOf(parameters: readonly string[]): number | undefined {
  const text = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (text === undefined) return 1;
  return /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : undefined;
}

/** Each reason of a failure as a sentence, for faces that show no members. */
const REASONS: Readonly<Record<CascadeReason, string>> = {
  cycle: 'the zones inherit from each other in a circle',
  depth: 'too many zones inherit from one another',
  fanout: 'it inherits from too many zones',
  unknown_identity: 'there is no such zone',
  protected: 'the zone is protected',
  corrupt: 'the zone is damaged',
  timeout: 'it took too long',
  no_resolver: 'no resolver is configured for it',
  unreachable: 'the resolver does not answer as one',
  untrusted: 'the zone is not signed by a key of bind.resolvers',
  busy: 'too many requests to other resolvers are under way',
};

export function toError({ code, members }: CollapseFailure): BinderyError {
  const detail = REASONS[members.reason as CascadeReason];
  if (detail === undefined) return new BinderyError(code, { members });
  const chain = Array.isArray(members.chain) && members.chain.length > 1 ? `${members.chain.join(' → ')}: ` : '';
  return new BinderyError(code, { detail: `${chain}${detail}`, members });
}
