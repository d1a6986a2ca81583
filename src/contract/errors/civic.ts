import type { ErrorRow } from './error-row.ts';

/** Problems that a client of the public corpus can meet; `GET /agents/errors.json` lists exactly these. */
export const civicProblems = {
  schema_invalid: {
    title: 'The request does not fit its schema',
    http: 422,
    exit: 1,
    next: 'Correct the members that `errors` lists. `schema_url` has the schema.',
  },
  banned_field: {
    title: 'The request has a field that could identify a person',
    http: 422,
    exit: 1,
    next: 'Remove the fields that `errors` lists, then send it again.',
  },
  worker_field_supplied: {
    title: 'The request has a field that only the server sets',
    http: 422,
    exit: 1,
    next: 'Remove the fields that `errors` lists, then send it again.',
  },
  scrub_rejected: {
    title: 'The text holds personal data or active content',
    http: 422,
    exit: 1,
    next: 'Remove the text at the offsets that `errors` lists. The rules are at /scrub-rules.json.',
  },
  malformed_json: {
    title: 'The body is not JSON',
    http: 400,
    exit: 1,
    next: 'Send one JSON object in UTF-8.',
  },
  contract_version_unsupported: {
    title: 'This version of the submission contract is not served',
    http: 400,
    exit: 1,
    next: 'Use a version that `supported` names.',
  },
  maintainer_required: {
    title: 'This needs the credential of a maintainer',
    http: 401,
    exit: 1,
    next: 'Send Authorization: Bearer with the maintainer token.',
  },
  capability_insufficient: {
    title: 'The declared capabilities are not enough for this type',
    http: 403,
    exit: 1,
    next: 'Submit from an agent that has what `required_capability` names.',
  },
  self_validation: {
    title: 'This artefact cannot be validated from here',
    http: 403,
    exit: 1,
    next: 'Leave the validation to others.',
  },
  target_not_found: {
    title: 'The target does not exist',
    http: 404,
    exit: 1,
    next: 'Look up the id in the graph, the path directory or the manifest.',
  },
  route_not_found: {
    title: 'There is nothing at this path',
    http: 404,
    exit: 1,
    next: 'GET /reference lists every route.',
  },
  method_not_allowed: {
    title: 'The method is not allowed here',
    http: 405,
    exit: 1,
    next: 'Use a method that the Allow header names.',
  },
  target_version_stale: {
    title: 'The target has a newer version',
    http: 409,
    exit: 1,
    next: 'Read the target again and base the submission on `current_version`.',
  },
  artefact_quarantined: {
    title: 'The target is quarantined',
    http: 409,
    exit: 1,
    next: 'Wait for the decision of a maintainer.',
  },
  duplicate: {
    title: 'This id is in use',
    http: 409,
    exit: 1,
    next: 'Choose another id, or read the artefact that has it.',
  },
  not_cancellable: {
    title: 'It is too late to cancel this submission',
    http: 409,
    exit: 1,
    next: 'Look at its status by session id.',
  },
  already_decided: {
    title: 'This has already been decided',
    http: 409,
    exit: 1,
    next: 'Read the queue item to see the decision.',
  },
  already_claimed: {
    title: 'Another maintainer has claimed this',
    http: 409,
    exit: 1,
    next: 'Take another item, give the name that you claimed it with (`--by`), or take it over (`--take`, in JSON `"take": true`).',
  },
  not_undoable: {
    title: 'This decision cannot be undone',
    http: 409,
    exit: 1,
    next: 'Read the item to see the effects; `detail` says what else you can do.',
  },
  clock_backward: {
    title: 'The test clock moves forward only',
    http: 409,
    exit: 1,
    next: 'Send a later time.',
  },
  payload_too_large: {
    title: 'The body is too large',
    http: 413,
    exit: 1,
    next: 'Send a smaller body.',
  },
  unsupported_media_type: {
    title: 'The media type is not supported',
    http: 415,
    exit: 1,
    next: 'Send the body with Content-Type: application/json.',
  },
  rate_limited: {
    title: 'Too many requests',
    http: 429,
    exit: 1,
    next: 'Wait for `retry_after_seconds`.',
  },
  held_for_review: {
    title: 'The submission waits for a maintainer',
    http: 202,
    exit: 0,
    next: 'Look at its status later by session id.',
  },
} as const satisfies Record<string, ErrorRow>;

/** Errors of the room `civic`. */
export const civicErrors = {
  ...civicProblems,
  corpus_missing: {
    title: 'The corpus does not exist',
    http: 500,
    exit: 1,
    next: 'Name a folder that has `skills/` or `paths/` in it.',
  },
  corpus_invalid: {
    title: 'The corpus does not pass its checks',
    http: 500,
    exit: 1,
    next: 'Run `bindery civic check DIR`, correct what it names, and start again.',
  },
  corpus_unavailable: {
    title: 'There is no corpus to serve at the moment',
    http: 503,
    exit: 1,
    next: 'Look at `build.errors` in /agents/manifest.json. Try again when the corpus is corrected.',
  },
  revert_conflict: {
    title: 'The merge cannot be reverted on its own',
    http: 409,
    exit: 1,
    next: 'Revert the later merges of this artefact first, newest first.',
  },
  providers_invalid: {
    title: 'The provider directory is not valid',
    http: 500,
    exit: 1,
    next: 'Correct the file that --providers or civic.providers names.',
  },
} as const satisfies Record<string, ErrorRow>;
