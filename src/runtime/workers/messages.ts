import type { EndedCall } from '../audit/call-recorder.ts';

/** What the primary sends to its workers. */
export type ToWorker =
  /** The registry is another one now. */
  | { readonly kind: 'changed' }
  /** A person accepted that a file of policy is gone. */
  | { readonly kind: 'policy-accepted' }
  | { readonly kind: 'session-ended'; readonly session: string }
  | { readonly kind: 'cancelled'; readonly session: string; readonly requestId: unknown }
  /** Take no new calls, let the running ones end, and end. */
  | { readonly kind: 'drain' };

/** What a worker sends to the primary. */
export type FromWorker =
  | { readonly kind: 'calls'; readonly calls: readonly EndedCall[] }
  | { readonly kind: 'cannot-listen'; readonly code: string };

/** Where a worker finds the primary's socket, on which port it listens, how many workers there are, and which policy files are in force (JSON). */
export const WORKER_ENV = {
  port: 'BINDERY_WORKER_PORT',
  socket: 'BINDERY_PRIMARY_SOCKET',
  workers: 'BINDERY_WORKERS',
  policyFiles: 'BINDERY_POLICY_FILES',
} as const;
