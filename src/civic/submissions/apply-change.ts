import { stringify } from 'yaml';
import { splitFrontMatter } from '../corpus/parse-skill.ts';
import { applyBodyDiff, type Edited } from './apply-diff.ts';
import type { CorpusChange, FiledType } from './corpus-change.ts';
import { editYaml, indexOfElement, isYaml, locate, readYaml, type YamlEdit, type YamlPath } from './edit-yaml.ts';
import { parseFieldPath } from './field-path.ts';
import type { AmendmentContent, Draft } from './item-types.ts';
import { undoChange } from './undo-change.ts';

/** A person is editing the file: leave it alone, and let the change wait. */
interface Unfinished {
  readonly ok: 'unfinished';
}
type Applied = Edited | Unfinished | { readonly ok: 'already' };

/** A file's text after a change. `already`: the change is in it. A refusal says why the change does not apply. */
export function applyChange(change: CorpusChange, text: string | undefined): Applied {
  if (change.kind === 'create') return text === undefined ? { ok: true, text: change.text } : { ok: 'already' };
  if (text === undefined) return { ok: false, keyword: 'dead_reference', message: 'the file is gone' };
  const yaml = yamlPartOf(change.type, text);
  if (!yaml) return { ok: 'unfinished' };
  const at = artefactPath(change.type, change.id, text);
  if (!at) return { ok: false, keyword: 'dead_reference', message: 'the row is gone' };
  const [status, version] = [readYaml(yaml.text, [...at, 'status']), readYaml(yaml.text, [...at, 'version'])];
  // Every artefact has both: a file without them is being edited.
  if (status === undefined || version === undefined) return { ok: 'unfinished' };
  if (change.kind === 'status') {
    if (status === change.status) return { ok: 'already' };
    return { ok: true, text: yaml.put(editYaml(yaml.text, [{ path: [...at, 'status'], value: change.status }])) };
  }
  if (version === change.version) return { ok: 'already' };
  if (version !== change.baseVersion) return { ok: false, keyword: 'version', message: 'the file has another version' };
  const amended =
    change.kind === 'revert'
      ? applyUndo(change, text)
      : applyAmendment(change.type, change.id, change.sourceId, change.content, text);
  if (amended.ok !== true) return amended;
  const edits: YamlEdit[] = [
    { path: [...at, 'version'], value: change.version },
    { path: [...at, 'status'], value: change.status },
  ];
  const part = yamlPartOf(change.type, amended.text);
  if (!part) return { ok: 'unfinished' };
  return { ok: true, text: part.put(editYaml(part.text, edits)) };
}

/** A merge: a file before and after, without changes of version and state. */
interface MergedChange {
  readonly type: FiledType;
  readonly id: string;
  readonly before: string;
  readonly after: string;
}

/** Takes a merged change out of a file's text; version and status stay. */
export function applyUndo({ type, id, before, after }: MergedChange, text: string): Edited {
  // A catalogue row may be on one line with its version: a new version alone must not count as a later change.
  const now = (of: string) => withHeadOf(type, id, of, text);
  const undone = undoChange(now(before), now(after), text);
  if (undone !== undefined) return { ok: true, text: undone };
  return { ok: false, keyword: 'conflict', message: 'a later change touches the same lines' };
}

/** `text` with the artefact's version and status taken from `current`. */
function withHeadOf(type: FiledType, id: string, text: string, current: string): string {
  const [part, now] = [yamlPartOf(type, text), yamlPartOf(type, current)];
  const [at, from] = [artefactPath(type, id, text), artefactPath(type, id, current)];
  if (!part || !now || !at || !from) return text;
  const edits = ['version', 'status'].flatMap((name) => {
    const value = readYaml(now.text, [...from, name]);
    return value === undefined ? [] : [{ path: [...at, name], value }];
  });
  return part.put(editYaml(part.text, edits));
}

/** Applies an amendment to a file's text; version and status stay. */
export function applyAmendment(
  type: FiledType,
  id: string,
  sourceId: string | undefined,
  content: AmendmentContent,
  text: string,
): Edited | Unfinished {
  const yaml = yamlPartOf(type, text);
  if (!yaml) return { ok: 'unfinished' };
  if (content.amendment_subtype === 'body_diff') return applyBodyDiff(text, content.body_diff.diff);
  const at = artefactPath(type, id, text) ?? [];
  const edits = amendmentEdits(content, sourceId, at, yaml.text);
  return 'ok' in edits ? edits : { ok: true, text: yaml.put(editYaml(yaml.text, edits)) };
}

/** Whether two texts differ only in whitespace and punctuation; a separator between digits counts as a real change [K3]. */
export function isEditorial(before: string, after: string): boolean {
  const words = (text: string) => text.replace(/(?<!\d)[\s\p{P}]+|[\s\p{P}]+(?!\d)/gu, '');
  return words(before) === words(after);
}

/** The file text of an accepted draft [SU24]. */
export function draftText(draft: Draft): string {
  const fixed = { id: draft.proposed_id, status: 'alpha', version: '0.1.0', origin: 'community' };
  if (draft.target_type === 'path') {
    return stringify({ ...fixed, ...without(draft.content.entry, fixed) }, { lineWidth: 0 });
  }
  const frontmatter = stringify({ ...fixed, ...without(draft.content.frontmatter, fixed) }, { lineWidth: 0 });
  const body = draft.content.body.replaceAll('\r\n', '\n');
  return `---\n${frontmatter}---\n${body}${body.endsWith('\n') ? '' : '\n'}`;
}

function without(values: Readonly<Record<string, unknown>>, names: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !Object.hasOwn(names, name)));
}

function amendmentEdits(
  content: Exclude<AmendmentContent, { amendment_subtype: 'body_diff' }>,
  sourceId: string | undefined,
  at: YamlPath,
  yaml: string,
): YamlEdit[] | Extract<Edited, { ok: false }> {
  switch (content.amendment_subtype) {
    case 'value_change': {
      const { proposed_value, unit } = content.value_change;
      const edits = [{ path: [...at, 'value'], value: proposed_value }];
      return unit === undefined ? edits : [...edits, { path: [...at, 'unit'], value: unit }];
    }
    case 'reference_change': {
      const { url, archived_url } = content.reference_change;
      const edits = [{ path: [...at, 'url'], value: url }];
      return archived_url === undefined ? edits : [...edits, { path: [...at, 'archived_url'], value: archived_url }];
    }
    case 'source_add': {
      const { source } = content.source_add;
      const id = typeof source.id === 'string' ? source.id : '';
      if (indexOfElement(yaml, ['sources'], id, 'id') >= 0) {
        return { ok: false, keyword: 'duplicate_id', message: 'a source has this id' };
      }
      return [{ path: ['sources', -1], value: source }];
    }
    case 'frontmatter_change': {
      const { field_path, proposed_value } = content.frontmatter_change;
      const from = sourceId === undefined ? [] : ['sources', indexOfElement(yaml, ['sources'], sourceId, 'id')];
      const path = locate(yaml, from, parseFieldPath(field_path) ?? []);
      return Array.isArray(path) ? [{ path, value: proposed_value }] : (path as Extract<Edited, { ok: false }>);
    }
  }
}

interface YamlPart {
  readonly text: string;
  put(text: string): string;
}

/** The YAML of a file: the front matter of a skill, all of any other file. Undefined: incomplete or invalid. */
function yamlPartOf(type: FiledType, text: string): YamlPart | undefined {
  const part = type === 'skill' ? frontMatterOf(text) : { text, put: (edited: string) => edited };
  return part && isYaml(part.text) ? part : undefined;
}

function frontMatterOf(text: string): YamlPart | undefined {
  const matter = splitFrontMatter(text)?.matter;
  if (matter === undefined) return undefined;
  const start = text.indexOf('\n') + 1;
  return { text: matter, put: (edited) => text.slice(0, start) + edited + text.slice(start + matter.length) };
}

function artefactPath(type: FiledType, id: string, text: string): YamlPath | undefined {
  if (type === 'skill' || type === 'path') return [];
  const index = indexOfElement(text, [], id, 'uid');
  return index < 0 ? undefined : [index];
}
