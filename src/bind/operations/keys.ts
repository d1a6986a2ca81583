import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import type { BindDeps } from '../deps.ts';
import { type PublicJwk, toPublicJwk } from '../detached-jws.ts';
import { bindFailures } from '../failures.ts';
import { BIND_LIMITS } from '../limits.ts';
import { type DescriptorVerification, verifyDescriptor } from '../signed-descriptor.ts';

/** The public keys under which descriptors are signed, older ones included. */
export const jwksOperation = defineOperation({
  id: 'bind.jwks',
  summary: 'Read the public keys that sign descriptors.',
  input: z.strictObject({}),
  output: z.object({
    keys: z.array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        x: z.string(),
        kid: z.string(),
        alg: z.literal('EdDSA'),
        use: z.literal('sig'),
      }),
    ),
  }),
  hints: READ_ONLY,
  http: {
    method: 'GET',
    path: '/.well-known/jwks.json',
    meta: () => ({ headers: { 'cache-control': `public, max-age=${BIND_LIMITS.ttlDefaultSeconds}` } }),
  },
  mcp: false,
  cli: false,
  failures: bindFailures,
  run: (_, { signing }: BindDeps): { keys: readonly PublicJwk[] } => ({ keys: signing?.()?.published ?? [] }),
});

/** A descriptor → whether a trusted key signed it and the signature is still valid. */
export const verifyOperation = defineOperation({
  id: 'bind.verify',
  summary: 'Verify the signature of a descriptor.',
  input: z.strictObject({
    descriptor: z.record(z.string(), z.unknown()).describe('The descriptor'),
    jwks: z.record(z.string(), z.unknown()).optional().describe('Key set to trust; default: the own keys'),
    key: z.array(z.string()).optional().describe('Key to trust, as ed25519:…'),
  }),
  output: z.union([
    z.object({ valid: z.literal(true), kid: z.string(), expires_at: z.string() }),
    z.object({
      valid: z.literal(false),
      reason: z.enum(['unsigned', 'malformed', 'unknown_key', 'bad_signature', 'expired', 'not_yet_valid']),
    }),
  ]),
  hints: READ_ONLY,
  http: false,
  mcp: false,
  cli: {
    command: 'bind verify',
    positional: ['descriptor'],
    files: ['descriptor', 'jwks'],
    print: (result: DescriptorVerification) =>
      result.valid ? `valid: signed by ${result.kid} until ${result.expires_at}\n` : `not valid: ${result.reason}\n`,
    exit: ({ valid }: DescriptorVerification) => (valid ? 0 : 1),
  },
  failures: bindFailures,
  run: ({ descriptor, jwks, key }, { clock, signing }: BindDeps) => {
    const named = [...(jwks ? keysOf(jwks) : []), ...(key ?? [])];
    const trusted = jwks || key ? named : (signing?.()?.published ?? []);
    if (trusted.length === 0 || trusted.some((candidate) => !toPublicJwk(candidate))) {
      throw new BinderyError('INVALID_PARAMETER', {
        detail: 'there is no Ed25519 key to verify with',
        next: 'Pass --jwks FILE or --key ed25519:…',
      });
    }
    return verifyDescriptor(descriptor, trusted, clock.now());
  },
});

function keysOf(jwks: Readonly<Record<string, unknown>>): PublicJwk[] {
  const keys = Array.isArray(jwks.keys) ? jwks.keys : [];
  return keys.filter((key): key is PublicJwk => isObject(key) && key.kty === 'OKP' && key.crv === 'Ed25519');
}
