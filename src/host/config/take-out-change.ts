import { isDeepStrictEqual } from 'node:util';
import { getNodeValue } from 'jsonc-parser';
import { BinderyError } from '../../contract/errors.ts';
import { parseConfigText, withoutBom } from './config-layer.ts';
import { removeMember, setMember } from './edit-config.ts';

/** A config before and after a change, and now. */
export interface ChangedTexts {
  readonly before: string | undefined;
  readonly after: string;
  readonly now: string;
}

export interface ChangeTakenOut {
  /** Undefined: there was no file before, and nothing is left in it. */
  readonly text: string | undefined;
  /** The members that are different again, and therefore stay. */
  readonly left: readonly (readonly string[])[];
}

interface ChangedMember {
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

/** Undoes a change of a config that has changed again since: every other byte stays. A server is one member. */
export function takeOutChange({ before, after, now }: ChangedTexts): ChangeTakenOut {
  const [was, ours, is] = [before, after, now].map(configValueOf);
  const left: (readonly string[])[] = [];
  let text = now;
  for (const member of changedMembers(was, ours, [])) {
    const current = valueAt(is, member.path);
    const isUndone = current === undefined || isDeepStrictEqual(current, member.before);
    if (isUndone && member.after !== undefined) continue;
    if (!isDeepStrictEqual(withoutSwitch(current), withoutSwitch(member.after))) left.push(member.path);
    else if (member.before === undefined) text = removeMember(text, member.path);
    else text = setMember(text, member.path, member.before);
  }
  return { text: before === undefined && isBare(text) ? undefined : text, left };
}

function* changedMembers(before: unknown, after: unknown, path: readonly string[]): Generator<ChangedMember> {
  const [was, is] = [membersOf(before), membersOf(after)];
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const member = [...path, key];
    if (isDeepStrictEqual(was[key], is[key]) || member.join() === 'version') continue;
    const isWhole = path.join('.') === 'mcp.servers' || !isObject(is[key]) || !isObject(was[key] ?? {});
    if (isWhole) yield { path: member, before: was[key], after: is[key] };
    else yield* changedMembers(was[key], is[key], member);
  }
}

/** A server that `mcp disable` or `mcp enable` switched is still the one that was added. */
function withoutSwitch(value: unknown): unknown {
  const { enabled: _enabled, ...others } = { ...membersOf(value) };
  return isObject(value) ? others : value;
}

function configValueOf(text: string | undefined): unknown {
  if (text === undefined || withoutBom(text).trim() === '') return {};
  const { root, error } = parseConfigText(text);
  if (error !== undefined) throw new BinderyError('CONFIG_INVALID', { detail: error });
  return getNodeValue(root);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, key) => membersOf(inner)[key], value);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  const members = Object.entries(isObject(value) ? value : {});
  // An id may be the name of something that every object inherits.
  return Object.assign(Object.create(null), Object.fromEntries(members));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isBare(text: string): boolean {
  return /^\{\s*(?:"version"\s*:\s*1\s*,?\s*)?\}$/.test(withoutBom(text).trim());
}
