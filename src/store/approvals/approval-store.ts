import type { DatabaseSync } from 'node:sqlite';
import { DEFAULT_SURFACES, type Surface } from '../../contract/approval-surfaces.ts';
import {
  type Approval,
  type ApprovalDecision,
  type ApprovalFilter,
  type ApprovalKey,
  type ApprovalStatus,
  type GivenYes,
  type RememberedApproval,
  type RememberedKey,
  rememberedId,
  rememberedYes,
} from '../../gateway/approval/approval.ts';
import { type PendingQuestion, partyOf, refuseTooMany } from '../../gateway/approval/pending-limits.ts';
import { inTransaction } from '../in-transaction.ts';
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
    `
ALTER TABLE approvals ADD COLUMN sealed TEXT;
ALTER TABLE remembered_approvals ADD COLUMN via TEXT;
`,
    'ALTER TABLE approvals ADD COLUMN party TEXT',
    `
ALTER TABLE remembered_approvals ADD COLUMN approval_id TEXT;
ALTER TABLE remembered_approvals ADD COLUMN decided_by TEXT;
ALTER TABLE remembered_approvals ADD COLUMN decided_at TEXT;
`,
  ],
};

/** Approval requests, each used at most once. Every change of state is one conditional update. */
export class ApprovalStore {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    migrate(database, migrations);
  }

  /**
   * Stores a request, unless one for the same call is open already; returns the one that counts. `sealed` holds the exact arguments. Throws
   * `TOO_MANY_APPROVALS`.
   */
  add(approval: Approval, sealed: string): Approval {
    return inTransaction(this.#database, () => {
      const known = this.current(approval, approval.created_at);
      if (known) return known;
      const row = approvalRow(approval, sealed);
      refuseTooMany(this.pending(approval.created_at), pendingQuestion(row));
      const names = Object.keys(row);
      this.#database
        .prepare(`INSERT INTO approvals(${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
        .run(...Object.values(row));
      return approval;
    });
  }

  pending(now: string): PendingQuestion[] {
    const rows = this.#database
      .prepare(
        "SELECT id, caller, COALESCE(party, caller) AS party, octet_length(body) AS bytes FROM approvals WHERE status = 'pending' AND expires_at > ?",
      )
      .all(now);
    return rows as unknown as PendingQuestion[];
  }

  /** The exact arguments of a request, still encrypted; undefined if they were deleted. */
  sealed(id: string): string | undefined {
    const row = this.#database.prepare('SELECT sealed FROM approvals WHERE id = ?').get(id);
    return (row as { sealed: string | null } | undefined)?.sealed ?? undefined;
  }

  find(id: string): Approval | undefined {
    const row = this.#database.prepare('SELECT status, body FROM approvals WHERE id = ?').get(id) as Row | undefined;
    return row && toApproval(row);
  }

  /** Only the status: waiting calls poll often, and a request may be large. */
  statusOf(id: string): ApprovalStatus | undefined {
    const row = this.#database.prepare('SELECT status FROM approvals WHERE id = ?').get(id);
    return (row as Pick<Row, 'status'> | undefined)?.status;
  }

  /** The request for exactly this call that is pending, or approved and not yet used. */
  current(key: ApprovalKey, now: string): Approval | undefined {
    const row = this.#database
      .prepare(
        `SELECT status, body FROM approvals WHERE caller = ? AND profile = ? AND server = ? AND tool = ? AND arguments_sha256 = ?
         AND status IN ('pending', 'approved') AND expires_at > ? ORDER BY status, created_at LIMIT 1`,
      )
      .get(key.caller, key.profile, key.server, key.tool, key.arguments_sha256, now) as Row | undefined;
    return row && toApproval(row);
  }

  /** Pending requests first, then the others; each group oldest first. */
  list(filter: ApprovalFilter, limit: number, offset: number): Approval[] {
    const { where, values } = filtered(filter);
    const rows = this.#database
      .prepare(
        `SELECT status, body FROM approvals WHERE ${where}
         ORDER BY status <> 'pending', created_at, id LIMIT ${limit} OFFSET ${offset}`,
      )
      .all(...values);
    return (rows as unknown as Row[]).map(toApproval);
  }

  count(filter: ApprovalFilter): number {
    const { where, values } = filtered(filter);
    const row = this.#database.prepare(`SELECT COUNT(*) AS count FROM approvals WHERE ${where}`).get(...values);
    return (row as { count: number }).count;
  }

  /** The newest requests, in ascending order. */
  newest(limit: number): Approval[] {
    const rows = this.#database
      .prepare(`SELECT status, body FROM approvals ORDER BY created_at DESC, id DESC LIMIT ${limit}`)
      .all();
    return (rows as unknown as Row[]).map(toApproval).reverse();
  }

  pendingCount(): number {
    return this.count({ status: 'pending' });
  }

  /** pending → approved or denied, and remembers the approval if asked to; undefined if it is no longer pending. */
  decide(id: string, decision: ApprovalDecision, now: string): Approval | undefined {
    return inTransaction(this.#database, () => {
      const approval = this.find(id);
      if (!approval) return undefined;
      const decided = decidedApproval(approval, decision, now);
      const { changes } = this.#database
        .prepare(
          "UPDATE approvals SET status = ?, body = ?, sealed = IIF(? = 'approved', sealed, NULL) WHERE id = ? AND status = 'pending' AND expires_at > ?",
        )
        .run(decided.status, JSON.stringify(decided), decided.status, id, now);
      if (changes === 0) return undefined;
      const yes = rememberedYes(decided);
      if (yes) this.remember(decided, yes.scope, yes.given);
      return decided;
    });
  }

  /** approved → used: true for exactly one of several concurrent attempts. */
  use(id: string, now: string): boolean {
    const { changes } = this.#database
      .prepare(
        "UPDATE approvals SET status = 'used', sealed = NULL WHERE id = ? AND status = 'approved' AND expires_at > ?",
      )
      .run(id, now);
    return changes > 0;
  }

  /** Takes a further round of a call that was approved and sent: true for exactly one of several concurrent attempts. */
  useRound(id: string, round: number): boolean {
    const { changes } = this.#database
      .prepare("UPDATE approvals SET rounds = rounds + 1 WHERE id = ? AND status = 'used' AND rounds = ?")
      .run(id, round);
    return changes > 0;
  }

  /** How many further rounds a call had; undefined if it was not sent. */
  roundsOf(id: string): number | undefined {
    const row = this.#database.prepare("SELECT rounds FROM approvals WHERE id = ? AND status = 'used'").get(id);
    return (row as { rounds: number } | undefined)?.rounds;
  }

  /** Ids of pending or approved requests that have expired. */
  due(now: string): string[] {
    const rows = this.#database
      .prepare("SELECT id FROM approvals WHERE status IN ('pending', 'approved') AND expires_at <= ?")
      .all(now);
    return (rows as { id: string }[]).map(({ id }) => id);
  }

  /** pending or approved → expired, for requests past their deadline; returns their ids. */
  expire(now: string): string[] {
    const rows = this.#database
      .prepare(
        "UPDATE approvals SET status = 'expired', sealed = NULL WHERE status IN ('pending', 'approved') AND expires_at <= ? RETURNING id",
      )
      .all(now);
    return (rows as { id: string }[]).map(({ id }) => id);
  }

  /** pending → expired early: no call waits for the request, and its slot is needed. False if it is no longer pending. */
  withdraw(id: string): boolean {
    const { changes } = this.#database
      .prepare("UPDATE approvals SET status = 'expired', sealed = NULL WHERE id = ? AND status = 'pending'")
      .run(id);
    return changes > 0;
  }

  /** Purges expired remembered approvals, and decided requests older than `keptSince`. */
  reclaim(now: string, keptSince: string | undefined): void {
    this.#database.prepare('DELETE FROM remembered_approvals WHERE expires_at <= ?').run(now);
    if (keptSince === undefined) return;
    this.#database
      .prepare("DELETE FROM approvals WHERE status IN ('used', 'denied', 'expired') AND created_at < ?")
      .run(keptSince);
  }

  /** Remembers an approval for later calls of the same tool; `scope` is a session id or `always`. */
  remember(key: RememberedKey, scope: string, given: GivenYes): void {
    const row = rememberedRow(key, scope, given);
    const names = Object.keys(row);
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO remembered_approvals(${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      )
      .run(...Object.values(row));
  }

  /** A remembered approval that was given on one of these surfaces. One without a surface counts as given in the client. */
  remembered(
    key: RememberedKey,
    scopes: readonly string[],
    surfaces: readonly Surface[],
    now: string,
  ): RememberedApproval | undefined {
    const places = (values: readonly string[]) => values.map(() => '?').join(', ');
    const row = this.#database
      .prepare(
        `SELECT * FROM remembered_approvals WHERE caller = ? AND profile = ? AND server = ? AND tool = ?
         AND scope IN (${places(scopes)}) AND COALESCE(via, 'client') IN (${places(surfaces)}) AND expires_at > ?`,
      )
      .get(key.caller, key.profile, key.server, key.tool, ...scopes, ...surfaces, now);
    return row && toRemembered(row as unknown as RememberedRow);
  }

  /** All remembered approvals that have not expired, newest first. */
  allRemembered(now: string): RememberedApproval[] {
    const rows = this.#database
      .prepare('SELECT * FROM remembered_approvals WHERE expires_at > ? ORDER BY decided_at DESC, server, tool, caller')
      .all(now);
    return (rows as unknown as RememberedRow[]).map(toRemembered);
  }

  /** Deletes a remembered approval, and expires the approval that it came from if no call has used it. False if there is none with this id. */
  forget(id: string): boolean {
    return inTransaction(this.#database, () => {
      const found = this.allRemembered('').find((one) => one.id === id);
      if (!found) return false;
      const { caller, profile, server, tool, scope, approval_id } = found;
      this.#database
        .prepare(
          'DELETE FROM remembered_approvals WHERE caller = ? AND profile = ? AND server = ? AND tool = ? AND scope = ?',
        )
        .run(caller, profile, server, tool, scope);
      this.#database
        .prepare("UPDATE approvals SET status = 'expired', sealed = NULL WHERE id = ? AND status = 'approved'")
        .run(approval_id);
      return true;
    });
  }
}

type RememberedRow = Omit<RememberedApproval, 'id' | 'via'> & { readonly via: Surface | null };

/** The columns of a new remembered approval. */
export function rememberedRow({ caller, profile, server, tool }: RememberedKey, scope: string, given: GivenYes) {
  const { via, expires_at, approval_id = null, decided_by = null, decided_at = null } = given;
  return { caller, profile, server, tool, scope, via, expires_at, approval_id, decided_by, decided_at };
}

function toRemembered(row: RememberedRow): RememberedApproval {
  return { ...row, id: rememberedId(row, row.scope), via: row.via ?? 'client' };
}

/** The columns of a new request. */
export function approvalRow(approval: Approval, sealed: string) {
  const { id, status, caller, profile, server, tool, arguments_sha256, created_at, expires_at } = approval;
  const key = { id, status, caller, profile, server, tool, arguments_sha256, created_at, expires_at };
  return { ...key, party: partyOf(approval), body: JSON.stringify(approval), rounds: 0, sealed };
}

/** A row in the form that the limits count. */
export function pendingQuestion({
  id,
  caller,
  party,
  body,
}: Readonly<Record<keyof PendingColumns, unknown>>): PendingQuestion {
  return {
    id: String(id),
    caller: String(caller),
    party: String(party ?? caller),
    bytes: Buffer.byteLength(String(body)),
  };
}

type PendingColumns = Pick<ReturnType<typeof approvalRow>, 'id' | 'caller' | 'party' | 'body'>;

function filtered({ status, profiles }: ApprovalFilter): { readonly where: string; readonly values: string[] } {
  const [conditions, values]: [string[], string[]] = [['TRUE'], []];
  const add = (condition: string, value: string | undefined) => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  add('status = ?', status);
  add('profile IN (SELECT value FROM json_each(?))', profiles && JSON.stringify(profiles));
  return { where: conditions.join(' AND '), values };
}

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

/** Older versions did not store these members. */
type StoredApproval = Omit<Approval, 'masked' | 'surfaces'> & Partial<Pick<Approval, 'masked' | 'surfaces'>>;

interface Row {
  readonly status: ApprovalStatus;
  readonly body: string;
}

/** The column `status` wins over the body: the conditional updates change only the column. */
export function toApproval({ status, body }: Row): Approval {
  const stored = JSON.parse(body) as StoredApproval;
  return { ...stored, masked: stored.masked ?? [], surfaces: stored.surfaces ?? DEFAULT_SURFACES, status };
}
