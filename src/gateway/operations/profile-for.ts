import { BinderyError } from '../../contract/errors.ts';
import type { Call } from '../../contract/operation.ts';

/** The profile that a caller asks about: any, or one of those that its credential is bound to, the first of them by default. */
export function profileFor({ profiles }: Pick<Call, 'profiles'>, asked: string | undefined): string | undefined {
  if (profiles === undefined) return asked;
  const profile = asked ?? profiles[0];
  if (profile === undefined || !profiles.includes(profile))
    throw new BinderyError('PROFILE_BOUND', { detail: `it is bound to ${profiles.join(', ')}`, members: { profiles } });
  return profile;
}

/** Whether something of this profile is the caller's to see and to decide. */
export function isOfProfiles({ profiles }: Pick<Call, 'profiles'>, profile: unknown): boolean {
  return profiles === undefined || (typeof profile === 'string' && profiles.includes(profile));
}
