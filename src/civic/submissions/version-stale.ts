import { BinderyError } from '../../contract/errors.ts';

/** What a sender does whose submission is about a version that is no more. */
export function afterStale(what: string, current: string): string {
  return `${what} has version ${current} now. Read it again, make the change against that version, and send it with base_version ${current}.`;
}

/** Refuses a submission about another version than the current one, and says what to send instead. */
export function versionStale(what: string, current: string): BinderyError {
  return new BinderyError('target_version_stale', {
    detail: afterStale(what, current),
    members: { current_version: current },
  });
}
