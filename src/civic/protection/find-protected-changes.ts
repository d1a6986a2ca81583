import { checkBody } from '../corpus/check-body.ts';
import { PATH_KEYS, SKILL_KEYS, SOURCE_KEYS } from '../corpus/entries.ts';
import { hiddenTexts } from '../corpus/hidden-text.ts';
import { splitFrontMatter } from '../corpus/parse-skill.ts';
import { readYaml } from '../corpus/read-yaml.ts';
import { checkSaid, compareMentions, compareTargets } from './compare-mentions.ts';
import { findNumberChange } from './compare-numbers.ts';
import { compareFrames, compareRisks, compareTitles, compareTopics } from './compare-prose.ts';
import { compareValue } from './compare-value.ts';
import { hostsFor, type Jurisdiction, type JurisdictionHosts } from './jurisdiction-hosts.ts';
import { type Scopes, traitsOf } from './known-scopes.ts';
import { type FieldName, type ProtectedChange, protectedChange } from './protected-fields.ts';

/** A file before and after a change. */
export interface ChangedFile {
  readonly type: 'skill' | 'path' | 'volatile_value' | 'reference';
  /** Id of a catalogue row. */
  readonly id: string;
  readonly before: string;
  readonly after: string;
  /** The text before the latest unreviewed changes, so that many small steps are measured together. */
  readonly baseline?: string | undefined;
  /** The sender's words about the change and its evidence URL; the public history shows both. */
  readonly said?: string | undefined;
  /** Hosts that the corpus links to; the sender's words may name them. */
  readonly corpusHosts?: (() => ReadonlySet<string>) | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** Share of a body's lines that one change may remove. */
const REMOVED_SHARE_MAX = 0.5;
/** Members whose whole value is one protected field, at any depth. */
const FIELD_OF_MEMBER: Readonly<Record<string, FieldName>> = {
  supersedes: 'supersedes',
  inputs: 'inputs',
  audited_document_delivery: 'audited_document_delivery',
  requires: 'ids',
  requires_paths: 'ids',
  category: 'jurisdiction',
  jurisdiction: 'jurisdiction',
  source_class: 'source',
  actor: 'source',
  fallback_only: 'source',
  validation_path: 'source',
  audience: 'source',
  purpose: 'source',
  last_verified: 'verification',
  verification_notes: 'verification',
};

/** Finds the protected fields that a change touches. It compares whole texts, so the kind of edit does not matter. */
export function findProtectedChanges(
  file: ChangedFile,
  rows: readonly JurisdictionHosts[],
  scopes: Scopes,
): ProtectedChange[] {
  const found = new Map<FieldName, string | undefined>();
  const add = (field: FieldName, what?: string): void => {
    if (!found.has(field)) found.set(field, what);
  };
  const [before, after] = [readParts(file, file.before), readParts(file, file.after)];
  compareMembers(before.members, after.members, add);
  compareScope(before.members, after.members, scopes, add);
  const baseline = file.baseline === undefined ? before : readParts(file, file.baseline);
  for (const older of [before, baseline]) {
    if (file.type === 'volatile_value') compareValue(older.members, after.members, add);
    compareNumbers(older, after, add);
    compareLength(older.body, after.body, add);
  }
  compareTags(before.body, after.body, add);
  compareHidden(before.body, after.body, add);
  compareKeys(file.type, before.members, after.members, add);
  const listed = hostsFor(rows, before.members as Jurisdiction);
  compareRisks(before.text, after.text, add);
  compareFrames(before.body, after.body, add);
  compareTitles(titlesOf(before), titlesOf(after), before.body, add);
  compareTopics(shownTextOf(before), shownTextOf(after), found, add);
  compareMentions(before.text, after.text, listed, add);
  compareTargets(before.body, after.body, listed, add);
  if (file.said !== undefined) {
    compareRisks('', file.said, add);
    checkSaid(before.text, { said: file.said, corpusHosts: file.corpusHosts }, listed, add);
  }
  return [...found].flatMap(([field, what]) => protectedChange(field, what) ?? []);
}

type Add = (field: FieldName, what?: string) => void;

interface Parts {
  readonly members: Members;
  readonly body: string;
  /** Everything that readers see of the artefact. */
  readonly text: string;
}

function readParts({ type, id }: ChangedFile, text: string): Parts {
  if (type === 'skill') {
    const split = splitFrontMatter(text);
    const body = split ? text.slice(split.bodyStart) : text;
    return { members: asMembers(yamlOf(split?.matter ?? '')), body, text };
  }
  const value = yamlOf(text);
  if (type === 'path') return { members: asMembers(value), body: '', text };
  const row = Array.isArray(value) ? value.find((one) => asMembers(one).uid === id) : undefined;
  return { members: asMembers(row), body: '', text: JSON.stringify(row ?? null) };
}

function yamlOf(text: string): unknown {
  const read = readYaml(text);
  return read.ok ? read.value : undefined;
}

function asMembers(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

function compareMembers(before: Members, after: Members, add: Add): void {
  const [old, next] = [memberValues(before), memberValues(after)];
  for (const member of Object.keys(FIELD_OF_MEMBER)) {
    if (old.get(member) !== next.get(member)) add(FIELD_OF_MEMBER[member] as FieldName);
  }
  const ids = (members: Members) =>
    sourcesOf(members)
      .map(({ id }) => String(id))
      .sort()
      .join('\n');
  if (ids(before) !== ids(after)) add('source');
}

/** New fields of the file or its sources that no schema knows. */
function compareKeys(type: ChangedFile['type'], before: Members, after: Members, add: Add): void {
  const known = type === 'skill' ? SKILL_KEYS : type === 'path' ? PATH_KEYS : undefined;
  if (!known) return;
  const isKnown = (key: string) => known.has(key) || Object.hasOwn(FIELD_OF_MEMBER, key) || Object.hasOwn(before, key);
  const fresh = Object.keys(after).filter((key) => !isKnown(key));
  const old = new Set(sourcesOf(before).flatMap((source) => Object.keys(source)));
  fresh.push(
    ...sourcesOf(after)
      .flatMap((source) => Object.keys(source))
      .filter((key) => !SOURCE_KEYS.has(key) && !old.has(key)),
  );
  if (fresh.length > 0) add('unknown_field', [...new Set(fresh)].sort().slice(0, 5).join(', '));
}

/** What readers see above the body. */
function titlesOf({ members }: Parts): string[] {
  return stringsOf([members.title, members.summary]);
}

/** The values of all fields, separated, and the body. */
function shownTextOf({ members, body }: Parts): string {
  return `${stringsOf(members).join('\n\n')}\n\n${body}`;
}

/** Members whose numbers are no prose, or that have a rule of their own. */
const NO_PROSE = new Set('id uid url archived_url version status origin value unit citations sources'.split(' '));

function compareNumbers(before: Parts, after: Parts, add: Add): void {
  const [old, next] = [before, after].map(({ members, body }) => {
    const prose = Object.entries(members).filter(
      ([name]) => !NO_PROSE.has(name) && !Object.hasOwn(FIELD_OF_MEMBER, name),
    );
    return `${stringsOf(Object.fromEntries(prose)).join('\n\n')}\n\n${body}`;
  }) as [string, string];
  const change = findNumberChange(old, next);
  if (change !== undefined) add('number', change);
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

function sourcesOf({ sources }: Members): Members[] {
  return Array.isArray(sources) ? sources.map(asMembers) : [];
}

/** Protected members with all their values, each with its place: a move counts as a change. */
function memberValues(members: Members): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const visit = (value: unknown, place: string): void => {
    if (Array.isArray(value)) {
      value.forEach((one, index) => {
        const { id } = asMembers(one);
        visit(one, `${place}/${typeof id === 'string' ? id : index}`);
      });
      return;
    }
    for (const [name, child] of Object.entries(asMembers(value))) {
      if (Object.hasOwn(FIELD_OF_MEMBER, name)) {
        values.set(name, `${values.get(name) ?? ''}\n${place}: ${JSON.stringify(child)}`);
      } else visit(child, `${place}/${name}`);
    }
  };
  visit(members, '');
  return values;
}

/** Fewer keys or more values widen the scope; the opposite narrows it. Either can mislead readers. */
function compareScope(before: Members, after: Members, scopes: Scopes, add: Add): void {
  const [old, next] = [traitsOf(before.applies_to), traitsOf(after.applies_to)];
  const without = (from: Scopes, other: Scopes) =>
    [...from].flatMap(([key, values]) =>
      [...values].filter((value) => !other.get(key)?.has(value)).map((value) => [key, value] as const),
    );
  const [gone, fresh] = [without(old, next), without(next, old)];
  const hasMoreKeys = (some: Scopes, other: Scopes) => [...some.keys()].some((key) => !other.has(key));
  if (hasMoreKeys(old, next) || fresh.some(([key]) => old.has(key))) add('applies_to');
  const themes = new Set(listOf(after.themes));
  const isThemeGone = listOf(before.themes).some((theme) => !themes.has(theme));
  if (hasMoreKeys(next, old) || gone.some(([key]) => next.has(key)) || isThemeGone) add('narrower_scope');
  const unknown = fresh.filter(([key, value]) => !scopes.get(key)?.has(value)).map((trait) => trait.join(': '));
  if (unknown.length > 0) add('unknown_scope', unknown.slice(0, 5).join(', '));
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function compareTags(before: string, after: string, add: Add): void {
  if (before === after) return;
  const [old, next] = [tagsOf(before), tagsOf(after)];
  if (old.providers !== next.providers) add('providers');
  if (old.ids !== next.ids) add('ids');
}

/** How many excerpts of hidden text a reason quotes, and their length. */
const QUOTED = { texts: 3, chars: 80 } as const;

function compareHidden(before: string, after: string, add: Add): void {
  if (before === after) return;
  const old = new Set(hiddenTexts(before).map(({ text }) => text));
  const fresh = hiddenTexts(after).filter(({ text }) => !old.has(text));
  if (fresh.length === 0) return;
  const quotes = fresh.slice(0, QUOTED.texts).map(({ text }) => text.replaceAll(/\s+/g, ' ').slice(0, QUOTED.chars));
  add('hidden_text', quotes.join(' … '));
}

function compareLength(before: string, after: string, add: Add): void {
  const lines = before.split('\n').filter((line) => line.trim() !== '');
  const kept = new Set(after.split('\n'));
  const removed = lines.filter((line) => !kept.has(line)).length;
  if (removed > 1 && removed > lines.length * REMOVED_SHARE_MAX) add('bulk_removal');
}

/** Tags that refer to something, in order. */
function tagsOf(body: string): { readonly providers: string; readonly ids: string } {
  const tags = checkBody(body).tags.filter(({ kind }) => kind !== 'close');
  const listed = (names: readonly string[], members: readonly string[]): string =>
    tags
      .filter(({ name }) => names.includes(name))
      .map(({ name, attributes }) => [name, ...members.map((member) => attributes[member] ?? '')].join(' '))
      .join('\n');
  return {
    providers: listed(['Providers'], ['category']),
    ids: listed(['Path', 'Skill', 'Ref', 'VV', 'Observations'], ['id', 'uid', 'skill']),
  };
}
