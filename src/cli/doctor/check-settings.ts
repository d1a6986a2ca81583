import { getNodeValue, type Node } from 'jsonc-parser';
import { nearestWord } from '../../contract/nearest-word.ts';
import type { Diagnosis } from '../../gateway/administration/diagnosis.ts';
import { type ConfigLayer, parseConfigText, withoutBom } from '../../host/config/config-layer.ts';
import type { ListedSetting } from '../../host/config/settings/setting.ts';
import { ALL_SETTINGS } from '../all-settings.ts';
import { trouble } from './finding.ts';

type Path = readonly string[];

const SETTINGS = ALL_SETTINGS.map((setting) => ({ setting, path: setting.path.split('.') }));

/** Sections that other checks cover. */
const LOOKED_AT_ELSEWHERE = ['mcp.servers', 'mcpServers'];

/** Keys that are free for notes. */
const FREE = /^(?:x-.*|\$comment|\$schema)$/;

interface Problem {
  /** The position in the text. */
  readonly offset: number;
  readonly level: 'error' | 'warning';
  readonly message: string;
  readonly fix: string;
}

/** Checks every key of a person's own config against its record: unknown keys and wrong types, each with its line. */
export function checkSettings({ file, text }: Pick<ConfigLayer, 'file' | 'text'>): Diagnosis[] {
  if (text === '') return [];
  const { root } = parseConfigText(text);
  return (root ? problemsOf(root, []) : []).map(({ offset, level, message, fix }) =>
    trouble(level, 'config', `${file}, line ${lineAt(text, offset)}: ${message}`, fix),
  );
}

/** The line number of an offset in a text. */
export function lineAt(text: string, offset: number): number {
  return withoutBom(text).slice(0, offset).split('\n').length;
}

function problemsOf(section: Node, path: Path): Problem[] {
  return (section.children ?? []).flatMap(({ children, offset }) => {
    const [name, value] = children ?? [];
    if (!name || !value || FREE.test(String(name.value))) return [];
    return problemsAt([...path, String(name.value)], value, offset);
  });
}

function problemsAt(path: Path, value: Node, offset: number): Problem[] {
  const key = path.join('.');
  if (LOOKED_AT_ELSEWHERE.includes(key)) return [];
  const known = SETTINGS.find((one) => one.path.length === path.length && isBelow(one.path, path));
  if (known) return valueProblems(known.setting, getNodeValue(value)).map((problem) => ({ offset, ...problem }));
  if (!SETTINGS.some((one) => isBelow(one.path, path))) return [{ offset, ...unknownKey(path) }];
  if (value.type === 'object') return problemsOf(value, path);
  return [{ offset, level: 'error', message: `${key} is not an object`, fix: explained(key) }];
}

/** Whether a record is at or below a path; a star in it matches any name. */
function isBelow(record: Path, path: Path): boolean {
  return path.every((name, index) => record[index] === '*' || record[index] === name);
}

function valueProblems({ path, schema }: ListedSetting, value: unknown): Omit<Problem, 'offset'>[] {
  const parsed = schema.safeParse(value);
  if (parsed.success) return [];
  return parsed.error.issues.slice(0, 1).map((issue) => ({
    level: 'error',
    message: `${[path, ...issue.path].join('.')}: ${issue.message.replace(/^Invalid input: /, '')}`,
    fix: explained(path),
  }));
}

/** A name close to a known one is a typo, and the intended setting is not in force. */
function unknownKey(path: Path): Omit<Problem, 'offset'> {
  const name = path.at(-1) as string;
  const before = path.slice(0, -1);
  const siblings = SETTINGS.filter((one) => isBelow(one.path, before)).flatMap((one) => one.path[before.length] ?? []);
  const nearest = nearestWord(name, [...siblings, ...(before.join('.') === 'mcp' ? ['servers'] : [])]);
  return {
    level: nearest === undefined ? 'warning' : 'error',
    message: `${path.join('.')} is not a setting, and has no effect`,
    fix:
      nearest === undefined
        ? 'Take it out; `bindery config explain` lists the settings.'
        : `Did you mean ${[...before, nearest].join('.')}?`,
  };
}

function explained(key: string): string {
  return `Correct it: \`bindery config explain ${key}\` says what it is.`;
}
