import { dirname, resolve } from 'node:path';
import type { Dispatcher } from 'undici';
import type { Clock, Log } from '../../contract/ports.ts';
import { readSuppliedFile } from '../../files/read-supplied-file.ts';
import type { Approval } from '../../gateway/approval/approval.ts';
import { approvalCreatedBody, webhookHeaders } from '../../gateway/approval/webhook-message.ts';
import type { ApprovalWebhook } from '../../host/config/approval-webhooks.ts';
import { createPublicAgent } from '../../host/transports/public-agent.ts';
import { lateLibrary } from '../../libraries/late-library.ts';
import type { ApprovalGate } from '../../proxy/approvals/approval-gate.ts';
import type { Delivery, WebhookOutbox } from '../../store/approvals/webhook-outbox.ts';
import { UP_LIMITS } from '../limits.ts';

const undici = lateLibrary<typeof import('undici')>('undici');

/** HTTP statuses after which the delivery is retried. */
const RETRIED = new Set([408, 425, 429]);

export interface ApprovalWebhooksOptions {
  readonly outbox: WebhookOutbox;
  /** The webhooks of the current config. */
  webhooks(): readonly ApprovalWebhook[];
  /** Arguments of a call to a server, masked as in the audit log. */
  masked(server: string, args: unknown): unknown;
  readonly configFile: string;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
}

/** Why a delivery failed, and whether a retry makes sense. */
interface Problem {
  readonly reason: string;
  readonly isFinal: boolean;
}

/**
 * Posts to webhooks when calls wait for a person. Only the node that asked delivers, so each question is posted once, however many
 * nodes run. Undelivered messages stay in the outbox, across restarts, until the question is decided or expires.
 */
export class ApprovalWebhooks {
  readonly #options: ApprovalWebhooksOptions;
  readonly #closing = new AbortController();
  #publicAgent: Dispatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(options: ApprovalWebhooksOptions) {
    this.#options = options;
  }

  /** Delivers messages that an earlier process left, and those of new questions. */
  start(approvals: Pick<ApprovalGate, 'on'>): void {
    approvals.on('asked', (approval) => this.#created(approval));
    this.#wake(0);
  }

  /** Puts a question of this node into the outbox. A failure here must not fail the call: the question is open anyway. */
  #created(approval: Approval): void {
    const webhooks = this.#options.webhooks();
    if (webhooks.length === 0) return;
    const { outbox, clock, log, masked } = this.#options;
    const { id: approval_id, expires_at } = approval;
    const body = approvalCreatedBody(approval, masked(approval.server, approval.arguments));
    try {
      for (const { url } of webhooks)
        if (!outbox.add({ approval_id, url, body }, expires_at, clock.now()))
          log.warn('an approval webhook was dropped: too many deliveries wait', { approval: approval_id });
    } catch (error) {
      log.error('an approval webhook could not be queued', { approval: approval_id, error });
    }
    this.#wake(0);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#running;
    await this.#publicAgent?.destroy();
  }

  #wake(afterMs: number): void {
    if (this.#closing.signal.aborted || this.#running) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#running = this.#deliverDue()
        .catch((error: unknown) =>
          this.#options.log.error('approval webhooks are delayed: the outbox cannot be read', { error }),
        )
        .finally(() => {
          this.#running = undefined;
          this.#sleep();
        });
    }, afterMs).unref();
  }

  #sleep(): void {
    try {
      const due = this.#options.outbox.nextDueMs();
      if (due !== undefined) this.#wake(Math.max(0, due - this.#options.clock.now()));
    } catch {
      // The failure was logged above; try again later.
      this.#wake(UP_LIMITS.webhookRetryMaxMs);
    }
  }

  async #deliverDue(): Promise<void> {
    const { outbox, clock, log } = this.#options;
    while (!this.#closing.signal.aborted) {
      const delivery = outbox.next(clock.now());
      if (!delivery) return;
      const problem = await this.#deliver(delivery);
      if (this.#closing.signal.aborted) return;
      if (problem === undefined || problem.isFinal) outbox.remove(delivery);
      else outbox.retry(delivery, clock.now() + pauseMs(delivery.attempts));
      if (problem && (problem.isFinal || delivery.attempts === 0))
        log.warn(problem.isFinal ? 'an approval webhook was dropped' : 'an approval webhook failed; it is retried', {
          approval: delivery.approval_id,
          url: delivery.url,
          reason: problem.reason,
        });
    }
  }

  async #deliver({ approval_id, url, body }: Delivery): Promise<Problem | undefined> {
    const webhook = this.#options.webhooks().find((one) => one.url === url);
    if (!webhook) return { reason: 'it is no longer configured', isFinal: true };
    try {
      const secret = await this.#secretOf(webhook);
      if (secret === undefined) return { reason: 'its secret cannot be read', isFinal: false };
      const response = await undici().request(url, {
        method: 'POST',
        headers: webhookHeaders(approval_id, body, secret, this.#options.clock.now()),
        body,
        dispatcher: this.#dispatcherFor(webhook),
        signal: AbortSignal.any([AbortSignal.timeout(UP_LIMITS.webhookTimeoutMs), this.#closing.signal]),
      });
      // Only the status matters. Destroying an unread body emits an error, which is ignored.
      response.body.on('error', () => {}).destroy();
      const { statusCode } = response;
      if (statusCode >= 200 && statusCode < 300) return undefined;
      return { reason: `it answered ${statusCode}`, isFinal: statusCode < 500 && !RETRIED.has(statusCode) };
    } catch (thrown) {
      const { code, message } = thrown as NodeJS.ErrnoException;
      return { reason: message, isFinal: code === 'HOST_NOT_PUBLIC' };
    }
  }

  async #secretOf({ secret_env, secret_file }: ApprovalWebhook): Promise<string | undefined> {
    const { env, configFile } = this.#options;
    if (secret_env !== undefined) return env[secret_env] || undefined;
    if (secret_file === undefined) return undefined;
    const path = resolve(dirname(configFile), secret_file);
    const text = await readSuppliedFile({ path, bytesMax: UP_LIMITS.webhookSecretBytesMax });
    return text?.toString('utf8').trim() || undefined;
  }

  #dispatcherFor({ allow_private }: ApprovalWebhook): Dispatcher {
    if (allow_private) return undici().getGlobalDispatcher();
    this.#publicAgent ??= createPublicAgent({ answerTimeoutMs: UP_LIMITS.webhookTimeoutMs });
    return this.#publicAgent;
  }
}

/** Exponential backoff with jitter, so that deliveries to one receiver do not all retry at once. */
function pauseMs(attempts: number): number {
  const base = Math.min(UP_LIMITS.webhookRetryFirstMs * 2 ** attempts, UP_LIMITS.webhookRetryMaxMs);
  return Math.round(base * (0.5 + Math.random() / 2));
}
