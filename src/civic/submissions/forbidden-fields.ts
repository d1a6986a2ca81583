import { toPointer } from '../../contract/input-issues.ts';
import { CIVIC_LIMITS } from '../config.ts';
import { type Fault, fault } from './faults.ts';

/** Names that could identify a person; refused at any depth [SU12]. */
const BANNED_NAMES: ReadonlySet<string> = new Set([
  'submitter_name',
  'submitter_email',
  'session_correlation_id',
  'device_id',
  'user_id',
  'user_email',
  'user_name',
  'ip_address',
  'github_login',
]);

/** Members that only the server sets; refused at the top level of a request or item. */
const SERVER_SET_NAMES: readonly string[] = [
  'accepted_at',
  'cohort_anchor',
  'regex_passes',
  'regex_validation',
  'ner_status',
  'cancel_token',
  'submitter_type',
];

export function bannedFaults(value: unknown): Fault[] {
  const faults: Fault[] = [];
  visitKeys(value, [], (path, key) => {
    if (BANNED_NAMES.has(key)) {
      faults.push(fault(toPointer([...path, key]), 'banned_field', 'could identify a person'));
    }
  });
  return faults;
}

/** `allowed` lists members that the caller's credential may set [C8]. */
export function serverSetFaults(value: object, allowed: readonly string[] = []): Fault[] {
  return SERVER_SET_NAMES.filter((name) => Object.hasOwn(value, name) && !allowed.includes(name)).map((name) =>
    fault(toPointer([name]), 'worker_field_supplied', 'is set by the server'),
  );
}

/** Whether a value nests too deeply, without recursing beyond the limit [X4]. */
export function isTooDeep(value: unknown, levelsMax: number = CIVIC_LIMITS.nesting_max): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levelsMax === 0) return true;
  return Object.values(value).some((member) => isTooDeep(member, levelsMax - 1));
}

function visitKeys(value: unknown, path: PropertyKey[], visit: (path: PropertyKey[], key: string) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    value.forEach((element, index) => {
      visitKeys(element, [...path, index], visit);
    });
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    visit(path, key);
    if (typeof member === 'object' && member !== null) visitKeys(member, [...path, key], visit);
  }
}
