import { DatabaseSync } from 'node:sqlite';
import type { Surface } from '../../contract/approval-surfaces.ts';
import { Cancellation } from '../../contract/cancellation.ts';
import type { BinderyError } from '../../contract/errors.ts';
import type { Approval, ApprovalDecision } from '../../gateway/approval/approval.ts';
import type { Remember } from '../../gateway/policy/policy-document.ts';
import { ApprovalStore } from '../../store/approvals/approval-store.ts';
import { ApprovalGate } from '../approvals/approval-gate.ts';
import { type ApprovalGateOptions, type ApprovedCall, InputRequired } from '../approvals/approval-ports.ts';
import type { ClientRequest } from '../message/client.ts';

export const KEYS = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
/** Far more tries than any test needs: an endless loop fails here. */
const ATTEMPTS_MAX = 100_000;

/** A call that a test asks about; omitted members have default values. */
export interface AskedAbout {
  readonly caller?: string;
  readonly profile?: string;
  readonly session?: string | undefined;
  readonly info?: { readonly name: string; readonly version: string } | undefined;
  readonly era?: '2025' | '2026';
  readonly capabilities?: object;
  readonly server?: string;
  readonly tool?: string;
  /** The parameters besides the name. */
  readonly params?: Readonly<Record<string, unknown>>;
  readonly remember?: Remember;
  readonly surfaces?: readonly Surface[];
  /** The size of the request. */
  readonly bytes?: number;
}

/** A question to the client, and its scripted answer. */
export interface ClientQuestion {
  readonly params: object;
  readonly signal: AbortSignal;
  answer(result: object): void;
  fail(): void;
}

/** One call at the gate: its outcome, and the messages to its client. */
export class TestCall {
  readonly signal = new Cancellation();
  readonly leaving = new Cancellation();
  readonly sent: { readonly method: string; readonly params: object }[] = [];
  readonly asked: ClientQuestion[] = [];
  /** The outcome; `waits` while there is none. */
  outcome = 'waits';
  approved: ApprovedCall | undefined;
  error: BinderyError | undefined;
  input: InputRequired | undefined;

  readonly exchange = {
    signal: this.signal,
    left: () => this.leaving,
    setHeader() {},
    send: (bytes: Uint8Array) => void this.sent.push(JSON.parse(Buffer.from(bytes).toString())),
    ask: (_method: string, params: object, signal: AbortSignal) =>
      new Promise<object>((resolve, reject) => {
        this.asked.push({ params, signal, answer: resolve, fail: () => reject(new Error('gone')) });
      }),
  };
}

/** An approval gate over a real in-memory store. Records every access of the gate to the store. */
export class TestApprovals {
  readonly database = new DatabaseSync(':memory:');
  readonly store = new ApprovalStore(this.database);
  /** `name id` of each attempted change. */
  readonly attempts: string[] = [];
  /** Replaces one method of the store. */
  readonly instead: Partial<Record<keyof ApprovalStore | 'refresh', (...args: never[]) => unknown>> = {};
  readonly created: string[] = [];
  readonly decided: string[] = [];
  readonly gate: ApprovalGate;
  #ids = 0;

  constructor(options: Partial<ApprovalGateOptions> = {}) {
    this.gate = new ApprovalGate({
      store: this.#recordingStore(),
      clock: { now: Date.now },
      keys: KEYS,
      redactor: { of: () => ({ known: (text) => text }) },
      seal: (_approval, text) => `sealed ${text}`,
      settings: () => ({ expires_ms: 600_000, wait_ms: 50_000 }),
      newApprovalId: () => {
        this.#ids += 1;
        return `apr_${this.#ids}`;
      },
      ...options,
    });
    this.gate.on('created', ({ id }) => this.created.push(id));
    this.gate.on('decided', ({ id, status }) => this.decided.push(`${id} ${status}`));
  }

  /** How many question ids were created. */
  get ids(): number {
    return this.#ids;
  }

  /** Asks about a call, and uses its approval at once if there is one. */
  call(asked: AskedAbout = {}, uses = true): TestCall {
    const call = new TestCall();
    const finish = async (approved: ApprovedCall) => {
      call.approved = approved;
      if (approved.isRemembered) return 'remembered';
      if (!uses) return 'approved';
      return (await approved.use()) ? `used ${approved.approval.id}` : 'used by another';
    };
    this.gate
      .approve({ ...callOf(asked), exchange: call.exchange } as never)
      .then(finish)
      .then(
        (outcome) => {
          call.outcome = outcome;
        },
        (thrown: BinderyError | InputRequired) => {
          if (thrown instanceof InputRequired) {
            call.input = thrown;
            call.outcome = `asked ${thrown.approvalId}`;
          } else {
            call.error = thrown as BinderyError;
            call.outcome = typeof call.error.code === 'string' ? call.error.code : thrown.message;
          }
        },
      );
    return call;
  }

  decide(id: string, decision: 'approve' | 'deny', more: Partial<ApprovalDecision> = {}): Promise<Approval> {
    return this.gate.decide(id, { decision, by: 'ada', via: 'console', ...more });
  }

  #recordingStore(): ApprovalGateOptions['store'] {
    const { store, instead, attempts } = this;
    return new Proxy(store, {
      get: (_target, name: keyof ApprovalStore) => {
        const given = instead[name];
        if (!given && typeof store[name] !== 'function') return undefined;
        return (...args: never[]) => {
          if (attempts.push(`${name} ${(args[0] as { id?: string } | undefined)?.id ?? args[0]}`) > ATTEMPTS_MAX)
            throw new Error('the store is asked without end');
          return given ? given(...args) : (store[name] as (...all: never[]) => unknown)(...args);
        };
      },
    }) as ApprovalGateOptions['store'];
  }
}

function callOf(asked: AskedAbout) {
  const { caller = 'key:1', profile = 'default', era = '2025', server = 's', tool = 't' } = asked;
  const { remember = 'never', surfaces = ['console', 'cli'], capabilities = {} } = asked;
  const { params = { arguments: { x: 1 } }, bytes = 100 } = asked;
  const session = 'session' in asked ? asked.session : 'session-1';
  const info = 'info' in asked ? asked.info : { name: 'agent', version: '1' };
  const rule = { reason: 'a rule', file: 'p.json', line: 3, pointer: '/a' };
  return {
    client: { era, caller, profile, session, info, capabilities, key: session ?? caller },
    request: {
      id: 1,
      method: 'tools/call',
      bytes: { length: bytes },
      params: { name: `${server}__${tool}`, ...params },
    },
    target: { kind: 'call', server, tool, name: `${server}__${tool}`, rewrite: {} },
    judgement: { decision: { decision: 'approval', ...rule }, remember, surfaces, judgesArguments: true },
    callId: 'call-1',
  };
}

/** A request with these parameters, as the gate reads it. */
export function requestWith(params: Readonly<Record<string, unknown>>): ClientRequest {
  return { id: 7, method: 'tools/call', params, bytes: Buffer.from('as it came') } as unknown as ClientRequest;
}
