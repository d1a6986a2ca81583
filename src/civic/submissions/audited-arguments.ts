import { CIVIC_LIMITS } from '../config.ts';

/** Members that say what a submission is about, and nothing about its author. */
const KEPT_MEMBERS: ReadonlySet<string> = new Set(
  `type schema_version submission_contract_version declared_capabilities dry_run target_type target_id proposed_id base_version
  target_version verdict injection_flag kind scope axis score topic amendment_subtype evidence_source evidence_date skill_id path_id
  category mode app locale status purpose themes filters items content context language_used traversal_metadata outcome duration_bucket
  frontmatter_change body_diff source_add value_change reference_change field_path`.split(/\s+/),
);
/** Closed values: ids, versions, enums, dates. A long run of digits is none of these. */
const CLOSED_VALUE = /^(?!.*\d{7})[A-Za-z0-9][A-Za-z0-9_.:[\]=-]{0,79}$/;
const LEVELS_MAX = 6;

/**
 * The part of a civic call that goes into the gateway's audit log: free text is replaced by its length, so that no name, IBAN or phone
 * number that the scrub refused or missed is stored there.
 */
export function auditedArguments(value: unknown, levels = LEVELS_MAX): unknown {
  if (typeof value === 'string') return CLOSED_VALUE.test(value) ? value : `[${value.length} characters]`;
  if (typeof value === 'number') return Math.abs(value) < 1_000_000 ? value : '[number]';
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '[nested]';
  if (Array.isArray(value)) {
    return value.slice(0, CIVIC_LIMITS.envelope_items_max).map((one) => auditedArguments(one, levels - 1));
  }
  const kept = Object.entries(value).filter(([name]) => KEPT_MEMBERS.has(name));
  const hidden = Object.keys(value).length - kept.length;
  return Object.fromEntries([
    ...kept.map(([name, member]) => [name, auditedArguments(member, levels - 1)]),
    ...(hidden > 0 ? [['members_not_kept', hidden]] : []),
  ]);
}
