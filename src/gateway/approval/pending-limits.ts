import { BinderyError } from '../../contract/errors.ts';
import { GATEWAY_LIMITS } from '../limits.ts';
import type { Approval } from './approval.ts';

/** A pending approval: who asks, and how much is stored for it. */
export interface PendingQuestion {
  readonly id: string;
  readonly caller: string;
  /** The asking party, see `partyOf`. */
  readonly party: string;
  readonly bytes: number;
}

/** Which pending approvals a limit counts. */
export type PendingLimit = 'caller' | 'keyless' | 'all';

const WHOSE = { caller: ' of this caller', keyless: ' of callers without a key', all: '' } as const;

/** Callers that many programs share, because they have no keys of their own. */
const SHARED_CALLERS: ReadonlySet<string> = new Set(['local', 'token']);

/** Whether the caller is known by a key or a sign-in of its own. */
export function hasOwnKey(caller: string): boolean {
  return !SHARED_CALLERS.has(caller);
}

/** The party that asks: the caller; for callers without their own key, the session, or else the client's declared name. */
export function partyOf({ caller, session, client }: Pick<Approval, 'caller' | 'session' | 'client'>): string {
  if (hasOwnKey(caller)) return caller;
  return `${caller}\n${session ?? client?.name ?? ''}`;
}

/** Throws `TOO_MANY_APPROVALS` if another approval would exceed the limit of the party, of its caller, or of all callers. */
export function refuseTooMany(pending: readonly PendingQuestion[], asked: PendingQuestion): void {
  const {
    approvalsPendingPerCallerMax,
    approvalsPendingSharedMax,
    approvalsPendingMax,
    approvalsPendingBytesPerCallerMax,
    approvalsPendingBytesSharedMax,
    approvalsPendingBytesMax,
  } = GATEWAY_LIMITS;
  const refuse = (limit: PendingLimit, max: number, bytesMax: number) => {
    const among = pending.filter((question) => isCounted(limit, question, asked));
    if (among.length < max && bytesOf(among) + asked.bytes <= bytesMax) return;
    const detail = `${among.length} calls${WHOSE[limit]} wait for a decision`;
    throw new BinderyError('TOO_MANY_APPROVALS', { detail, members: { limit } });
  };
  refuse('caller', approvalsPendingPerCallerMax, approvalsPendingBytesPerCallerMax);
  if (SHARED_CALLERS.has(asked.caller)) refuse('keyless', approvalsPendingSharedMax, approvalsPendingBytesSharedMax);
  refuse('all', approvalsPendingMax, approvalsPendingBytesMax);
}

/** Whether a pending approval counts against this limit for the one that is asked. */
export function isCounted(limit: PendingLimit, question: Asker, asked: Asker): boolean {
  if (limit === 'caller') return question.party === asked.party;
  return limit === 'all' || SHARED_CALLERS.has(question.caller);
}

type Asker = Pick<PendingQuestion, 'caller' | 'party'>;

function bytesOf(questions: readonly PendingQuestion[]): number {
  return questions.reduce((sum, { bytes }) => sum + bytes, 0);
}
