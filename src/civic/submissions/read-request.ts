import { BinderyError } from '../../contract/errors.ts';
import { CIVIC_LIMITS, CONTRACT_VERSIONS, SEMVER_PATTERN, SUBMISSION_TYPES, type SubmissionType } from '../config.ts';
import type { Finding, ScrubResult } from '../scrub/scrub-submission.ts';
import { COMMON_NAMES, CommonFields, submissionId } from './common-fields.ts';
import { crossFaults } from './cross-checks.ts';
import { type Fault, fault, faultsError, zodFaults } from './faults.ts';
import { bannedFaults, isTooDeep, serverSetFaults } from './forbidden-fields.ts';
import { ITEM_SCHEMAS, type Item } from './item-types.ts';

type Raw = Readonly<Record<string, unknown>>;

export interface ReadItem {
  readonly item: Item;
  readonly submissionId: string | undefined;
  /** The item comes from this server's own pipeline probe [C8]. */
  readonly isProbe: boolean;
  /** Findings of detectors. */
  readonly detected?: readonly Finding[];
  /** Findings of the rules, if they ran already. */
  readonly scrubbed?: ScrubResult;
}

export interface TypedRequest extends ReadItem {
  readonly common: CommonFields;
}

export interface EnvelopeRequest {
  readonly common: CommonFields;
  /** Items as sent: each is parsed on its own, so that a fault refuses only one item. */
  readonly items: readonly unknown[];
}

export interface ReadOptions {
  /** The caller has the probe's credential, so it may mark items as probes. */
  readonly isProbe: boolean;
}

/** Parses a typed request: one flat object of common and own members [SU2]. Throws on the first failing step of SU7. */
export function readTyped(type: SubmissionType, raw: unknown, options: ReadOptions): TypedRequest {
  const request = requireObject(raw);
  requireContractVersion(request);
  requireShallow(request);
  refuse('banned_field', bannedFaults(request));
  refuse('worker_field_supplied', serverSetFaults(request, probeFields(type, options)));
  const [common, own] = splitCommon(request);
  const faults: Fault[] = [];
  const parsedCommon = CommonFields.safeParse(common);
  if (!parsedCommon.success) faults.push(...zodFaults(parsedCommon.error, common));
  const read = readOwn(type, own, request.session_id, faults);
  refuse('schema_invalid', faults);
  return { ...(read as ReadItem), common: parsedCommon.data as CommonFields };
}

/** Parses an envelope's common members and counts its items; a fault here refuses the whole envelope [SU6]. */
export function readEnvelope(raw: unknown): EnvelopeRequest {
  const { items, ...common } = requireObject(raw);
  requireContractVersion(common);
  requireShallow({ items, ...common });
  refuse('banned_field', bannedFaults(common));
  refuse('worker_field_supplied', serverSetFaults(common));
  const parsed = CommonFields.safeParse(common);
  const faults = parsed.success ? [] : zodFaults(parsed.error, common);
  if (items === undefined) faults.push(fault('/items', 'required', 'is required'));
  else if (!Array.isArray(items)) faults.push(fault('/items', 'type', 'is not a value of type array'));
  else if (items.length === 0) faults.push(fault('/items', 'minItems', 'has no element'));
  else if (items.length > CIVIC_LIMITS.envelope_items_max) {
    faults.push(fault('/items', 'maxItems', `has more than ${CIVIC_LIMITS.envelope_items_max} elements`));
  }
  refuse('schema_invalid', faults);
  return { common: parsed.data as CommonFields, items: items as unknown[] };
}

/** Parses one item of an envelope. Throws on the first failing step of SU7, with pointers inside the item. */
export function readItem(raw: unknown, sessionId: string, options: ReadOptions): ReadItem {
  const object = requireObject(raw);
  const type = object.type;
  refuse('banned_field', bannedFaults(object));
  refuse('worker_field_supplied', serverSetFaults(object, probeFields(type, options)));
  if (!isSubmissionType(type)) {
    const keyword = type === undefined ? 'required' : 'enum';
    throw faultsError('schema_invalid', [fault('/type', keyword, `is not one of ${SUBMISSION_TYPES.join(', ')}`)]);
  }
  const { type: _, ...own } = object;
  const faults: Fault[] = [];
  const read = readOwn(type, own, sessionId, faults);
  refuse('schema_invalid', faults);
  return read as ReadItem;
}

export function isSubmissionType(type: unknown): type is SubmissionType {
  return (SUBMISSION_TYPES as readonly unknown[]).includes(type);
}

function readOwn(type: SubmissionType, raw: Raw, sessionId: unknown, faults: Fault[]): ReadItem | undefined {
  const { submission_id: id, submitter_type: submitter, ...own } = raw;
  if (id !== undefined) {
    const parsedId = submissionId.safeParse(id);
    if (!parsedId.success) faults.push(fault('/submission_id', 'pattern', 'is not sub_ and a UUID of version 7'));
  }
  if (submitter !== undefined && submitter !== 'ci_probe') {
    faults.push(fault('/submitter_type', 'enum', 'is not one of ci_probe'));
  }
  const parsed = ITEM_SCHEMAS[type].safeParse(own);
  if (!parsed.success) faults.push(...zodFaults(parsed.error, own));
  faults.push(...crossFaults(type, own, sessionId));
  if (!parsed.success) return undefined;
  const item = { type, ...parsed.data } as Item;
  return { item: asStored(item), submissionId: id as string | undefined, isProbe: submitter === 'ci_probe' };
}

/** `observation` is stored and echoed as `concern` [SU9]. */
function asStored(item: Item): Item {
  return item.type === 'validation' && item.target_type === 'observation' ? { ...item, target_type: 'concern' } : item;
}

function probeFields(type: unknown, { isProbe }: ReadOptions): string[] {
  return isProbe && type === 'validation' ? ['submitter_type'] : [];
}

function splitCommon(request: Raw): [Raw, Raw] {
  const common: Record<string, unknown> = {};
  const own: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(request)) {
    if (COMMON_NAMES.has(name) && name !== 'submission_id') common[name] = value;
    else own[name] = value;
  }
  return [common, own];
}

function requireObject(raw: unknown): Raw {
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) return raw as Raw;
  throw faultsError('schema_invalid', [fault('', 'type', 'is not a value of type object')]);
}

function requireContractVersion({ submission_contract_version: version }: Raw): void {
  if (typeof version !== 'string' || !SEMVER_PATTERN.test(version)) return;
  const major = version.split('.')[0] as string;
  if ((CONTRACT_VERSIONS as readonly string[]).includes(major)) return;
  throw new BinderyError('contract_version_unsupported', { members: { supported: [...CONTRACT_VERSIONS] } });
}

function requireShallow(request: Raw): void {
  if (!isTooDeep(request)) return;
  throw faultsError('schema_invalid', [
    fault('', 'maxDepth', `nests more than ${CIVIC_LIMITS.nesting_max} levels deep`),
  ]);
}

function refuse(code: 'banned_field' | 'worker_field_supplied' | 'schema_invalid', faults: readonly Fault[]): void {
  if (faults.length > 0) throw faultsError(code, faults);
}
