import { APPS, CIVIC_LIMITS, LOCALES, MODES, PURPOSES, STATUSES } from '../config.ts';
import { PATH_KEYS, SKILL_KEYS, SOURCE_KEYS } from '../corpus/entries.ts';
import { requestSchema, SCHEMA_NAMES } from './json-schemas.ts';

/** Members that say what a submission is about, and nothing about its author. */
const KEPT_MEMBERS: ReadonlySet<string> = new Set(
  `type schema_version submission_contract_version declared_capabilities dry_run target_type target_id proposed_id base_version
  target_version verdict injection_flag kind scope axis score topic amendment_subtype evidence_source evidence_date skill_id path_id
  category mode app locale status purpose themes filters items content context language_used traversal_metadata outcome duration_bucket
  frontmatter_change body_diff source_add value_change reference_change field_path`.split(/\s+/),
);
const ID_MEMBERS: ReadonlySet<string> = new Set(['target_id', 'proposed_id', 'skill_id', 'path_id', 'category']);
const VERSION_MEMBERS: ReadonlySet<string> = new Set(['submission_contract_version', 'base_version', 'target_version']);
/** Three short numbers: longer ones could be a phone number. */
const SHORT_VERSION = /^\d{1,2}\.\d{1,2}\.\d{1,2}$/;
const NUMBER_MAX = 999;
const LEVELS_MAX = 6;

/** Whether the corpus or the store has something with this id. */
export type IsKnownId = (id: string) => boolean;

/**
 * The part of a civic call that goes into the gateway's audit log: ids that exist, words of closed lists and versions. Any other text is
 * replaced by its length, so that no name, IBAN or phone number is stored there, whatever member a sender wrote it into.
 */
export function auditedArguments(value: unknown, isKnownId: IsKnownId): unknown {
  return audited(value, '', isKnownId, LEVELS_MAX);
}

function audited(value: unknown, member: string, isKnownId: IsKnownId, levels: number): unknown {
  if (typeof value === 'string') return isClosed(member, value, isKnownId) ? value : `[${value.length} characters]`;
  if (typeof value === 'number') return Math.abs(value) <= NUMBER_MAX ? value : '[number]';
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '[nested]';
  if (Array.isArray(value)) {
    return value.slice(0, CIVIC_LIMITS.envelope_items_max).map((one) => audited(one, member, isKnownId, levels - 1));
  }
  const kept = Object.entries(value).filter(([name]) => KEPT_MEMBERS.has(name));
  const hidden = Object.keys(value).length - kept.length;
  return Object.fromEntries([
    ...kept.map(([name, one]) => [name, audited(one, name, isKnownId, levels - 1)]),
    ...(hidden > 0 ? [['members_not_kept', hidden]] : []),
  ]);
}

function isClosed(member: string, value: string, isKnownId: IsKnownId): boolean {
  if (ID_MEMBERS.has(member)) return isKnownId(value);
  if (VERSION_MEMBERS.has(member)) return SHORT_VERSION.test(value);
  words ??= closedWords();
  return words.get(member)?.has(value) ?? false;
}

let words: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** The words that each member may have, from the schemas of submissions and from the lists of the reads. */
function closedWords(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const add = (member: string, more: readonly unknown[]) => {
    const known = found.get(member) ?? new Set();
    for (const one of more) if (typeof one === 'string') known.add(one);
    found.set(member, known);
  };
  const visit = (schema: unknown, member: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { enum: list = [], const: only, items, properties = {} } = schema as Record<string, unknown>;
    add(member, [...(list as unknown[]), only]);
    visit(items, member);
    for (const [name, one] of Object.entries(properties as object)) visit(one, name);
    for (const name of ['oneOf', 'anyOf', 'allOf']) {
      for (const one of (schema as Record<string, unknown[]>)[name] ?? []) visit(one, member);
    }
  };
  for (const name of SCHEMA_NAMES) {
    add('type', [name]);
    visit(requestSchema(name), '');
  }
  add('locale', LOCALES);
  add('app', APPS);
  add('mode', MODES);
  add('status', STATUSES);
  add('purpose', PURPOSES);
  add('field_path', [...SKILL_KEYS, ...PATH_KEYS, ...SOURCE_KEYS]);
  return found;
}
