import { CIVIC_LIMITS, ID_PATTERN, type SubmissionType, VERSION_CORE_PATTERN } from '../config.ts';
import { type Fault, fault } from './faults.ts';
import { isReadonlyPath, parseFieldPath } from './field-path.ts';
import { SUBMISSION_ID } from './ids.ts';
import { AMENDMENT_SUBTYPES } from './item-types.ts';

type Raw = Readonly<Record<string, unknown>>;

const KEBAB = ID_PATTERN.source.slice(1, -1);
const SHORT_ID = new RegExp(`^(?=.{1,${CIVIC_LIMITS.text.id}}$)${KEBAB}$`);
/** A map, not an object, because clients choose the key. */
const TARGET_ID_SHAPES: ReadonlyMap<string, RegExp> = new Map([
  ['skill', SHORT_ID],
  ['path', SHORT_ID],
  ['path_source', new RegExp(`^(?=[^:]{1,${CIVIC_LIMITS.text.id}}:)${KEBAB}:[A-Za-z0-9][A-Za-z0-9_-]*$`)],
  ['volatile_value', /^val-\d{2,}$/],
  ['reference', /^ref-\d{2,}$/],
  ['skill_graph', /^graph$/],
  ['provider', SHORT_ID],
  ['concern', SUBMISSION_ID],
  ['amendment', SUBMISSION_ID],
  ['observation', SUBMISSION_ID],
  ['agent_protocol', VERSION_CORE_PATTERN],
]);

const WORDS_MIN: ReadonlyMap<string, number> = new Map([
  ['title', 1],
  ['summary', 2],
]);

/** Faults between members, which no single schema can find; checked even if single members are invalid. */
export function crossFaults(type: SubmissionType, item: Raw, sessionId: unknown): Fault[] {
  const faults = type === 'feedback' || type === 'draft' ? [] : targetFaults(item, sessionId);
  switch (type) {
    case 'concern':
      return [...faults, ...concernFaults(item)];
    case 'amendment':
      return [...faults, ...amendmentFaults(item)];
    case 'validation':
      return [...faults, ...validationFaults(item)];
    case 'rating':
      return item.score === 5 && item.would_be_5_stars !== undefined
        ? [...faults, notAllowed('/would_be_5_stars', 'has no place beside a score of 5')]
        : faults;
    default:
      return faults;
  }
}

function targetFaults({ target_type, target_id }: Raw, sessionId: unknown): Fault[] {
  if (typeof target_type !== 'string' || typeof target_id !== 'string') return [];
  const fits =
    target_type === 'session' ? target_id === sessionId : (TARGET_ID_SHAPES.get(target_type)?.test(target_id) ?? true);
  return fits ? [] : [fault('/target_id', 'pattern', `is not the id of a ${target_type}`)];
}

function concernFaults({ scope, specifier, target_type, observed_value }: Raw): Fault[] {
  const faults: Fault[] = [];
  const isScoped = scope !== undefined && scope !== 'general';
  if (isScoped && specifier === undefined) faults.push(required('/specifier', 'is required with this scope'));
  if (scope === 'commune-specific' && typeof specifier === 'string' && !/^\d{5}$/.test(specifier)) {
    faults.push(fault('/specifier', 'pattern', 'is not a NIS5 code'));
  }
  const isValue = target_type === 'volatile_value';
  if (isValue && observed_value === undefined) faults.push(required('/observed_value', 'is required for a value'));
  if (!isValue && observed_value !== undefined) faults.push(notAllowed('/observed_value', 'is for values only'));
  return faults;
}

function amendmentFaults({ target_type, content }: Raw): Fault[] {
  if (typeof target_type !== 'string' || typeof content !== 'object' || content === null) return [];
  const { amendment_subtype: subtype, frontmatter_change: change } = content as Raw;
  const faults: Fault[] = [];
  const allowed = AMENDMENT_SUBTYPES.get(target_type);
  if (typeof subtype === 'string' && allowed && !allowed.includes(subtype)) {
    faults.push(fault('/content/amendment_subtype', 'enum', `is not one of ${allowed.join(', ')}`));
  }
  const path = typeof change === 'object' && change !== null ? (change as Raw).field_path : undefined;
  if (typeof path === 'string') {
    const steps = parseFieldPath(path);
    const at = '/content/frontmatter_change/field_path';
    if (!steps) faults.push(fault(at, 'pattern', 'has other parts than names and [id=x]'));
    else if (isReadonlyPath(steps)) faults.push(fault(at, 'readonly', 'cannot be changed by a submission'));
    faults.push(...lineFaults(path, (change as Raw).proposed_value));
  }
  return faults;
}

/** A title needs one word, a summary two: lists and searches show nothing else of an artefact. */
function lineFaults(path: string, value: unknown): Fault[] {
  const wordsMin = WORDS_MIN.get(path);
  if (wordsMin === undefined || typeof value !== 'string') return [];
  const words = value.match(/\p{L}[\p{L}\p{M}]{1,9}/gu)?.length ?? 0;
  const isLine = !/[\p{Cc}\u2028\u2029]/u.test(value.trim());
  if (isLine && words >= wordsMin) return [];
  const message = `must be one line with at least ${wordsMin === 1 ? 'one word' : `${wordsMin} words`}`;
  return [fault('/content/frontmatter_change/proposed_value', 'pattern', message)];
}

function validationFaults(item: Raw): Fault[] {
  const faults: Fault[] = [];
  if (item.verdict === 'reject' && item.rationale === undefined) {
    faults.push(required('/rationale', 'is required on reject'));
  }
  if (item.injection_flag === true && item.verdict === 'confirm') {
    faults.push(fault('/verdict', 'const', 'must be reject with injection_flag'));
  }
  if (item.injection_flag !== true && item.injection_excerpt_pointer !== undefined) {
    faults.push(notAllowed('/injection_excerpt_pointer', 'needs injection_flag'));
  }
  const isSource = item.target_type === 'path_source';
  if (isSource && item.traversal_metadata === undefined) {
    faults.push(required('/traversal_metadata', 'is required for a path_source'));
  }
  if (!isSource && item.traversal_metadata !== undefined && typeof item.target_type === 'string') {
    faults.push(notAllowed('/traversal_metadata', 'is for a path_source only'));
  }
  return faults;
}

function required(pointer: string, message: string): Fault {
  return fault(pointer, 'required', message);
}

function notAllowed(pointer: string, message: string): Fault {
  return fault(pointer, 'additionalProperties', message);
}
