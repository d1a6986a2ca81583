import type { DatabaseSync } from 'node:sqlite';
import type {
  Approval,
  ApprovalDecision,
  ApprovalFilter,
  ApprovalKey,
  ApprovalStatus,
} from '../../gateway/approval/approval.ts';
import { type Migrations, migrate } from '../migrate.ts';

const migrations: Migrations = {
  part: 'approvals',
  steps: [
    `
CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'used', 'denied', 'expired')),
  caller TEXT NOT NULL, profile TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL, arguments_sha256 TEXT NOT NULL,
  created_at TEXT NOT NULL, expires_at TEXT NOT NULL,
  body JSON NOT NULL
);
CREATE INDEX approvals_key ON approvals(server, tool, arguments_sha256, status);
CREATE INDEX approvals_status ON approvals(status, created_at);
CREATE TABLE remembered_approvals (
  caller TEXT NOT NULL, profile TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL, scope TEXT NOT NULL, expires_at TEXT NOT NULL,
  PRIMARY KEY (caller, profile, server, tool, scope)
);
`,
    'ALTER TABLE approvals ADD COLUMN rounds INTEGER NOT NULL DEFAULT 0',
  ],
};

/** Questions to people, each used at most once. Every change of state is one conditional update. */
export class ApprovalStore {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    migrate(database, migrations);
  }

  /** Gives the question that stands. */
  add(approval: Approval): Approval {
    const { id, status, caller, profile, server, tool, arguments_sha256, created_at, expires_at } = approval;
    this.#database
      .prepare(
        'INSERT INTO approvals(id, status, caller, profile, server, tool, arguments_sha256, created_at, expires_at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(
        id,
        status,
        caller,
        profile,
        server,
        tool,
        arguments_sha256,
        created_at,
        expires_at,
        JSON.stringify(approval),
      );
    return approval;
  }

  find(id: string): Approval | undefined {
    const row = this.#database.prepare('SELECT status, body FROM approvals WHERE id = ?').get(id) as
      | { status: ApprovalStatus; body: string }
      | undefined;
    return row && toApproval(row);
  }

  /** The question about this very call that is open or answered with yes and not used. */
  current(key: ApprovalKey, now: string): Approval | undefined {
    const row = this.#database
      .prepare(
        `SELECT status, body FROM approvals WHERE caller = ? AND profile = ? AND server = ? AND tool = ? AND arguments_sha256 = ?
         AND status IN ('pending', 'approved') AND expires_at > ? ORDER BY status, created_at LIMIT 1`,
      )
      .get(key.caller, key.profile, key.server, key.tool, key.arguments_sha256, now) as
      | { status: ApprovalStatus; body: string }
      | undefined;
    return row && toApproval(row);
  }

  /** Newest first. */
  list({ status, profiles }: ApprovalFilter, limit: number, offset: number): Approval[] {
    const [conditions, values]: [string[], string[]] = [['TRUE'], []];
    const add = (condition: string, value: string | undefined) => {
      if (value === undefined) return;
      conditions.push(condition);
      values.push(value);
    };
    add('status = ?', status);
    add('profile IN (SELECT value FROM json_each(?))', profiles && JSON.stringify(profiles));
    const rows = this.#database
      .prepare(
        `SELECT status, body FROM approvals WHERE ${conditions.join(' AND ')}
         ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`,
      )
      .all(...values);
    return rows.map((row) => toApproval(row as { status: ApprovalStatus; body: string }));
  }

  pendingCount(): number {
    return (
      this.#database.prepare("SELECT COUNT(*) AS count FROM approvals WHERE status = 'pending'").get() as {
        count: number;
      }
    ).count;
  }

  /** pending → approved or denied; undefined where it is not pending any more. */
  decide(id: string, decision: ApprovalDecision, now: string): Approval | undefined {
    const approval = this.find(id);
    if (!approval) return undefined;
    const decided = decidedApproval(approval, decision, now);
    const { changes } = this.#database
      .prepare("UPDATE approvals SET status = ?, body = ? WHERE id = ? AND status = 'pending' AND expires_at > ?")
      .run(decided.status, JSON.stringify(decided), id, now);
    return changes > 0 ? decided : undefined;
  }

  /** approved → used: true for exactly one of any number that try. */
  use(id: string, now: string): boolean {
    const { changes } = this.#database
      .prepare("UPDATE approvals SET status = 'used' WHERE id = ? AND status = 'approved' AND expires_at > ?")
      .run(id, now);
    return changes > 0;
  }

  /** A further round of a call that was approved and sent: true for exactly one of any number that try. */
  useRound(id: string, round: number): boolean {
    const { changes } = this.#database
      .prepare("UPDATE approvals SET rounds = rounds + 1 WHERE id = ? AND status = 'used' AND rounds = ?")
      .run(id, round);
    return changes > 0;
  }

  /** How many further rounds a call had; undefined where it was not sent. */
  roundsOf(id: string): number | undefined {
    const row = this.#database.prepare("SELECT rounds FROM approvals WHERE id = ? AND status = 'used'").get(id);
    return (row as { rounds: number } | undefined)?.rounds;
  }

  /** The ids of those whose time is up and that nobody let go of. */
  due(now: string): string[] {
    const rows = this.#database
      .prepare("SELECT id FROM approvals WHERE status IN ('pending', 'approved') AND expires_at <= ?")
      .all(now);
    return (rows as { id: string }[]).map(({ id }) => id);
  }

  /** pending or approved → expired, where the time is up; gives their ids. */
  expire(now: string): string[] {
    const rows = this.#database
      .prepare(
        "UPDATE approvals SET status = 'expired' WHERE status IN ('pending', 'approved') AND expires_at <= ? RETURNING id",
      )
      .all(now);
    return (rows as { id: string }[]).map(({ id }) => id);
  }

  /** Drops what is remembered and whose time is up, and questions that are settled and older than what is kept. */
  reclaim(now: string, keptSince: string | undefined): void {
    this.#database.prepare('DELETE FROM remembered_approvals WHERE expires_at <= ?').run(now);
    if (keptSince === undefined) return;
    this.#database
      .prepare("DELETE FROM approvals WHERE status IN ('used', 'denied', 'expired') AND created_at < ?")
      .run(keptSince);
  }

  /** Remembers a yes for later calls of the same tool; `scope` is a session, or `always`. */
  remember(key: Omit<ApprovalKey, 'arguments_sha256'>, scope: string, expiresAt: string): void {
    this.#database
      .prepare(
        'INSERT OR REPLACE INTO remembered_approvals(caller, profile, server, tool, scope, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run(key.caller, key.profile, key.server, key.tool, scope, expiresAt);
  }

  isRemembered(key: Omit<ApprovalKey, 'arguments_sha256'>, scopes: readonly string[], now: string): boolean {
    const row = this.#database
      .prepare(
        `SELECT 1 FROM remembered_approvals WHERE caller = ? AND profile = ? AND server = ? AND tool = ? AND scope IN (${scopes.map(() => '?').join(', ')}) AND expires_at > ?`,
      )
      .get(key.caller, key.profile, key.server, key.tool, ...scopes, now);
    return row !== undefined;
  }
}

/** A question with the answer that a person gave. */
export function decidedApproval(approval: Approval, decision: ApprovalDecision, now: string): Approval {
  return {
    ...approval,
    status: decision.decision === 'approve' ? 'approved' : 'denied',
    decided_at: now,
    decided_by: decision.by,
    decided_via: decision.via,
    decision_reason: decision.reason ?? null,
    remember: decision.remember ?? 'none',
  };
}

/** The column is what counts for the status: it is what the conditional updates change. */
function toApproval({ status, body }: { status: ApprovalStatus; body: string }): Approval {
  return { ...(JSON.parse(body) as Approval), status };
}
