import { BinderyError } from '../../contract/errors.ts';

/** Advice for a sender whose submission targets an old version. */
export function afterStale(what: string, current: string): string {
  return `${what} has version ${current} now. Read it again, make the change against that version, and send it with base_version ${current}.`;
}

/** Refuses an amendment of an old version and says what to send instead. */
export function versionStale(what: string, current: string): BinderyError {
  return staleError(afterStale(what, current), current);
}

/** The same for a vote. `of` says which version of its target the vote names. */
export function voteStale(what: string, current: string, of = ''): BinderyError {
  const detail = `${what} has ${of}version ${current}. Look at that version, and send the validation with target_version ${current}.`;
  return staleError(detail, current);
}

function staleError(detail: string, current: string): BinderyError {
  return new BinderyError('target_version_stale', { detail, members: { current_version: current } });
}
