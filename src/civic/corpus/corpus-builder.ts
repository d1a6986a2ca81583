import { CORPUS_LIMITS, isRendered } from '../config.ts';
import type { JurisdictionHosts } from '../protection/jurisdiction-hosts.ts';
import { checkEdges } from './check-edges.ts';
import type { ReferenceRow, ValueRow } from './entries.ts';
import type { CorpusIssue, CorpusWarning } from './issue.ts';
import { type ParsedPath, parseHosts, parsePath, parseReferences, parseValues } from './parse-path.ts';
import { type ParsedSkill, parseSkill } from './parse-skill.ts';
import { type NameMatcher, noNames } from './provider-names.ts';
import type { Artefact, Requirement, Snapshot, SnapshotPath, SnapshotSkill } from './snapshot.ts';
import { type SourceFile, sha256Hex } from './source-file.ts';
import { providerSpans } from './values.ts';

const HOSTS_FILE = 'catalogue/hosts.yaml';

/** All artefacts of a corpus in every state, and the snapshot that reads use. */
export interface Corpus {
  readonly snapshot: Snapshot;
  readonly skills: ReadonlyMap<string, ParsedSkill>;
  readonly paths: ReadonlyMap<string, ParsedPath>;
  readonly values: ReadonlyMap<string, ValueRow>;
  readonly references: ReadonlyMap<string, ReferenceRow>;
  /** The hosts on which each jurisdiction publishes; empty without such a list. */
  readonly hosts: readonly JurisdictionHosts[];
}

export interface CorpusBuild {
  readonly errors: readonly CorpusIssue[];
  readonly warnings: readonly CorpusWarning[];
  /** Undefined if there are errors. */
  readonly corpus: Corpus | undefined;
}

export interface BuildContext {
  /** Finds provider names in texts. */
  readonly names?: NameMatcher;
  readonly categories?: ReadonlySet<string>;
  /** When this version was first built here. */
  generatedAt(version: string): string;
}

/** Builds snapshots from files, and caches parsed files: an unchanged file is not parsed again. */
export class CorpusBuilder {
  readonly #parsed = new Map<string, { sha256: string; parsed: ParsedSkill | ParsedPath }>();
  readonly #named = new WeakMap<ParsedSkill, { matcher: NameMatcher; name: string | undefined }>();

  #last: { files: readonly SourceFile[]; context: BuildContext; build: CorpusBuild } | undefined;

  /** Returns the same object for the same files and context. */
  build(files: readonly SourceFile[], context: BuildContext): CorpusBuild {
    const last = this.#last;
    if (last && last.context.names === context.names && last.context.categories === context.categories) {
      if (last.files.length === files.length && files.every((file, index) => file === last.files[index])) {
        return last.build;
      }
    }
    const build = this.#build(files, context);
    this.#last = { files, context, build };
    return build;
  }

  /** A separate build; only the cache of parsed files is shared. */
  buildApart(files: readonly SourceFile[], context: BuildContext): CorpusBuild {
    return this.#build(files, context);
  }

  #build(files: readonly SourceFile[], context: BuildContext): CorpusBuild {
    const skills = new Map<string, ParsedSkill>();
    const paths = new Map<string, ParsedPath>();
    const values = new Map<string, ValueRow>();
    const references = new Map<string, ReferenceRow>();
    const hosts: JurisdictionHosts[] = [];
    const errors: CorpusIssue[] = [];
    const warnings: CorpusWarning[] = [];
    const sorted = [...files].sort((a, b) => compare(a.path, b.path));
    for (const file of sorted) {
      if (file.path.startsWith('skills/')) {
        const skill = this.#remember(file, parseSkill);
        take(skills, skill.matter?.id ?? skill.folder, skill, skill.folder, errors);
        errors.push(...skill.issues, ...this.#namedProviders(skill, context.names ?? noNames));
        warnings.push(...skill.warnings);
      } else if (file.path.startsWith('paths/')) {
        const path = this.#remember(file, parsePath);
        take(paths, path.matter?.id ?? path.name, path, path.name, errors);
        errors.push(...path.issues);
        warnings.push(...path.warnings);
      } else if (file.path.endsWith('/values.yaml')) {
        const { rows, issues } = parseValues(file);
        for (const row of rows) values.set(row.uid, row);
        errors.push(...issues);
      } else if (file.path === HOSTS_FILE) {
        const { rows, issues } = parseHosts(file);
        hosts.push(...rows);
        errors.push(...issues);
      } else {
        const { rows, issues } = parseReferences(file);
        for (const row of rows) references.set(row.uid, row);
        errors.push(...issues);
      }
    }
    this.#forget(files);
    const edges = checkEdges({
      skills,
      paths,
      values: new Set(values.keys()),
      references: new Set(references.keys()),
      categories: context.categories,
    });
    errors.push(...edges.issues);
    warnings.push(...edges.warnings);
    if (errors.length > 0) return { errors: sortIssues(errors), warnings: sortIssues(warnings), corpus: undefined };
    const snapshot = toSnapshot(sorted, { skills, paths, values, references, hosts }, context);
    const corpus = { snapshot, skills, paths, values, references, hosts };
    return { errors: [], warnings: sortIssues(warnings), corpus };
  }

  #remember<Parsed extends ParsedSkill | ParsedPath>(file: SourceFile, parse: (file: SourceFile) => Parsed): Parsed {
    const known = this.#parsed.get(file.path);
    if (known?.sha256 === file.sha256) return known.parsed as Parsed;
    const parsed = parse(file);
    this.#parsed.set(file.path, { sha256: file.sha256, parsed });
    return parsed;
  }

  #forget(files: readonly SourceFile[]): void {
    const present = new Set(files.map((file) => file.path));
    for (const path of this.#parsed.keys()) if (!present.has(path)) this.#parsed.delete(path);
  }

  #namedProviders(skill: ParsedSkill, matcher: NameMatcher): CorpusIssue[] {
    if (!skill.matter || matcher === noNames) return [];
    let known = this.#named.get(skill);
    if (known?.matcher !== matcher) {
      const { title, summary } = skill.matter;
      known = { matcher, name: matcher(`${title}\n${summary}\n${skill.file.text?.slice(skill.bodyStart) ?? ''}`) };
      this.#named.set(skill, known);
    }
    if (known.name === undefined) return [];
    return [{ code: 'provider_named', path: skill.file.path, message: `names the provider "${known.name}"` }];
  }
}

type Parts = Omit<Corpus, 'snapshot'>;

function toSnapshot(sorted: readonly SourceFile[], parts: Parts, context: BuildContext): Snapshot {
  const skills = toSkills(parts);
  const paths = toPaths(parts);
  const version = corpusVersion(sorted, parts);
  const values: Record<string, string> = {};
  for (const row of parts.values.values()) if (isRendered(row.status)) values[row.uid] = row.value;
  return { version, generated_at: context.generatedAt(version), skills, paths, values, artefacts: toArtefacts(parts) };
}

function toSkills({ skills, paths }: Parts): SnapshotSkill[] {
  const rendered = new Map<string, { skill: ParsedSkill; requires: Requirement[]; requiredBy: Requirement[] }>();
  for (const [id, skill] of skills) {
    if (skill.matter && isRendered(skill.matter.status)) rendered.set(id, { skill, requires: [], requiredBy: [] });
  }
  const ids = [...rendered.keys()].sort(compare);
  for (const id of ids) {
    const { skill, requires } = rendered.get(id) as { skill: ParsedSkill; requires: Requirement[] };
    for (const edge of skill.matter?.requires ?? []) {
      const target = rendered.get(edge.id);
      if (!target) continue;
      requires.push(edge);
      target.requiredBy.push({ ...edge, id });
    }
  }
  return ids.map((id) => {
    const { skill, requires, requiredBy } = rendered.get(id) as NonNullable<ReturnType<typeof rendered.get>>;
    const matter = skill.matter as NonNullable<ParsedSkill['matter']>;
    return {
      id,
      title: matter.title,
      summary: matter.summary,
      status: matter.status,
      version: matter.version,
      category: matter.category,
      applies_to: matter.applies_to,
      requires,
      required_by: requiredBy,
      requires_paths: matter.requires_paths.filter((edge) => {
        const target = paths.get(edge.id)?.matter;
        return target !== undefined && isRendered(target.status);
      }),
      inputs: matter.inputs,
      text: skill.file.text ?? '',
      values: skill.values,
      ...providersOf(skill),
    };
  });
}

function providersOf({ tags, bodyStart }: ParsedSkill): Pick<SnapshotSkill, 'providers'> {
  const providers = providerSpans(tags, bodyStart);
  return providers.length === 0 ? {} : { providers };
}

function toPaths({ paths }: Parts): SnapshotPath[] {
  return [...paths.values()]
    .flatMap(({ matter, file }) =>
      matter ? [{ id: matter.id, status: matter.status, entry: matter, sha256: file.sha256 }] : [],
    )
    .sort((a, b) => compare(a.id, b.id));
}

function toArtefacts({ skills, paths, values, references }: Parts): Artefact[] {
  const rows: Artefact[] = [];
  for (const [id, { matter }] of skills) if (matter) rows.push(artefact('skill', id, matter));
  for (const [id, { matter }] of paths) if (matter) rows.push(artefact('path', id, matter));
  for (const [uid, row] of values) rows.push(artefact('volatile_value', uid, row));
  for (const [uid, row] of references) rows.push(artefact('reference', uid, row));
  return rows.filter((row) => row.status !== 'draft').sort((a, b) => compare(a.type, b.type) || compare(a.id, b.id));
}

function artefact(
  type: Artefact['type'],
  id: string,
  { version, status }: { version: string; status: Artefact['status'] },
): Artefact {
  return { type, id, version, status };
}

/** Hash over path and content of all rendered files. */
function corpusVersion(sorted: readonly SourceFile[], { skills, paths }: Parts): string {
  // The list of hosts is used for checks only and never served.
  const hidden = new Set<string>([HOSTS_FILE]);
  for (const { file, matter } of skills.values()) if (matter && !isRendered(matter.status)) hidden.add(file.path);
  for (const { file, matter } of paths.values()) if (matter?.status === 'draft') hidden.add(file.path);
  return sha256Hex(
    sorted
      .filter((file) => !hidden.has(file.path))
      .map((file) => `${file.path}\0${file.sha256}\n`)
      .join(''),
  );
}

function take<Item>(
  map: Map<string, Item & { file: SourceFile }>,
  id: string,
  item: Item & { file: SourceFile },
  own: string,
  errors: CorpusIssue[],
): void {
  const other = map.get(id);
  if (other) {
    errors.push({
      code: 'duplicate_id',
      path: item.file.path,
      message: `id "${id}" is also that of ${other.file.path}`,
    });
    // The file whose name matches keeps the id.
    if (id !== own) return;
  }
  map.set(id, item);
}

function sortIssues<Issue extends { path: string; code: string }>(issues: readonly Issue[]): Issue[] {
  return [...issues]
    .sort((a, b) => compare(a.path, b.path) || compare(a.code, b.code))
    .slice(0, CORPUS_LIMITS.issuesMax);
}

/** UTF-8 byte order, which for ids and paths of a corpus equals code point order. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
