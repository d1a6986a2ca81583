import type { z } from 'zod';
import { JurisdictionHosts } from '../protection/jurisdiction-hosts.ts';
import { PathMatter, ReferenceRow, ValueRow } from './entries.ts';
import type { CorpusIssue, CorpusWarning } from './issue.ts';
import { faultSentences, reportFault } from './parse-skill.ts';
import { readYaml } from './read-yaml.ts';
import type { SourceFile } from './source-file.ts';

/** A path file after every check that needs no other file. */
export interface ParsedPath {
  readonly file: SourceFile;
  /** Name of the file without its extension; the id must equal it. */
  readonly name: string;
  readonly issues: readonly CorpusIssue[];
  readonly warnings: readonly CorpusWarning[];
  readonly matter: PathMatter | undefined;
}

/** Parses and checks one `paths/<id>.yaml`. */
export function parsePath(file: SourceFile): ParsedPath {
  const name = file.path.slice('paths/'.length, -'.yaml'.length);
  const issues: CorpusIssue[] = [];
  const warnings: CorpusWarning[] = [];
  const issue = (code: CorpusIssue['code'], message: string) => issues.push({ code, path: file.path, message });
  const value = readValue(file, issues);
  if (value === undefined) return { file, name, issues, warnings, matter: undefined };
  const parsed = PathMatter.safeParse(value);
  if (!parsed.success) {
    for (const message of faultSentences(parsed.error)) issue('frontmatter_invalid', message);
    return { file, name, issues, warnings, matter: undefined };
  }
  const matter = asWritten(value as Written, parsed.data);
  if (matter.id !== name) issue('id_mismatch', `id "${matter.id}" differs from the file "${name}"`);
  for (const id of repeated(matter.sources.map((source) => source.id))) {
    issue('duplicate_id', `source "${id}" is there twice`);
  }
  if (/\d{8}/.test(file.text ?? '')) {
    warnings.push({ code: 'long_digit_run', path: file.path, message: 'has eight or more digits in a row' });
  }
  return { file, name, issues, warnings, matter };
}

type Written = Readonly<Record<string, unknown>> & { readonly sources?: readonly Written[] };

/** The entry with its members in the written order, because it is served as it is [RO8]. */
function asWritten(written: Written, matter: PathMatter): PathMatter {
  const sources = matter.sources.map((source, index) => inOrderOf(written.sources?.[index] ?? {}, source));
  return inOrderOf(written, { ...matter, sources });
}

function inOrderOf<T extends object>(written: object, read: T): T {
  const known = Object.keys(written).filter((name) => Object.hasOwn(read, name));
  return { ...Object.fromEntries(known.map((name) => [name, read[name as keyof T]])), ...read };
}

export interface ParsedRows<Row> {
  readonly issues: readonly CorpusIssue[];
  readonly rows: readonly Row[];
}

export function parseValues(file: SourceFile): ParsedRows<ValueRow> {
  return parseRows(file, ValueRow);
}

export function parseReferences(file: SourceFile): ParsedRows<ReferenceRow> {
  return parseRows(file, ReferenceRow);
}

/** Parses `catalogue/hosts.yaml`: the hosts of each jurisdiction. */
export function parseHosts(file: SourceFile): ParsedRows<JurisdictionHosts> {
  return parseList(file, JurisdictionHosts);
}

function parseRows<Row extends { uid: string }>(file: SourceFile, schema: z.ZodType<Row>): ParsedRows<Row> {
  const { rows, issues } = parseList(file, schema);
  const twice = [...repeated(rows.map((row) => row.uid))].map(
    (uid): CorpusIssue => ({ code: 'duplicate_id', path: file.path, message: `uid "${uid}" is there twice` }),
  );
  return { rows, issues: [...issues, ...twice] };
}

function parseList<Row>(file: SourceFile, schema: z.ZodType<Row>): ParsedRows<Row> {
  const issues: CorpusIssue[] = [];
  const issue = (code: CorpusIssue['code'], message: string) => issues.push({ code, path: file.path, message });
  const value = readValue(file, issues);
  if (value === undefined) return { issues, rows: [] };
  // An empty file has no rows.
  const list = value === null ? [] : value;
  if (!Array.isArray(list)) {
    issue('frontmatter_invalid', 'is not a list');
    return { issues, rows: [] };
  }
  const rows = list.flatMap((item, index) => {
    const parsed = schema.safeParse(item);
    if (parsed.success) return [parsed.data];
    for (const message of faultSentences(parsed.error, `/${index}`)) issue('frontmatter_invalid', message);
    return [];
  });
  return { issues, rows };
}

function readValue(file: SourceFile, issues: CorpusIssue[]): unknown {
  if (file.text === undefined) {
    reportFault(file, issues);
    return undefined;
  }
  const yaml = readYaml(file.text);
  if (yaml.ok) return yaml.value;
  issues.push({ code: yaml.code, path: file.path, message: yaml.message });
  return undefined;
}

function repeated(ids: readonly string[]): Set<string> {
  return new Set(ids.filter((id, index) => ids.indexOf(id) !== index));
}
