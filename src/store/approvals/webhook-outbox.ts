import type { DatabaseSync } from 'node:sqlite';
import { STORE_LIMITS } from '../limits.ts';
import { type Migrations, migrate } from '../migrate.ts';

const migrations: Migrations = {
  part: 'webhooks',
  steps: [
    `
CREATE TABLE webhook_outbox (
  approval_id TEXT NOT NULL, url TEXT NOT NULL, body TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0, due_at INTEGER NOT NULL, expires_at TEXT NOT NULL,
  PRIMARY KEY (approval_id, url)
);
CREATE INDEX webhook_outbox_due ON webhook_outbox(due_at);
`,
  ],
};

/** A webhook message that was not delivered yet. */
export interface Delivery {
  readonly approval_id: string;
  readonly url: string;
  readonly body: string;
  readonly attempts: number;
}

/** Webhook messages that wait for delivery; they survive a restart. */
export class WebhookOutbox {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    migrate(database, migrations);
  }

  /** False if the outbox is full. */
  add(message: Omit<Delivery, 'attempts'>, expiresAt: string, nowMs: number): boolean {
    const { waiting } = this.#database.prepare('SELECT COUNT(*) AS waiting FROM webhook_outbox').get() as {
      waiting: number;
    };
    if (waiting >= STORE_LIMITS.webhookOutboxMax) return false;
    this.#database
      .prepare(
        'INSERT OR IGNORE INTO webhook_outbox(approval_id, url, body, due_at, expires_at) VALUES (?, ?, ?, ?, ?)',
      )
      .run(message.approval_id, message.url, message.body, nowMs, expiresAt);
    return true;
  }

  /** The delivery that is due first. Messages about expired or decided approvals are removed. */
  next(nowMs: number): Delivery | undefined {
    this.#database
      .prepare(
        `DELETE FROM webhook_outbox WHERE expires_at <= ? OR EXISTS (
           SELECT 1 FROM approvals WHERE id = approval_id AND status <> 'pending')`,
      )
      .run(new Date(nowMs).toISOString());
    const row = this.#database
      .prepare(
        'SELECT approval_id, url, body, attempts FROM webhook_outbox WHERE due_at <= ? ORDER BY due_at, approval_id LIMIT 1',
      )
      .get(nowMs);
    return row && ({ ...row } as unknown as Delivery);
  }

  /** When the next delivery is due; undefined if the outbox is empty. */
  nextDueMs(): number | undefined {
    const row = this.#database.prepare('SELECT MIN(due_at) AS due FROM webhook_outbox').get() as { due: number | null };
    return row.due ?? undefined;
  }

  retry({ approval_id, url, attempts }: Delivery, dueMs: number): void {
    this.#database
      .prepare('UPDATE webhook_outbox SET attempts = ?, due_at = ? WHERE approval_id = ? AND url = ?')
      .run(attempts + 1, dueMs, approval_id, url);
  }

  remove({ approval_id, url }: Delivery): void {
    this.#database.prepare('DELETE FROM webhook_outbox WHERE approval_id = ? AND url = ?').run(approval_id, url);
  }
}
