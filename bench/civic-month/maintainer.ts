import type { Sent, World } from './world.ts';

/** Decides the queue and counts the decisions by class; a revert counts too. */
export class Maintainer {
  readonly #world: World;
  readonly decisions = new Map<string, number>();
  /** Decisions of each day. */
  readonly perDay: number[] = [];
  #today = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Decides all open items correctly: the month measures how much there is to decide, not how well. */
  async decideAll(): Promise<void> {
    const { items } = (await this.#world.room.review('/api/review?state=open')).body;
    for (const item of items) await this.#decide(item);
  }

  endDay(): void {
    this.perDay.push(this.#today);
    this.#today = 0;
  }

  async #decide(item: OpenItem): Promise<void> {
    const sent = this.#world.sent.get(item.submission_id ?? '');
    const decision = await this.#judge(item, sent);
    const { status, body } = await this.#world.room.review(`/api/review/${item.queue_id}`, { decision });
    this.#count(item.class);
    if (status === 200) return;
    // A change that no longer applies is rejected; one under a later change is reverted after that one, or tomorrow.
    if (body.code === 'revert_conflict') await this.#undoHarm(item);
    else if (status !== 409 || decision !== 'accept') throw new Error(`not decided: ${JSON.stringify(body)}`);
    await this.#world.room.review(`/api/review/${item.queue_id}`, { decision: 'reject' });
  }

  async #judge(item: OpenItem, sent: Sent | undefined): Promise<string> {
    if (item.reason === 'concern_burst') return this.#judgeBurst(item);
    const isHonest = sent?.harm === undefined || this.#isOver(sent);
    switch (item.class) {
      case 'ner_hold':
        return isHonest ? 'release' : 'reject';
      case 'injection_quarantine':
        return this.#judgeFlag(item);
      case 'feedback_triage':
        return 'close';
      default:
        return isHonest ? 'accept' : 'reject';
    }
  }

  /** Decides a burst by the concerns that it quotes. */
  async #judgeBurst({ queue_id }: OpenItem): Promise<string> {
    const { content } = (await this.#world.room.review(`/api/review/${queue_id}`)).body;
    const quoted = (content.reports as { submission_id: string }[]).map(({ submission_id }) => submission_id);
    const harmful = quoted.filter((id) => this.#world.sent.get(id)?.harm !== undefined);
    return harmful.length * 2 > quoted.length ? 'reject' : 'release';
  }

  /** Removes a concern as a whole; reverts only the harmful changes of an artefact. */
  async #judgeFlag({ target_type, target_id }: OpenItem): Promise<string> {
    const { sent } = this.#world;
    if (target_type === 'concern') return sent.get(target_id ?? '')?.harm === undefined ? 'dismiss' : 'uphold';
    await this.#undoHarm({ target_type, target_id });
    return 'dismiss';
  }

  /** Whether a change was merged and a later change has replaced its text. */
  #isOver(sent: Sent): boolean {
    const { room } = this.#world;
    return room.deps.store.submission(sent.id)?.status === 'merged' && sent.goneAt !== undefined;
  }

  async #undoHarm({ target_type, target_id }: Pick<OpenItem, 'target_type' | 'target_id'>): Promise<void> {
    const { room, sent } = this.#world;
    const merges = room.deps.store.amendments.merges(10_000);
    for (const { submissionId, type, id, revertedAt } of merges) {
      const isMeant = type === target_type?.replace('path_source', 'path') && id === target_id?.split(':')[0];
      if (!isMeant || revertedAt !== undefined) continue;
      if (sent.get(submissionId)?.harm === undefined) continue;
      const { status } = await room.review(`/api/review/merges/${submissionId}/revert`, {});
      if (status === 200) this.#count('revert');
    }
  }

  #count(what: string): void {
    this.decisions.set(what, (this.decisions.get(what) ?? 0) + 1);
    this.#today++;
  }
}

interface OpenItem {
  readonly queue_id: string;
  readonly class: string;
  readonly reason?: string;
  readonly submission_id?: string;
  readonly target_type?: string | undefined;
  readonly target_id?: string | undefined;
}
