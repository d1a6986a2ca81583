import { BinderyError } from '../contract/errors.ts';
import type { Clock } from '../contract/ports.ts';
import type { AnswerBody, Answers } from './answers.ts';
import type { Descriptor } from './collapse.ts';
import { parseIdentity, zoneKey } from './identity.ts';
import { toError } from './request.ts';
import { type DescriptorSignature, verifyDescriptor } from './signed-descriptor.ts';

/** The target of a name, as a connection needs it: the public descriptor, signed if there is a key. */
export type ResolvedIdentity = Descriptor & {
  readonly signature?: DescriptorSignature;
  readonly [member: string]: unknown;
};

/** Resolves names for connections. */
export interface IdentityResolver {
  /** Rejects with the room's error if a name does not resolve. */
  resolve(name: string): Promise<ResolvedIdentity>;
  /** Why no valid signature of these keys is on a descriptor now; undefined if there is one. */
  distrust(descriptor: Readonly<Record<string, unknown>>, keys: readonly string[]): string | undefined;
}

/** Why no valid signature of these keys is on a descriptor at this time; undefined if there is one. */
export function distrust(
  descriptor: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  nowMs: number,
): string | undefined {
  const verified = verifyDescriptor(descriptor, keys, nowMs);
  return verified.valid ? undefined : REASONS[verified.reason];
}

export function createResolver(answers: Pick<Answers, 'answer' | 'gather'>, clock: Clock): IdentityResolver {
  return {
    async resolve(name) {
      const identity = parseIdentity(name);
      if (!identity) throw new BinderyError('INVALID_IDENTITY');
      const request = { name: zoneKey(identity), mode: 'mcp' } as const;
      await answers.gather(request);
      const answer = answers.answer(request);
      if (answer.ok) return answer.body as AnswerBody & ResolvedIdentity;
      throw toError(answer.failure);
    },
    distrust: (descriptor, keys) => distrust(descriptor, keys, clock.now()),
  };
}

const REASONS = {
  unsigned: 'it is not signed',
  malformed: 'its signature is malformed',
  unknown_key: 'it is signed by another key',
  bad_signature: 'its signature is wrong',
  expired: 'its signature has expired',
  not_yet_valid: 'its signature is from the future',
} as const;
