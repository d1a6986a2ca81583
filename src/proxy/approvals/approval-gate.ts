import { EventEmitter } from 'node:events';
import { BinderyError } from '../../contract/errors.ts';
import {
  type Approval,
  type ApprovalDecision,
  type ApprovalKey,
  argumentsSha256,
  notPending,
  rememberedScopes,
} from '../../gateway/approval/approval.ts';
import type { PendingLimit } from '../../gateway/approval/pending-limits.ts';
import type { ApprovalState } from '../../gateway/approval/request-state.ts';
import { isRoundState } from '../../gateway/session/round-state.ts';
import type { ApprovalEvents, ApprovalGateOptions, ApprovedCall } from './approval-ports.ts';
import { ApprovalStates } from './approval-states.ts';
import { askByResult, askInClient, asksInClient, type ClientDecision } from './ask-client.ts';
import { type AskedCall, newApproval } from './new-approval.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import { WaitingCalls } from './waiting-calls.ts';

/** Asks people about calls and lets each approved call pass once. */
export class ApprovalGate extends EventEmitter<ApprovalEvents> {
  readonly #options: ApprovalGateOptions;
  readonly #states: ApprovalStates;
  readonly #waiting: WaitingCalls;

  constructor(options: ApprovalGateOptions) {
    super();
    this.setMaxListeners(0);
    this.#options = options;
    this.#states = new ApprovalStates(options.keys);
    this.#waiting = new WaitingCalls(this, options);
  }

  /** The number of calls that wait for a person. */
  get waiting(): number {
    return this.#waiting.count;
  }

  /** Ends all waits: the clients get APPROVAL_PENDING, and the questions stay open. */
  stopWaiting(): void {
    this.#waiting.end();
  }

  /** Resolves when the call may be sent. */
  async approve(call: AskedCall): Promise<ApprovedCall> {
    const { client, request, target } = call;
    const args = request.params?.arguments ?? {};
    const key: ApprovalKey = {
      caller: client.caller,
      profile: client.profile,
      server: target.server,
      tool: target.tool,
      arguments_sha256: argumentsSha256(args),
    };
    await this.refresh();
    const remembered = this.#remembered(call, key);
    if (remembered) return remembered;
    const carried = this.#states.carried(request, key);
    const earlier = carried?.upstream === undefined ? undefined : this.#options.store.find(carried.approval);
    if (earlier) return this.#furtherRound(earlier, key, carried?.round ?? 0);
    this.#refuseRound(request);
    await this.#refuseDecided(carried);
    const pending =
      this.#options.store.current(key, this.#now()) ?? (await this.#add(newApproval(call, this.#options), args));
    const approval = pending.status === 'approved' ? pending : await this.#awaitDecision(call, key, pending);
    return {
      approval,
      isRemembered: false,
      use: () => retryWhileBusy(() => this.#options.store.use(approval.id, this.#now())),
      wrapState: (upstream) => this.#states.sign(approval.id, key, { upstream, round: 0 }),
    };
  }

  /** A remembered approval that covers this call. It may be revoked until the call is sent. */
  #remembered({ client, judgement }: AskedCall, key: ApprovalKey): ApprovedCall | undefined {
    const asker = { ...key, session: client.session ?? null, client: client.info ?? null };
    const scopes = rememberedScopes(asker, judgement.remember);
    const find = () => this.#options.store.remembered(key, scopes, judgement.surfaces, this.#now());
    const found = find();
    // A call that was approved itself uses that approval, so that it is not left for a second one.
    if (!found || this.#options.store.current(key, this.#now())?.status === 'approved') return undefined;
    return {
      approval: { id: found.approval_id, decided_by: found.decided_by, decided_via: found.via },
      isRemembered: true,
      use: () => find() !== undefined,
      wrapState: (upstream) => upstream,
    };
  }

  /** A person approves arguments and would not see the answers that come with them. */
  #refuseRound(request: AskedCall['request']): void {
    if (!isRoundState(this.unwrap(request).params?.requestState)) return;
    throw new BinderyError('APPROVAL_MISMATCH', {
      detail: 'the call has to be approved before its server can get answers',
      next: 'Call again without requestState and inputResponses.',
    });
  }

  /** A client that retries with a denied or expired question is refused, not asked again. */
  async #refuseDecided(carried: ApprovalState | undefined): Promise<void> {
    const asked = carried && this.#options.store.find(carried.approval);
    const now = asked && (await this.#current(asked));
    if (now?.status === 'denied' || now?.status === 'expired') this.#verdict(now);
  }

  /** A later round of an approved call: it needs no second approval, and no round is sent twice. */
  #furtherRound(approval: Approval, key: ApprovalKey, round: number): ApprovedCall {
    const { store } = this.#options;
    if (store.roundsOf(approval.id) !== round)
      throw new BinderyError('APPROVAL_MISMATCH', { members: { approval_id: approval.id } });
    return {
      approval,
      isRemembered: false,
      use: () => retryWhileBusy(() => store.useRound(approval.id, round)),
      wrapState: (upstream) => this.#states.sign(approval.id, key, { upstream, round: round + 1 }),
    };
  }

  /** The request for its server: without our state and our question, with the server's own state. */
  unwrap(request: AskedCall['request']): AskedCall['request'] {
    return this.#states.unwrap(request);
  }

  /** Records a person's decision. Throws `APPROVAL_NOT_PENDING` if it comes too late. */
  async decide(id: string, decision: ApprovalDecision): Promise<Approval> {
    const decided = await retryWhileBusy(() => this.#options.store.decide(id, decision, this.#now()));
    if (!decided) throw notPending(this.#options.store.find(id));
    this.emit('decided', decided);
    return decided;
  }

  /** Revokes a remembered approval, also for the call that it was given to; false if there is none with this id. */
  forget(id: string): Promise<boolean> {
    return retryWhileBusy(() => this.#options.store.forget(id));
  }

  /** Whether a call waits for this question now; undefined if one may wait at another node. */
  isAwaited(id: string): boolean | undefined {
    return this.#waiting.isAwaited(id) || (this.#options.store.refresh ? undefined : false);
  }

  /** Expires questions whose time is up. */
  async expire(): Promise<void> {
    for (const id of await retryWhileBusy(() => this.#options.store.expire(this.#now()))) {
      const approval = this.#options.store.find(id);
      if (approval) this.emit('decided', approval);
    }
  }

  /** Marks the questions of an ended session as abandoned: they are the first to be withdrawn. */
  endSession(session: string): void {
    this.#waiting.endSession(session);
  }

  /** Makes decisions of other nodes visible to reads; undefined if this is the only node. */
  refresh(): Promise<void> | undefined {
    return this.#options.store.refresh?.();
  }

  /** Another node asked a question, or a person decided one there. */
  applyRemote(approval: Approval): void {
    if (approval.status === 'pending') this.emit('created', approval);
    else if (approval.status !== 'used') this.emit('decided', approval);
  }

  /** Stores a question and announces it, or returns an equal open one. Withdraws abandoned questions if there are too many. */
  async #add(approval: Approval, args: unknown): Promise<Approval> {
    const { store } = this.#options;
    // Seal the value that the call is sent with.
    const sealed = this.#options.seal(approval, JSON.stringify(args));
    for (;;) {
      try {
        const stored = await retryWhileBusy(() => store.add(approval, sealed));
        if (stored.id === approval.id) {
          this.emit('asked', approval);
          this.emit('created', approval);
        }
        return stored;
      } catch (thrown) {
        if (!(thrown instanceof BinderyError) || thrown.code !== 'TOO_MANY_APPROVALS') throw thrown;
        const abandoned = this.#waiting.evict(thrown.members.limit as PendingLimit, approval);
        if (abandoned === undefined) throw thrown;
        // If a person decided it in the meantime, the place is free as well.
        const withdrawn = (await retryWhileBusy(() => store.withdraw(abandoned))) ? store.find(abandoned) : undefined;
        if (withdrawn) this.emit('decided', withdrawn);
      }
    }
  }

  /** Asks in the client if possible, and waits for the first decision. */
  async #awaitDecision(call: AskedCall, key: ApprovalKey, pending: Approval): Promise<Approval> {
    const { client, request, judgement } = call;
    const { era } = client;
    const inClient = asksInClient(call, judgement);
    if (inClient && era === '2026') {
      const carried = this.#states.carried(request, key)?.approval;
      const sign = () => this.#states.sign(pending.id, key);
      await this.#decideFromClient(pending.id, client.caller, askByResult(call, pending, carried, sign));
    }
    const decided = new AbortController();
    const failed = new Promise<never>((_, reject) => {
      if (!inClient || era !== '2025') return;
      askInClient(call, pending, decided.signal)
        .then((decision) => this.#decideFromClient(pending.id, client.caller, decision))
        .catch(reject);
    });
    const waiting = this.#waiting.wait(call, pending, decided.signal, () => this.#current(pending));
    try {
      return this.#verdict(await Promise.race([waiting, failed]));
    } finally {
      decided.abort();
    }
  }

  async #decideFromClient(id: string, by: string, decision: ClientDecision | undefined): Promise<void> {
    if (!decision) return;
    try {
      await this.decide(id, { ...decision, by, via: 'client' });
    } catch (thrown) {
      // Another surface decided first: its decision holds.
      if (!(thrown instanceof BinderyError) || thrown.code !== 'APPROVAL_NOT_PENDING') throw thrown;
    }
  }

  /** The current state of a question; marks it as expired if its time is up. */
  async #current(pending: Approval): Promise<Approval> {
    const { store } = this.#options;
    if (store.statusOf(pending.id) === 'pending') {
      if (pending.expires_at > this.#now()) return pending;
      await this.expire();
    }
    return store.find(pending.id) ?? pending;
  }

  #verdict(approval: Approval): Approval {
    const { decided_by } = approval;
    const members = { approval_id: approval.id, ...(decided_by === null ? {} : { approver: decided_by }) };
    switch (approval.status) {
      case 'approved':
      case 'used':
        return approval;
      case 'denied':
        throw new BinderyError('APPROVAL_DENIED', {
          ...(approval.decision_reason ? { detail: approval.decision_reason } : {}),
          members,
        });
      case 'expired':
        throw new BinderyError('APPROVAL_EXPIRED', { members });
      case 'pending':
        throw new BinderyError('APPROVAL_PENDING', {
          detail: `A person has to approve this call: ${approval.id}${this.#hint(approval.id)}`,
          members,
        });
    }
  }

  #hint(id: string): string {
    const hint = this.#options.howToApprove?.(id);
    return hint === undefined ? '' : `. ${hint}`;
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}
