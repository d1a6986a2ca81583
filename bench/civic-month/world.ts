import { parse } from 'yaml';
import { isRendered } from '../../src/civic/config.ts';
import { filePathOf } from '../../src/civic/submissions/corpus-change.ts';
import { common, ROUTES } from '../../src/store/civic/testing/requests.ts';
import type { Answer, WriteRoom } from '../../src/store/civic/testing/write-room.ts';
import type { Harm } from './attacks.ts';
import type { Change, Shown } from './changes.ts';

/** A submission and its true kind, which no part of the room sees. */
export interface Sent {
  readonly id: string;
  readonly type: 'amendment' | 'concern' | 'draft' | 'feedback';
  readonly harm: Harm | undefined;
  readonly target: Pick<Shown, 'type' | 'id'> | undefined;
  readonly marker: string;
  readonly sentAt: number;
  /** The protected fields that the answer named. */
  readonly fields: readonly string[];
  /** When readers first saw its text. */
  servedAt?: number;
  /** When a reader first said that it is wrong. */
  reportedAt?: number;
  /** When its text was gone again. */
  goneAt?: number;
}

export interface StagedChange {
  readonly submission_id: string;
  readonly base_version: string;
}

type ArtefactKey = Pick<Shown, 'type' | 'id'>;

/** The room as its visitors see it, with the truth about each submission beside it. */
export class World {
  readonly room: WriteRoom;
  readonly sent = new Map<string, Sent>();
  /** Answers by `harm status`, for the report. */
  readonly answers = new Map<string, number>();
  readonly artefacts: readonly ArtefactKey[];
  /** The most spam concerns listed about one artefact at once. */
  mostSpam = 0;
  readonly #hidesStaged: boolean;
  #rows: { text: string; parsed: readonly { uid: string }[] } | undefined;

  constructor(room: WriteRoom, hidesStaged = false) {
    this.room = room;
    this.#hidesStaged = hidesStaged;
    this.artefacts = room.deps.store
      .artefactKeys()
      .filter(({ type }) => type !== 'concern')
      .map(({ type, id }) => ({ type: type as Shown['type'], id }));
  }

  get now(): number {
    return this.room.deps.clock.now();
  }

  isServed({ type, id }: ArtefactKey): boolean {
    const state = this.room.deps.store.artefactHead(type, id)?.state;
    return state !== undefined && isRendered(state);
  }

  /** The artefact as it is served; undefined: it is not. */
  shown(key: ArtefactKey): Shown | undefined {
    const { store, files } = this.room.deps;
    const head = store.artefactHead(key.type, key.id);
    const file = files.read(filePathOf(key.type, key.id));
    if (!head || !isRendered(head.state) || file === undefined) return undefined;
    return { ...key, version: head.version, text: this.#textOf(key, file) };
  }

  #textOf({ type, id }: ArtefactKey, file: string): string {
    if (type === 'skill' || type === 'path') return file;
    if (this.#rows?.text !== file) this.#rows = { text: file, parsed: parse(file) };
    return JSON.stringify(this.#rows?.parsed.find(({ uid }) => uid === id));
  }

  async amend(from: string, change: Change, harm: Harm | undefined): Promise<Sent | undefined> {
    const { marker, ...item } = change;
    const rationale = 'The office says so since this week.';
    const answer = await this.#send('amendment', from, {
      ...item,
      rationale,
      evidence_url: 'https://law.example.org/2',
    });
    const id = change.target_id.split(':')[0] as string;
    const type = change.target_type === 'path_source' ? 'path' : change.target_type;
    return this.#keep('amendment', harm, answer, { target: { type, id }, marker });
  }

  async report(from: string, target: ArtefactKey, text: string, harm: Harm | undefined): Promise<Sent | undefined> {
    const item = { target_type: target.type, target_id: target.id, kind: 'factual_error', report: text };
    return this.#keep('concern', harm, await this.#send('concern', from, item), { target, marker: text });
  }

  async draft(from: string, n: number, harm: Harm | undefined): Promise<Sent | undefined> {
    const frontmatter = { title: `New procedure ${n}`, summary: `How it works, ${n}.`, category: 'sample-commune' };
    const content = { frontmatter, body: `# New procedure ${n}\n\nGo to the desk.\n` };
    const item = { target_type: 'skill', proposed_id: `new-${n}`, content, commit_message: 'Add a procedure.' };
    return this.#keep('draft', harm, await this.#send('draft', from, item), { target: undefined, marker: '' });
  }

  async feedback(from: string, body: string, harm: Harm | undefined): Promise<Sent | undefined> {
    return this.#keep('feedback', harm, await this.#send('feedback', from, { body }), {
      target: undefined,
      marker: '',
    });
  }

  validate(
    from: string,
    target: { type: string; id: string; version: string },
    verdict: 'confirm' | 'reject',
    isFlag = false,
  ): Promise<Answer> {
    return this.#send('validation', from, {
      target_type: target.type,
      target_id: target.id,
      target_version: target.version,
      verdict,
      ...(verdict === 'reject' ? { rationale: 'It is wrong.' } : {}),
      ...(isFlag ? { injection_flag: true } : {}),
    });
  }

  async staged(): Promise<readonly StagedChange[]> {
    return this.#hidesStaged ? [] : (await this.room.get('/api/staged')).body.amendments;
  }

  /** Records which harmful texts readers see now, and which they no longer see. */
  look(): void {
    for (const sent of this.sent.values()) {
      if (
        sent.harm === undefined ||
        sent.goneAt !== undefined ||
        (sent.type !== 'amendment' && sent.type !== 'concern')
      ) {
        continue;
      }
      const isSeen = this.isSeen(sent);
      if (isSeen && sent.servedAt === undefined) sent.servedAt = this.now;
      if (!isSeen && sent.servedAt !== undefined) sent.goneAt = this.now;
    }
    const spam = [...this.sent.values()].filter(
      ({ harm, type, servedAt, goneAt }) =>
        harm === 'spam' && type === 'concern' && servedAt !== undefined && goneAt === undefined,
    );
    const byTarget = Map.groupBy(spam, ({ target }) => `${target?.type} ${target?.id}`);
    this.mostSpam = Math.max(this.mostSpam, ...[...byTarget.values()].map((list) => list.length));
  }

  /** Harmful texts that are now in an artefact or in a concern about it. */
  harmOn(key: ArtefactKey): Sent[] {
    return [...this.sent.values()].filter(
      ({ harm, target, servedAt, goneAt }) =>
        harm !== undefined &&
        servedAt !== undefined &&
        goneAt === undefined &&
        target?.type === key.type &&
        target.id === key.id,
    );
  }

  isSeen({ id, type, target, marker }: Sent): boolean {
    const { store } = this.room.deps;
    if (type === 'concern') {
      const state = store.artefactHead('concern', id)?.state;
      return state !== undefined && isRendered(state);
    }
    if (store.submission(id)?.status !== 'merged' || store.amendments.merge(id)?.revertedAt !== undefined) return false;
    return target !== undefined && (this.shown(target)?.text.includes(marker) ?? false);
  }

  #send(type: keyof typeof ROUTES, from: string, item: object): Promise<Answer> {
    const submitted_at = new Date(this.now).toISOString();
    return this.room.post(ROUTES[type], { ...common({ submitted_at }), ...item }, from);
  }

  #keep(
    type: Sent['type'],
    harm: Harm | undefined,
    { body }: Answer,
    about: Pick<Sent, 'target' | 'marker'>,
  ): Sent | undefined {
    const key = `${type} ${harm ?? 'honest'} ${body.status === 'accepted' || body.status === 'held_ner' ? body.status : (body.code ?? body.status)}`;
    this.answers.set(key, (this.answers.get(key) ?? 0) + 1);
    if (body.status !== 'accepted' && body.status !== 'held_ner') return undefined;
    const fields = ((body.protected ?? []) as { field: string }[]).map(({ field }) => field);
    const sent: Sent = { id: body.submission_id, type, harm, sentAt: this.now, fields, ...about };
    this.sent.set(sent.id, sent);
    return sent;
  }
}
