import { BinderyError } from '../../contract/errors.ts';
import type { Snapshot, SnapshotPath, SnapshotSkill } from '../corpus/snapshot.ts';
import { expandTags, expandValues } from '../corpus/values.ts';
import { shownIds } from '../providers/directory.ts';
import { tagged } from './answer.ts';
import { type ServedPath, toServedPath } from './path-entry.ts';
import type { PathHealth, ReadDeps } from './ports.ts';

export interface SkillAnswer {
  readonly skill_id: string;
  readonly body: string;
  readonly canonical_url: string;
  readonly status: 200;
}

/** A snapshot with its indexes and cached answers. */
export class ReadModel {
  readonly snapshot: Snapshot;
  readonly #baseUrl: string;
  readonly #health: PathHealth;
  readonly #healthRevision: string;
  readonly #skills: ReadonlyMap<string, SnapshotSkill>;
  readonly #paths: ReadonlyMap<string, SnapshotPath>;
  readonly #skillAnswers = new Map<string, SkillAnswer>();
  readonly #servedPaths = new Map<string, ServedPath>();
  /** Whether a path shows any health of its sources. */
  readonly #probedPaths = new Map<string, boolean>();
  #graph: object | undefined;
  #hasProviders: boolean | undefined;
  #searchTexts: { skill: SnapshotSkill; title: string; summary: string }[] | undefined;

  constructor(snapshot: Snapshot, baseUrl: string, health: PathHealth) {
    this.snapshot = snapshot;
    this.#baseUrl = baseUrl;
    this.#health = health;
    this.#healthRevision = health.revision();
    this.#skills = new Map(snapshot.skills.map((skill) => [skill.id, skill]));
    this.#paths = new Map(snapshot.paths.map((path) => [path.id, path]));
  }

  get graph(): object {
    if (this.#graph) return this.#graph;
    const { version, generated_at } = this.snapshot;
    const skills = this.snapshot.skills.map((skill) => this.#graphEntry(skill));
    const hasDegraded = skills.some((skill) => skill.requires_paths.some((edge) => 'degraded' in edge));
    this.#graph = tagged({ version, generated_at, skills }, this.#tag(hasDegraded));
    return this.#graph;
  }

  skill(id: string): SnapshotSkill | undefined {
    return this.#skills.get(id);
  }

  skillAnswer(id: string): SkillAnswer | undefined {
    const known = this.#skillAnswers.get(id);
    if (known) return known;
    const skill = this.#skills.get(id);
    if (!skill) return undefined;
    const body = expandValues(skill.text, skill.values, (uid) => this.#value(uid));
    const answer = { skill_id: id, body, canonical_url: this.canonicalUrl(id), status: 200 } as const;
    this.#skillAnswers.set(id, tagged(answer, this.snapshot.version));
    return answer;
  }

  /** The same with provider lists, which change daily; never cached. */
  skillAnswerWith(id: string, lists: ReadonlyMap<string, string>): SkillAnswer | undefined {
    const skill = this.#skills.get(id);
    if (!skill) return undefined;
    const body = expandTags(skill.text, [...skill.values, ...(skill.providers ?? [])], {
      value: (uid) => this.#value(uid),
      providers: (category) => lists.get(category) ?? '',
    });
    return { skill_id: id, body, canonical_url: this.canonicalUrl(id), status: 200 };
  }

  /** Whether any text has a provider list. */
  get hasProviders(): boolean {
    this.#hasProviders ??= this.snapshot.skills.some(({ providers }) => providers !== undefined);
    return this.#hasProviders;
  }

  #value(uid: string): string | undefined {
    return Object.hasOwn(this.snapshot.values, uid) ? this.snapshot.values[uid] : undefined;
  }

  path(id: string): ServedPath | undefined {
    const known = this.#servedPaths.get(id);
    if (known) return known;
    const path = this.#paths.get(id);
    if (!path) return undefined;
    const served = tagged(toServedPath(path, this.#health), this.pathsTag([path]));
    this.#servedPaths.set(id, served);
    return served;
  }

  /** Entity tag of an answer with these paths: drafts are not part of the corpus version, so their hashes are added. */
  pathsTag(paths: readonly SnapshotPath[]): string {
    const drafts = paths.filter((path) => path.status === 'draft').map((path) => path.sha256.slice(0, 16));
    return [this.#tag(paths.some((path) => this.#isProbed(path))), ...drafts].join('.');
  }

  /** The corpus version [K13]; the revision of health is added if the answer shows health. */
  #tag(showsHealth: boolean): string {
    const isNew = showsHealth && this.#healthRevision !== '';
    return isNew ? `${this.snapshot.version}.${this.#healthRevision}` : this.snapshot.version;
  }

  #isProbed({ id, entry }: SnapshotPath): boolean {
    if (this.#healthRevision === '') return false;
    let isProbed = this.#probedPaths.get(id);
    if (isProbed === undefined) {
      const health = this.#health;
      isProbed = entry.sources.some(
        (source) => health.source(id, source.id) !== 'ok' || health.lastValidated(id, source.id) !== undefined,
      );
      this.#probedPaths.set(id, isProbed);
    }
    return isProbed;
  }

  canonicalUrl(id: string): string {
    return `${this.#baseUrl}/skills/${id}/canonical`;
  }

  /** Titles and summaries in searchable form. */
  get searchTexts(): readonly { skill: SnapshotSkill; title: string; summary: string }[] {
    this.#searchTexts ??= this.snapshot.skills.map((skill) => ({
      skill,
      title: searchForm(skill.title),
      summary: searchForm(skill.summary),
    }));
    return this.#searchTexts;
  }

  #graphEntry(skill: SnapshotSkill) {
    return {
      skill_id: skill.id,
      title: skill.title,
      summary: skill.summary,
      status: skill.status,
      category: skill.category,
      applies_to: skill.applies_to,
      requires: skill.requires,
      required_by: skill.required_by,
      requires_paths: skill.requires_paths.map((edge) =>
        this.path(edge.id)?.health === 'degraded' ? { ...edge, degraded: true } : edge,
      ),
      canonical_url: this.canonicalUrl(skill.id),
    };
  }
}

/** A search ignores case and width. */
export function searchForm(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

interface CurrentModel {
  readonly baseUrl: string;
  readonly revision: string;
  readonly model: ReadModel;
}

const models = new WeakMap<Snapshot, CurrentModel>();

/** The model of the current snapshot. */
export function currentModel(deps: Pick<ReadDeps, 'corpus' | 'health' | 'baseUrl'>): ReadModel {
  const corpus = deps.corpus.current();
  if (!corpus) throw new BinderyError('corpus_unavailable');
  return modelOf(corpus.snapshot, deps.baseUrl(), deps.health);
}

export function modelOf(snapshot: Snapshot, baseUrl: string, health: PathHealth): ReadModel {
  const revision = health.revision();
  const known = models.get(snapshot);
  if (known?.baseUrl === baseUrl && known.revision === revision) return known.model;
  const model = new ReadModel(snapshot, baseUrl, health);
  models.set(snapshot, { baseUrl, revision, model });
  return model;
}

/** Answers that depend on the corpus alone are cached as long as it is the same. */
export const keptByModel = {
  headers: [],
  version: (deps: unknown) => {
    const reads = deps as ReadDeps;
    return reads.corpus.current() && versionOf(currentModel(reads), reads);
  },
};

const versions = new WeakMap<ReadModel, { key: string; version: object }>();

/** An object that is the same while the model and its provider lists are the same. */
function versionOf(model: ReadModel, { providers, clock }: ReadDeps): object {
  if (!model.hasProviders) return model;
  const key = shownIds(providers, clock.now());
  const known = versions.get(model);
  if (known?.key === key) return known.version;
  const version = {};
  versions.set(model, { key, version });
  return version;
}
