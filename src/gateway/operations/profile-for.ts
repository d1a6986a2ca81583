import { BinderyError } from '../../contract/errors.ts';
import type { Call } from '../../contract/operation.ts';

/** The requested profile: any, or one that the caller's credential is bound to, by default the first. */
export function profileFor({ profiles }: Pick<Call, 'profiles'>, asked: string | undefined): string | undefined {
  if (profiles === undefined) return asked;
  const profile = asked ?? profiles[0];
  if (profile === undefined || !profiles.includes(profile))
    throw new BinderyError('PROFILE_BOUND', { detail: `it is bound to ${profiles.join(', ')}`, members: { profiles } });
  return profile;
}

/** Whether the caller may see and decide about this profile. */
export function isOfProfiles({ profiles }: Pick<Call, 'profiles'>, profile: unknown): boolean {
  return profiles === undefined || (typeof profile === 'string' && profiles.includes(profile));
}
