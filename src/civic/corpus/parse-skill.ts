import type { z } from 'zod';
import { bodyTree, isTooTangled } from './body-tree.ts';
import { checkBody } from './check-body.ts';
import { SKILL_KEYS, SkillMatter } from './entries.ts';
import { hiddenTexts } from './hidden-text.ts';
import type { CorpusIssue, CorpusWarning } from './issue.ts';
import { permalinkForm } from './permalinks.ts';
import { readYaml } from './read-yaml.ts';
import type { SourceFile } from './source-file.ts';
import type { Tag } from './tags.ts';
import { type ValueSpan, valueSpans } from './values.ts';

/** A skill file after every check that needs no other file. */
export interface ParsedSkill {
  readonly file: SourceFile;
  /** Name of its folder; the id must equal it. */
  readonly folder: string;
  readonly issues: readonly CorpusIssue[];
  readonly warnings: readonly CorpusWarning[];
  /** Undefined if the front matter cannot be parsed. */
  readonly matter: SkillMatter | undefined;
  /** Offset of the body in the file. */
  readonly bodyStart: number;
  readonly tags: readonly Tag[];
  readonly values: readonly ValueSpan[];
}

/** Splits `---` front matter from the body; undefined if there is none. */
export function splitFrontMatter(text: string): { matter: string; bodyStart: number } | undefined {
  if (!text.startsWith('---\n')) return undefined;
  if (text.startsWith('---\n', 4)) return { matter: '', bodyStart: 8 };
  const end = text.indexOf('\n---\n', 3);
  if (end !== -1) return { matter: text.slice(4, end + 1), bodyStart: end + 5 };
  return text.endsWith('\n---') ? { matter: text.slice(4, -3), bodyStart: text.length } : undefined;
}

/** Parses and checks one `skills/<id>/canonical.md`. */
export function parseSkill(file: SourceFile): ParsedSkill {
  const folder = file.path.split('/')[1] ?? '';
  const issues: CorpusIssue[] = [];
  const warnings: CorpusWarning[] = [];
  const issue = (code: CorpusIssue['code'], message: string) => issues.push({ code, path: file.path, message });
  const nothing = { file, folder, issues, warnings, matter: undefined, bodyStart: 0, tags: [], values: [] };

  if (file.text === undefined) {
    reportFault(file, issues);
    return nothing;
  }
  const split = splitFrontMatter(file.text);
  if (!split) {
    issue('frontmatter_invalid', 'does not begin with front matter between two lines of ---');
    return nothing;
  }
  const yaml = readYaml(split.matter);
  if (!yaml.ok) {
    issue(yaml.code, `front matter ${yaml.message}`);
    return nothing;
  }
  const parsed = SkillMatter.safeParse(yaml.value);
  if (!parsed.success) {
    for (const message of faultSentences(parsed.error)) issue('frontmatter_invalid', message);
    return nothing;
  }
  const matter = parsed.data;
  if (matter.id !== folder) issue('id_mismatch', `id "${matter.id}" differs from the folder "${folder}"`);
  const names = matter.inputs.map((input) => input.name);
  if (new Set(names).size < names.length) issue('frontmatter_invalid', '/inputs: a name is there twice');
  for (const key of sponsorKeys(yaml.value)) issue('frontmatter_invalid', `"${key}": content cannot be sponsored`);
  for (const key of Object.keys(matter)) {
    if (!SKILL_KEYS.has(key)) warnings.push({ code: 'unknown_key', path: file.path, message: `unknown key "${key}"` });
  }
  for (const { url } of matter.citations) {
    const form = permalinkForm(url);
    const message = `citation "${url}" may move: prefer ${form}`;
    if (form !== undefined) warnings.push({ code: 'no_permalink', path: file.path, message });
  }
  const body = file.text.slice(split.bodyStart);
  const checked = checkBody(body);
  for (const fault of checked.faults) issue('mdx_forbidden', fault);
  if (checked.faults.length === 0) warnings.push(...bodyWarnings(file.path, body));
  return {
    file,
    folder,
    issues,
    warnings,
    matter,
    bodyStart: split.bodyStart,
    tags: checked.tags,
    values: valueSpans(checked.tags, split.bodyStart),
  };
}

/** Text that readers of the page do not see, or not as intended. */
function bodyWarnings(path: string, body: string): CorpusWarning[] {
  const hidden = hiddenTexts(body).map(({ text }): CorpusWarning => {
    const quote = JSON.stringify(text.slice(0, 80));
    return { code: 'hidden_text', path, message: `people do not see this text on the page: ${quote}` };
  });
  const faults = TABLE_LINES.test(body) && !isTooTangled(body) ? bodyTree(body).tableFaults : [];
  return [...hidden, ...faults.map((message): CorpusWarning => ({ code: 'malformed_table', path, message }))];
}

/** A quick test for possible tables. */
const TABLE_LINES = /\|.*\n.*\|/;

/** Reports a file that could not be read. */
export function reportFault(file: SourceFile, issues: CorpusIssue[]): void {
  issues.push(
    file.fault === 'file_too_large'
      ? { code: 'file_too_large', path: file.path, message: 'is larger than 256 KiB' }
      : { code: 'frontmatter_invalid', path: file.path, message: 'is not UTF-8' },
  );
}

export function faultSentences(error: z.ZodError, prefix = ''): string[] {
  return error.issues
    .slice(0, 20)
    .map((fault) => `${prefix}/${fault.path.map(String).join('/')}: ${fault.message.slice(0, 200)}`);
}

function sponsorKeys(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [
    ...(/^sponsor/i.test(key) ? [key] : []),
    ...sponsorKeys(child),
  ]);
}
