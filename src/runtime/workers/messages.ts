import type { EndedCall } from '../audit/call-recorder.ts';

/** Messages from the primary to its workers. */
export type ToWorker =
  /** The registry has changed. */
  | { readonly kind: 'changed' }
  /** A person accepted that a policy file was removed. */
  | { readonly kind: 'policy-accepted' }
  | { readonly kind: 'session-ended'; readonly session: string }
  | { readonly kind: 'cancelled'; readonly session: string; readonly requestId: unknown }
  /** Graceful shutdown: take no new calls, finish the running ones, and exit. */
  | { readonly kind: 'drain' };

/** Messages from a worker to the primary. */
export type FromWorker =
  | { readonly kind: 'calls'; readonly calls: readonly EndedCall[] }
  | { readonly kind: 'cannot-listen'; readonly code: string };

/** Environment of a worker: the primary's socket, the port, the number of workers, and the policy files in force (JSON). */
export const WORKER_ENV = {
  port: 'BINDERY_WORKER_PORT',
  socket: 'BINDERY_PRIMARY_SOCKET',
  workers: 'BINDERY_WORKERS',
  policyFiles: 'BINDERY_POLICY_FILES',
} as const;
