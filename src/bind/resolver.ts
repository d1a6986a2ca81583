import { BinderyError } from '../contract/errors.ts';
import type { Clock } from '../contract/ports.ts';
import type { AnswerBody, Answers } from './answers.ts';
import type { Descriptor } from './collapse.ts';
import { parseIdentity, zoneKey } from './identity.ts';
import { toError } from './request.ts';
import { type DescriptorSignature, verifyDescriptor } from './signed-descriptor.ts';

/** Where a name leads, as a connection needs it: the descriptor that everyone gets, signed where there is a key. */
export type ResolvedIdentity = Descriptor & {
  readonly signature?: DescriptorSignature;
  readonly [member: string]: unknown;
};

/** Gives names to whoever makes connections. */
export interface IdentityResolver {
  /** Rejects with the room's error where a name does not lead anywhere. */
  resolve(name: string): Promise<ResolvedIdentity>;
  /** Why none of these keys stands behind a descriptor now; undefined if one does. */
  distrust(descriptor: Readonly<Record<string, unknown>>, keys: readonly string[]): string | undefined;
}

/** Why none of these keys stands behind a descriptor at this time; undefined if one does. */
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
