import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import type { Clock, Log } from '../../contract/ports.ts';
import type { HeldCalls } from '../../proxy/held-calls.ts';
import type { EdgeNodes } from '../../proxy/nodes/edge-nodes.ts';
import { MetSessions } from '../../proxy/nodes/met-sessions.ts';
import type { NodeMessage } from '../../proxy/nodes/node-message.ts';
import { OtherNodes } from '../../proxy/nodes/other-nodes.ts';
import type { SessionStore, SessionTable } from '../../proxy/session-table.ts';
import { newKeyLine, parseKeyRing } from '../../store/credentials/key-ring.ts';
import { NODE_LIMITS } from '../../store/postgres/limits.ts';
import { NodeMessages } from '../../store/postgres/node-messages.ts';
import { NodeTable } from '../../store/postgres/node-table.ts';
import { type Database, openDatabase } from '../../store/postgres/open-database.ts';
import { SessionKeys } from '../../store/postgres/session-keys.ts';
import { SharedSessions } from '../../store/postgres/shared-sessions.ts';
import { privateFile } from './private-file.ts';

export interface SeveralNodesOptions {
  /** The address of the database that the nodes share. */
  readonly url: string;
  /** The name of this node. */
  readonly node: string;
  /** Where other nodes reach this one; undefined: they do not. */
  readonly advertise: string | undefined;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** What of a running gateway other nodes have a part in. */
export interface NodeParts {
  readonly sessions: SessionTable;
  readonly held: HeldCalls;
  /** Where this node keeps what it learned of sessions. */
  readonly local: SessionStore;
}

const UPKEEP_EVERY_MS = 30_000;

/** One node of several that share a database: what it has of the others, and what they have of it. */
export class SeveralNodes {
  readonly database: Database;
  readonly others: OtherNodes;
  readonly #options: SeveralNodesOptions;
  readonly #keys: SessionKeys;
  readonly #table: NodeTable;
  readonly #messages: NodeMessages;
  readonly #shared: SharedSessions;
  readonly #met: MetSessions;
  readonly #ending: (() => void)[] = [];
  #parts: NodeParts | undefined;

  private constructor(options: SeveralNodesOptions, database: Database, keys: SessionKeys) {
    const { node, advertise, clock, log } = options;
    this.#options = options;
    this.database = database;
    this.#keys = keys;
    this.#table = new NodeTable(database, { name: node, run: randomBytes(8).toString('hex'), url: advertise });
    this.#messages = new NodeMessages(database, node);
    this.#shared = new SharedSessions(database);
    const sessions = () => this.#running().sessions;
    this.others = new OtherNodes({
      node,
      sessions,
      held: () => this.#running().held,
      log,
      post: {
        send: (to, message) => this.#messages.send(to, message),
        tell: (message) => this.#messages.tell(message),
        whenReachable: () => database.whenReachable(),
      },
    });
    const local: SessionStore = {
      session: (session) => this.#running().local.session(session),
      saveSession: (session, expiresAt, row) => this.#running().local.saveSession(session, expiresAt, row),
    };
    this.#met = new MetSessions({ shared: this.#shared, local, sessions, now: clock.now });
  }

  /** Throws `STORE_UNAVAILABLE` where the database is out of reach, `NODE_KEY_DIFFERS` where this is no node like the others. */
  static async open(options: SeveralNodesOptions): Promise<SeveralNodes> {
    const database = await openDatabase(options.url, options.log);
    try {
      const ring = parseKeyRing(privateFile(join(options.dataDir, 'credentials.key'), newKeyLine));
      return new SeveralNodes(options, database, await SessionKeys.open(database, ring));
    } catch (thrown) {
      await database.close();
      throw thrown;
    }
  }

  /** The keys that every node signs with: the present one first. */
  get keys(): readonly Uint8Array[] {
    return this.#keys.keys;
  }

  /** What the HTTP edge does because of the others. */
  get edge(): EdgeNodes {
    const { others } = this;
    return {
      meet: (id) => this.#met.meet(id),
      begun: (session) => this.#met.begun(session),
      end: (session) => this.#met.end(session),
      answer: (session, response) => others.answer(session, response),
      cancel: (session, requestId) => others.cancel(session, requestId),
    };
  }

  /** Joins the other nodes. */
  async begin(parts: NodeParts): Promise<void> {
    this.#parts = parts;
    await this.#table.join();
    const failed = (error: unknown) => this.#note(error);
    const known = () => [...parts.sessions.all()].map(({ claims }) => claims.s);
    this.#ending.push(
      this.#messages.receive((message) => this.others.receive(message as NodeMessage), failed),
      this.#shared.onEnded(known, (session) => this.#met.ended(session), failed),
      every(NODE_LIMITS.beatEveryMs, () => this.#beat().catch(failed)),
      every(UPKEEP_EVERY_MS, () => this.#keep().catch(failed)),
    );
  }

  async close(): Promise<void> {
    for (const end of this.#ending) end();
    this.others.close();
    await this.#table.leave().catch((error: unknown) => this.#note(error));
    await this.database.close();
  }

  async #beat(): Promise<void> {
    const { node, log } = this.#options;
    if (!(await this.#table.beat())) log.error('another process runs under the name of this node', { node });
    const awaited = this.others.awaited();
    if (awaited.length > 0) this.others.keepWaitingFor(await this.#table.present(awaited));
  }

  async #keep(): Promise<void> {
    await this.#keys.keep();
    await this.#messages.reclaim();
    await this.#shared.reclaim();
  }

  /** A cut was told of when it began: what fails because of it is no news. */
  #note(error: unknown): void {
    if (error instanceof BinderyError && error.code === 'STORE_UNAVAILABLE') return;
    this.#options.log.error('the shared database could not be used', { error });
  }

  #running(): NodeParts {
    if (!this.#parts) throw new Error('the node has not begun');
    return this.#parts;
  }
}

function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms).unref();
  return () => clearInterval(timer);
}
