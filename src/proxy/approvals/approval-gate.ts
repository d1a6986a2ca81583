import { EventEmitter } from 'node:events';
import { abortSignalOf } from '../../contract/cancellation.ts';
import { BinderyError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { shownArguments } from '../../contract/shown-arguments.ts';
import { visibleLine } from '../../contract/visible-text.ts';
import {
  type Approval,
  type ApprovalDecision,
  type ApprovalKey,
  approvalForm,
  argumentsSha256,
  decisionFromClient,
  notPending,
  rememberedScopes,
  sessionScope,
  shownText,
} from '../../gateway/approval/approval.ts';
import { isCounted, type PendingLimit, partyOf } from '../../gateway/approval/pending-limits.ts';
import { type ApprovalState, isOurState, readState, signState } from '../../gateway/approval/request-state.ts';
import type { Judgement } from '../../gateway/policy/decide.ts';
import { encodeNotification } from '../../wire/messages.ts';
import { isAskable } from '../../wire/server-question.ts';
import type { JudgedCall } from '../call/client-call.ts';
import { progressTokenOf } from '../call/progress.ts';
import { PROXY_LIMITS } from '../limits.ts';
import type { Client, ClientRequest, Exchange } from '../message/client.ts';
import { readClientMessage } from '../message/client-message.ts';
import { type ApprovalEvents, changesOf } from './approval-changes.ts';
import type { ApprovalGateOptions, Settled } from './approval-ports.ts';
import { AskedQuestions } from './asked-questions.ts';
import { retryWhileBusy } from './retry-while-busy.ts';

/** A call that a person is asked about. */
export type AskedCall = Omit<JudgedCall, 'startedMs'>;

/** A call that a person approved. `use` is true once, and for a remembered yes as long as it counts. */
export interface ApprovedCall {
  /** The id is null where a yes is remembered by an older version, which did not keep it. */
  readonly approval: Pick<Approval, 'decided_by' | 'decided_via'> & { readonly id: string | null };
  /** The yes was given to an earlier call, for any arguments. */
  readonly isRemembered: boolean;
  use(): Settled<boolean>;
  /** The state under which further rounds of the same call come back. */
  wrapState(upstream: string): string;
}

/** The client has to be asked by a result: revision 2026-07-28 has no questions to clients. */
export class InputRequired extends Error {
  readonly result: JsonObject;
  /** The approval that is asked for, where one is. */
  readonly approvalId: string | undefined;

  constructor(result: JsonObject, approvalId?: string) {
    super('input required');
    this.name = 'InputRequired';
    this.result = result;
    this.approvalId = approvalId;
  }
}

interface Asking {
  readonly client: Client;
  readonly request: ClientRequest;
  readonly exchange: Exchange;
  readonly judgement: Judgement;
  readonly key: ApprovalKey;
}

const FAR_FUTURE = '9999-12-31T23:59:59.999Z';
const STATE_KEY = 'bindery_approval';

/** Asks people about calls and lets each approved call pass once. */
export class ApprovalGate extends EventEmitter<ApprovalEvents> {
  readonly #options: ApprovalGateOptions;
  readonly #asked = new AskedQuestions();
  #waiting = 0;
  #waitingBytes = 0;
  #isEnding = false;

  constructor(options: ApprovalGateOptions) {
    super();
    this.setMaxListeners(0);
    this.#options = options;
    this.on('decided', ({ id }) => this.#asked.remove(id));
  }

  /** Calls that wait for a person. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Ends the wait of all calls: their clients get APPROVAL_PENDING, and the questions stay open. */
  stopWaiting(): void {
    this.#isEnding = true;
    this.emit('ending');
  }

  /** Resolves when the call may be sent. */
  async approve(call: AskedCall): Promise<ApprovedCall> {
    const { client, request, exchange, target, judgement } = call;
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
    const carried = this.#carriedState(request, key);
    const earlier = carried?.upstream === undefined ? undefined : this.#options.store.find(carried.approval);
    if (earlier) return this.#furtherRound(earlier, key, carried?.round ?? 0);
    await this.#refuseDecided(carried);
    const pending = this.#options.store.current(key, this.#now()) ?? (await this.#create(call, key));
    const approval =
      pending.status === 'approved'
        ? pending
        : await this.#awaitDecision({ client, request, exchange, judgement, key }, pending);
    if (approval.remember !== 'none') await this.#remember(approval, key);
    return {
      approval,
      isRemembered: false,
      use: () => retryWhileBusy(() => this.#options.store.use(approval.id, this.#now())),
      wrapState: (upstream) => this.#sign(approval.id, key, { upstream, round: 0 }),
    };
  }

  /** The yes of an earlier call that covers this one too. It may be revoked until the call is sent. */
  #remembered({ client, judgement }: AskedCall, key: ApprovalKey): ApprovedCall | undefined {
    const asker = { ...key, session: client.session ?? null, client: client.info ?? null };
    const scopes = rememberedScopes(asker, judgement.remember);
    const find = () => this.#options.store.remembered(key, scopes, judgement.surfaces, this.#now());
    const found = find();
    return (
      found && {
        approval: { id: found.approval_id, decided_by: found.decided_by, decided_via: found.via },
        isRemembered: true,
        use: () => find() !== undefined,
        wrapState: (upstream) => upstream,
      }
    );
  }

  /** A client that returns with a denied or expired question does not ask it again. */
  async #refuseDecided(carried: ApprovalState | undefined): Promise<void> {
    const asked = carried && this.#options.store.find(carried.approval);
    const now = asked && (await this.#current(asked));
    if (now?.status === 'denied' || now?.status === 'expired') this.#verdict(now);
  }

  /** A further round of an approved call: it needs no second approval, and no round is sent twice. */
  #furtherRound(approval: Approval, key: ApprovalKey, round: number): ApprovedCall {
    const { store } = this.#options;
    if (store.roundsOf(approval.id) !== round)
      throw new BinderyError('APPROVAL_MISMATCH', { members: { approval_id: approval.id } });
    return {
      approval,
      isRemembered: false,
      use: () => retryWhileBusy(() => store.useRound(approval.id, round)),
      wrapState: (upstream) => this.#sign(approval.id, key, { upstream, round: round + 1 }),
    };
  }

  /** The request as its server may see it: our state and our question taken out, its own state put back. */
  unwrap(request: ClientRequest): ClientRequest {
    const { params } = request;
    if (!isOurState(params?.requestState)) return request;
    const { requestState, inputResponses, ...rest } = params;
    const upstream = readState(requestState as string, this.#options.keys)?.upstream;
    const { [STATE_KEY]: _ours, ...responses } = isObject(inputResponses) ? inputResponses : {};
    const theirs = {
      ...rest,
      ...(Object.keys(responses).length > 0 ? { inputResponses: responses } : {}),
      ...(upstream ? { requestState: upstream } : {}),
    };
    const bytes = Buffer.from(
      JSON.stringify({ jsonrpc: '2.0', id: request.id, method: request.method, params: theirs }),
    );
    return readClientMessage(bytes) as ClientRequest;
  }

  /** Takes a person's decision. Throws `APPROVAL_NOT_PENDING` where it comes too late. */
  async decide(id: string, decision: ApprovalDecision): Promise<Approval> {
    const decided = await retryWhileBusy(() => this.#options.store.decide(id, decision, this.#now()));
    if (!decided) throw notPending(this.#options.store.find(id));
    this.emit('decided', decided);
    return decided;
  }

  /** Revokes a remembered yes; false where there is none with this id. */
  forget(id: string): Promise<boolean> {
    return retryWhileBusy(() => this.#options.store.forget(id));
  }

  /** Whether a call waits for this question now; undefined where it may wait at another node. */
  isAwaited(id: string): boolean | undefined {
    return this.#asked.isAwaited(id) || (this.#options.store.refresh ? undefined : false);
  }

  /** Lets go of questions whose time is up. */
  async expire(): Promise<void> {
    for (const id of await retryWhileBusy(() => this.#options.store.expire(this.#now()))) {
      const approval = this.#options.store.find(id);
      if (approval) this.emit('decided', approval);
    }
  }

  /** A client's session is over: its questions give their places away where places are needed. */
  endSession(session: string): void {
    this.#asked.endSession(session);
  }

  /** Has reads know what other nodes have decided; undefined where there are none. */
  refresh(): Promise<void> | undefined {
    return this.#options.store.refresh?.();
  }

  /** Another node asked, or a person decided there. */
  heard(approval: Approval): void {
    if (approval.status === 'pending') this.emit('created', approval);
    else if (approval.status !== 'used') this.emit('decided', approval);
  }

  async #create({ client, request, target, judgement, callId }: AskedCall, key: ApprovalKey): Promise<Approval> {
    const args = request.params?.arguments ?? {};
    const now = this.#options.clock.now();
    const { decision } = judgement;
    const redactor = this.#options.redactor.of(target.server);
    const { value, masked, cut } = shownArguments(args, (text) => redactor.known(text), redactor.keep);
    const described = {
      id: this.#options.newApprovalId(),
      status: 'pending' as const,
      server: target.server,
      tool: target.tool,
      name: target.name,
      arguments: value,
      masked,
      ...(cut.length > 0 ? { cut } : {}),
      arguments_sha256: key.arguments_sha256,
      reason: decision.reason,
    };
    const approval: Approval = {
      ...described,
      rule: { file: decision.file, line: decision.line, pointer: decision.pointer },
      caller: client.caller,
      profile: client.profile,
      session: client.session ?? null,
      client: client.info ? { name: visibleLine(client.info.name), version: visibleLine(client.info.version) } : null,
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + this.#options.settings().expires_ms).toISOString(),
      decided_at: null,
      decided_by: null,
      decided_via: null,
      decision_reason: null,
      remember: 'none',
      remember_allowed: judgement.remember,
      surfaces: judgement.surfaces,
      shown: shownText(described),
      call_id: callId,
    };
    // What is sent is made of the same value.
    const stands = await this.#add(approval, this.#options.seal(approval, JSON.stringify(args)));
    if (stands.id === approval.id) {
      this.emit('asked', approval);
      this.emit('created', approval);
    }
    return stands;
  }

  /** Questions whose clients have left count only as long as no place is needed: who still waits comes first. */
  async #add(approval: Approval, sealed: string): Promise<Approval> {
    const { store } = this.#options;
    const asked = { caller: approval.caller, party: partyOf(approval) };
    for (;;) {
      try {
        return await retryWhileBusy(() => store.add(approval, sealed));
      } catch (thrown) {
        if (!(thrown instanceof BinderyError) || thrown.code !== 'TOO_MANY_APPROVALS') throw thrown;
        const limit = thrown.members.limit as PendingLimit;
        const oldest = this.#asked.left().find((question) => isCounted(limit, question, asked));
        if (!oldest) throw thrown;
        // A decision made meanwhile has freed the place as well.
        this.#asked.remove(oldest.id);
        const withdrawn = (await retryWhileBusy(() => store.withdraw(oldest.id))) ? store.find(oldest.id) : undefined;
        if (withdrawn) this.emit('decided', withdrawn);
      }
    }
  }

  /** Asks in the client if it can be asked, and waits for the first decision. */
  async #awaitDecision(asking: Asking, pending: Approval): Promise<Approval> {
    const { client, judgement } = asking;
    const inClient = judgement.surfaces.includes('client') && isAskable(client, 'elicitation/create');
    if (inClient && client.era === '2026') await this.#askByResult(asking, pending);
    const decided = new AbortController();
    const failed = new Promise<never>((_, reject) => {
      if (inClient && client.era === '2025') this.#askInClient(asking, pending, decided.signal).catch(reject);
    });
    try {
      return this.#verdict(await Promise.race([this.#wait(asking, pending, decided.signal), failed]));
    } finally {
      decided.abort();
    }
  }

  async #askInClient({ client, exchange, judgement }: Asking, pending: Approval, until: AbortSignal): Promise<void> {
    const params = { message: pending.shown, requestedSchema: approvalForm(judgement.remember) };
    // An answer that is no decision leaves the question open for other surfaces.
    const answer = await exchange
      .ask('elicitation/create', params, AbortSignal.any([until, abortSignalOf(exchange.signal)]))
      .catch(() => undefined);
    const decision = answer && decisionFromClient(answer, judgement.remember);
    if (decision) await this.#decideFromClient(pending.id, decision, client);
  }

  /** Takes the answer that a retry carries, or gives the question as a result. */
  async #askByResult({ client, request, judgement, key }: Asking, pending: Approval): Promise<void> {
    const responses = request.params?.inputResponses;
    const answer = isObject(responses) ? responses[STATE_KEY] : undefined;
    // An answer counts for the question that it was given to: an old yes does not answer a new question.
    if (isObject(answer) && this.#carriedState(request, key)?.approval === pending.id) {
      const decision = decisionFromClient(isObject(answer.result) ? answer.result : answer, judgement.remember);
      if (decision) await this.#decideFromClient(pending.id, decision, client);
      return;
    }
    const params = { mode: 'form', message: pending.shown, requestedSchema: approvalForm(judgement.remember) };
    const result = {
      resultType: 'input_required',
      inputRequests: { [STATE_KEY]: { method: 'elicitation/create', params } },
      requestState: this.#sign(pending.id, key),
    };
    throw new InputRequired(result, pending.id);
  }

  async #decideFromClient(id: string, decision: Omit<ApprovalDecision, 'by' | 'via'>, client: Client): Promise<void> {
    try {
      await this.decide(id, { ...decision, by: client.caller, via: 'client' });
    } catch (thrown) {
      // Decided elsewhere meanwhile: that decision holds.
      if (!(thrown instanceof BinderyError) || thrown.code !== 'APPROVAL_NOT_PENDING') throw thrown;
    }
  }

  async #wait({ request, exchange }: Asking, pending: Approval, until: AbortSignal): Promise<Approval> {
    const deadline = this.#options.clock.now() + this.#options.settings().wait_ms;
    const token = progressTokenOf(request);
    let told = this.#options.clock.now();
    if (!this.#hasRoomFor(request)) return this.#current(pending);
    const left = exchange.left();
    const change = changesOf(this, pending.id, [exchange.signal, left]);
    this.#asked.begin(pending);
    this.#waiting += 1;
    this.#waitingBytes += request.bytes.length;
    try {
      for (let step = 1; ; step += 1) {
        const found = await this.#current(pending);
        exchange.signal.throwIfAborted();
        const isOver = this.#isEnding || left.aborted || this.#options.clock.now() >= deadline;
        if (found.status !== 'pending' || isOver) return found;
        until.throwIfAborted();
        await change.next();
        if (token !== undefined && this.#options.clock.now() - told >= PROXY_LIMITS.approvalProgressEveryMs) {
          told = this.#options.clock.now();
          const params = { progressToken: token, progress: step, message: `waiting for approval: ${pending.id}` };
          exchange.send(encodeNotification({ method: 'notifications/progress', params }));
        }
      }
    } finally {
      this.#asked.end(pending.id, left.aborted || exchange.signal.aborted);
      this.#waiting -= 1;
      this.#waitingBytes -= request.bytes.length;
      change.end();
    }
  }

  #hasRoomFor({ bytes }: ClientRequest): boolean {
    const { approvalWaitingMax, approvalWaitingBytesMax } = PROXY_LIMITS;
    return this.#waiting < approvalWaitingMax && this.#waitingBytes + bytes.length <= approvalWaitingBytesMax;
  }

  /** The current state of a question; an expired one is removed. */
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

  #carriedState(request: ClientRequest, key: ApprovalKey): ApprovalState | undefined {
    const text = request.params?.requestState;
    if (!isOurState(text)) return undefined;
    const state = readState(text, this.#options.keys);
    const same =
      state &&
      state.caller === key.caller &&
      state.profile === key.profile &&
      state.server === key.server &&
      state.tool === key.tool &&
      state.arguments_sha256 === key.arguments_sha256;
    if (!same) throw new BinderyError('APPROVAL_MISMATCH', { members: state ? { approval_id: state.approval } : {} });
    return state;
  }

  /** Remembers for the session that the question showed, even if others waited for the same answer. */
  async #remember(approval: Approval, key: ApprovalKey): Promise<void> {
    const forSession = approval.remember === 'session';
    const until = forSession
      ? new Date(this.#options.clock.now() + PROXY_LIMITS.approvalSessionMs).toISOString()
      : FAR_FUTURE;
    // Where it was given counts each time: a surface that is not allowed any more opens nothing.
    const via = approval.decided_via ?? 'client';
    const scope = forSession ? sessionScope(approval) : 'always';
    const { id: approval_id, decided_by, decided_at } = approval;
    const given = { via, expires_at: until, approval_id, decided_by, decided_at };
    await retryWhileBusy(() => this.#options.store.remember(key, scope, given));
  }

  #sign(approval: string, key: ApprovalKey, asked: Pick<ApprovalState, 'upstream' | 'round'> = {}): string {
    return signState({ approval, ...key, ...asked }, this.#options.keys[0] as Uint8Array);
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}
