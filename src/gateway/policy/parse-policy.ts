import { findNodeAtLocation, getNodeValue, type Node } from 'jsonc-parser';
import { SURFACES, type Surface } from '../../contract/approval-surfaces.ts';
import { pointerTo } from '../../contract/json-pointer.ts';
import { nearestWord } from '../../contract/nearest-word.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import { BadSchema } from '../schema/value-keywords.ts';
import { type NamedPlace, parseNamedPlace } from './argument-strings.ts';
import { type JsonSource, membersOf, readJsonSource } from './json-source.ts';
import { parseHours } from './parse-hours.ts';
import {
  type Entry,
  type Finding,
  type FindingCode,
  type HoursRule,
  LIMIT_KEYS,
  type Limits,
  type NameList,
  type OperationRules,
  type ParsedPolicy,
  type Place,
  REMEMBER,
  type Remember,
  WRITES,
  type WritesRule,
} from './policy-document.ts';
import { schemaDoubts } from './schema-doubts.ts';
import { SCHEMA_FORMATS } from './schema-formats.ts';

const TOP_LEVEL = ['version', 'project', 'allowlist'];
const ALLOWLIST = ['servers', 'tools', 'operations', 'forbidden', 'hours', 'writes'];
/** Old keys and their current names; the last one has no successor. */
const LEGACY: Readonly<Record<string, string | undefined>> = {
  allowed_servers: 'servers',
  allowed_tools: 'tools',
  forbidden_operations: 'forbidden',
  allowed_operations: undefined,
};
const OPERATION = [
  'approval_required',
  'reason',
  ...LIMIT_KEYS,
  'arguments',
  'allowed_roots',
  'path_arguments',
  'allowed_domains',
  'url_arguments',
  'remember',
  'surfaces',
  'hours',
  'read_only',
];

/** Parses a policy file. A file with any error gives no document: a typing mistake must not allow calls. */
export function parsePolicy(text: string): ParsedPolicy {
  const source = readJsonSource(text);
  const reader = new PolicyReader(source);
  const document = reader.read();
  const bad = reader.findings.some(({ level }) => level === 'error');
  return { document: bad ? undefined : document, findings: reader.findings };
}

/** Parses an allowlist inside of another file, such as a profile of the config. */
export function parseAllowlistAt(text: string, path: readonly string[]): ParsedPolicy {
  const source = readJsonSource(text);
  const reader = new PolicyReader(source);
  const document = reader.readAllowlist(path);
  const bad = reader.findings.some(({ level }) => level === 'error');
  return { document: bad ? undefined : document, findings: reader.findings };
}

/** Replaces an unreadable policy: denies everything. */
export function unreadablePolicy(message: string, place: Place = { line: 1, pointer: '' }): ParsedPolicy {
  return { document: undefined, findings: [{ level: 'error', code: 'bad_type', ...place, message }] };
}

interface Member extends Place {
  readonly node: Node;
}

class PolicyReader {
  readonly findings: Finding[] = [];
  readonly #source: JsonSource;

  constructor(source: JsonSource) {
    this.#source = source;
  }

  read(): ParsedPolicy['document'] {
    const { root, syntaxError } = this.#source;
    if (syntaxError) {
      this.findings.push({ level: 'error', code: 'bad_type', ...syntaxError });
      return undefined;
    }
    if (root?.type !== 'object') {
      this.#error('bad_type', { line: 1, pointer: '' }, 'the file must hold one JSON object');
      return undefined;
    }
    this.#refuseRepeatedKeys(root, []);
    return this.#document(this.#allowlistMembers(root));
  }

  readAllowlist(path: readonly string[]): ParsedPolicy['document'] {
    const { root, syntaxError } = this.#source;
    if (syntaxError) {
      this.findings.push({ level: 'error', code: 'bad_type', ...syntaxError });
      return undefined;
    }
    const node = root && findNodeAtLocation(root, [...path]);
    const place = { line: node ? this.#source.lineAt(node.offset) : 1, pointer: pointerTo(...path) };
    if (node?.type !== 'object') {
      this.#error('bad_type', place, 'a policy must be an object');
      return undefined;
    }
    this.#refuseRepeatedKeys(node, path);
    const members = new Map<string, Member>();
    this.#collect(node, members, path);
    if (!members.has('servers')) this.#error('bad_type', place, 'servers is missing');
    return this.#document(members);
  }

  #document(members: ReadonlyMap<string, Member>): ParsedPolicy['document'] {
    return {
      forbidden: this.#names(members.get('forbidden'), false)?.entries ?? [],
      servers: this.#names(members.get('servers'), true) ?? { entries: [], line: 1, pointer: '' },
      tools: this.#tools(members.get('tools')),
      operations: this.#operations(members.get('operations')),
      allowedOperations: this.#names(members.get('allowed_operations'), false),
      hours: this.#hours(members.get('hours')),
      writes: this.#writes(members.get('writes')),
    };
  }

  /** The members of the allowlist by their current names, including those of older file formats. */
  #allowlistMembers(root: Node): Map<string, Member> {
    const members = new Map<string, Member>();
    let hasAllowlist = false;
    for (const { name, key, value } of membersOf(root)) {
      const member = this.#member(value, key, name);
      if (name === 'allowlist') {
        hasAllowlist = true;
        if (value.type !== 'object') this.#error('bad_type', member, 'allowlist must be an object');
        else this.#collect(value, members, ['allowlist']);
      } else if (Object.hasOwn(LEGACY, name)) {
        this.#take(members, name, member);
      } else if (name === 'hours' || name === 'writes') {
        this.#error('unknown_key', member, `${name} must stand in allowlist`);
      } else if (!TOP_LEVEL.includes(name) && !isFree(name) && name !== '$schema') {
        this.#warn('unknown_key', member, noKey(name, 'a policy file', TOP_LEVEL));
      }
      if (name === 'version' && value.value !== '1.0') this.#error('bad_type', member, 'version must be "1.0"');
      if (name === 'project' && value.type !== 'string') this.#error('bad_type', member, 'project must be a string');
    }
    if (!members.has('servers')) {
      const missing = hasAllowlist ? 'allowlist.servers' : 'allowlist';
      this.#error('bad_type', { line: 1, pointer: hasAllowlist ? '/allowlist' : '' }, `${missing} is missing`);
    }
    return members;
  }

  #collect(allowlist: Node, members: Map<string, Member>, path: readonly string[]): void {
    for (const { name, key, value } of membersOf(allowlist)) {
      const member = this.#member(value, key, ...path, name);
      if (ALLOWLIST.includes(name) || Object.hasOwn(LEGACY, name)) this.#take(members, name, member);
      else if (!isFree(name)) this.#error('unknown_key', member, noKey(name, 'allowlist', ALLOWLIST));
    }
  }

  #take(members: Map<string, Member>, name: string, member: Member): void {
    const legacy = Object.hasOwn(LEGACY, name);
    const present = LEGACY[name] ?? name;
    if (members.has(present)) this.#error('legacy_key', member, `${name} stands beside ${present}: keep one of them`);
    else if (legacy)
      this.#warn('legacy_key', member, `${name} is an old key${present === name ? '' : `: write ${present}`}`);
    members.set(present, member);
  }

  /** `wildcard`: the entry `*` matches everything. */
  #names(member: Member | undefined, wildcard: boolean): NameList | undefined {
    if (!member) return undefined;
    const { line, pointer } = member;
    return { entries: this.#strings(member, (value) => wildcard && value === '*'), line, pointer };
  }

  /** The strings of an array, with their positions; other types are errors. */
  #strings(member: Member, mayHoldStar: (value: string) => boolean = () => false): Entry[] {
    if (member.node.type !== 'array') {
      this.#error('bad_type', member, `${keyOf(member)} must be a list of strings`);
      return [];
    }
    const seen = new Set<string>();
    return (member.node.children ?? []).flatMap((node, index) => {
      const place = { line: this.#source.lineAt(node.offset), pointer: `${member.pointer}/${index}` };
      if (node.type !== 'string') {
        this.#error('bad_type', place, `${keyOf(place)} must be a string`);
        return [];
      }
      const value = node.value as string;
      if (seen.has(value)) this.#warn('duplicate_entry', place, `${value} is listed twice`);
      if (!mayHoldStar(value)) this.#warnOfGlob(value, place);
      seen.add(value);
      return [{ value, ...place }];
    });
  }

  #tools(member: Member | undefined): Map<string, NameList> {
    const tools = new Map<string, NameList>();
    for (const [server, names] of this.#objectMembers(member)) {
      const list = this.#names(names, true);
      if (list) tools.set(server, list);
    }
    return tools;
  }

  #operations(member: Member | undefined): Map<string, OperationRules> {
    return new Map(
      this.#objectMembers(member).map(([key, rules]) => {
        this.#warnOfGlob(key, rules);
        return [key, this.#operation(key, rules)];
      }),
    );
  }

  #warnOfGlob(name: string, place: Place): void {
    if (!/[*?]/.test(name)) return;
    this.#warn(
      'glob_has_no_effect',
      place,
      `${name} matches no tool: only the entry "*" of servers or of a server's tools is a wildcard`,
    );
  }

  #operation(key: string, member: Member): OperationRules {
    const rules = new Map(this.#objectMembers(member));
    for (const [name, rule] of rules) {
      if (!OPERATION.includes(name) && !isFree(name))
        this.#error('unknown_key', rule, noKey(name, 'an operation', OPERATION));
    }
    const approval = rules.get('approval_required');
    const reason = rules.get('reason');
    const readOnly = rules.get('read_only');
    if (approval && approval.node.type !== 'boolean')
      this.#error('bad_type', approval, 'approval_required must be true or false');
    if (readOnly && readOnly.node.type !== 'boolean')
      this.#error('bad_type', readOnly, 'read_only must be true or false');
    if (reason && reason.node.type !== 'string') this.#error('bad_type', reason, 'reason must be a string');
    const roots = rules.get('allowed_roots');
    const domains = rules.get('allowed_domains');
    const paths = this.#places(rules.get('path_arguments'), roots, 'allowed_roots');
    const urls = this.#places(rules.get('url_arguments'), domains, 'allowed_domains');
    return {
      key,
      place: placeOf(member),
      approval: approval && approval.node.value === true ? placeOf(approval) : undefined,
      reason: reason && (reason.node.value as string),
      limits: this.#limits(rules),
      arguments: this.#argumentSchema(rules.get('arguments')),
      allowedRoots: roots && { ...placeOf(roots), roots: this.#texts(roots), places: paths },
      allowedDomains: domains && { ...placeOf(domains), domains: this.#texts(domains), places: urls },
      remember: this.#remember(rules.get('remember')),
      surfaces: this.#surfaces(rules.get('surfaces')),
      hours: this.#hours(rules.get('hours')),
      readOnly: readOnly && readOnly.node.value === true,
    };
  }

  #texts(member: Member): string[] {
    return this.#strings(member).map(({ value }) => value);
  }

  /** The arguments that a rule applies to. An empty list would disable the rule, so it is an error. */
  #places(member: Member | undefined, rule: Member | undefined, ruleName: string): NamedPlace[] | undefined {
    if (!member) return undefined;
    if (!rule) this.#error('bad_type', member, `this needs ${ruleName} beside it`);
    const entries = this.#strings(member, () => true);
    if (entries.length === 0) this.#error('bad_type', member, 'must name at least one argument');
    return entries.flatMap((entry) => {
      const place = parseNamedPlace(entry.value);
      if (!place) this.#error('bad_type', entry, `${entry.value} is not a JSON pointer such as "/path"`);
      return place ? [place] : [];
    });
  }

  #limits(rules: ReadonlyMap<string, Member>): Limits {
    const limits: Record<string, number> = {};
    for (const key of LIMIT_KEYS) {
      const member = rules.get(key);
      if (!member) continue;
      const value = member.node.type === 'number' ? (member.node.value as number) : Number.NaN;
      if (Number.isSafeInteger(value) && value >= 1) limits[key] = value;
      else this.#error('bad_type', member, `${key} must be an integer of at least 1`);
    }
    return limits;
  }

  #argumentSchema(member: Member | undefined): OperationRules['arguments'] {
    if (!member) return undefined;
    if (member.node.type !== 'object') {
      this.#error('bad_type', member, 'arguments must be a JSON Schema object');
      return undefined;
    }
    const schema = getNodeValue(member.node) as object;
    for (const { path, message } of schemaDoubts(schema)) {
      const line = this.#source.lineAt(findNodeAtLocation(member.node, [...path])?.offset ?? member.node.offset);
      this.#error('bad_schema', { line, pointer: `${member.pointer}${pointerTo(...path)}` }, message);
    }
    try {
      const judge = compileSchema(schema, {
        dialect: '2020-12',
        unusablePatterns: 'refuse',
        formats: SCHEMA_FORMATS,
      });
      return { ...placeOf(member), judge };
    } catch (error) {
      if (!(error instanceof BadSchema) && !(error instanceof RangeError)) throw error;
      const code = error instanceof BadSchema && error.unusablePattern ? 'unsupported_pattern' : 'bad_schema';
      this.#error(code, member, `the schema does not compile: ${error.message}`);
      return undefined;
    }
  }

  #remember(member: Member | undefined): Remember | undefined {
    if (member && !REMEMBER.includes(member.node.value as Remember)) {
      this.#error('bad_type', member, `remember must be one of ${REMEMBER.join(', ')}`);
      return undefined;
    }
    return member?.node.value as Remember | undefined;
  }

  #surfaces(member: Member | undefined): readonly Surface[] | undefined {
    if (!member) return undefined;
    const surfaces = this.#strings(member);
    for (const surface of surfaces) {
      if (!SURFACES.includes(surface.value as Surface))
        this.#error('bad_type', surface, `${surface.value} is not one of ${SURFACES.join(', ')}`);
    }
    return surfaces.map(({ value }) => value as Surface);
  }

  #writes(member: Member | undefined): WritesRule | undefined {
    if (!member) return undefined;
    const writes = WRITES.find((one) => one === member.node.value);
    if (!writes) this.#error('bad_type', member, `writes must be one of ${WRITES.join(', ')}`);
    return writes && { ...placeOf(member), writes };
  }

  #hours(member: Member | undefined): HoursRule | undefined {
    if (!member) return undefined;
    const { hours, problems } = parseHours(getNodeValue(member.node));
    for (const { path, code, message } of problems) {
      const node = findNodeAtLocation(member.node, [...path]);
      const line = node ? this.#source.lineAt(node.offset) : member.line;
      this.#error(code, { line, pointer: `${member.pointer}${pointerTo(...path)}` }, message);
    }
    return hours && { ...placeOf(member), hours };
  }

  #objectMembers(member: Member | undefined): [string, Member][] {
    if (!member) return [];
    if (member.node.type !== 'object') {
      this.#error('bad_type', member, 'must be an object');
      return [];
    }
    return membersOf(member.node).map(({ name, key, value }) => [
      name,
      { node: value, line: this.#source.lineAt(key.offset), pointer: member.pointer + pointerTo(name) },
    ]);
  }

  #refuseRepeatedKeys(node: Node, path: readonly (string | number)[]): void {
    if (node.type === 'array') {
      node.children?.forEach((child, index) => {
        this.#refuseRepeatedKeys(child, [...path, index]);
      });
      return;
    }
    if (node.type !== 'object') return;
    const seen = new Set<string>();
    for (const { name, key, value } of membersOf(node)) {
      if (seen.has(name))
        this.#error('duplicate_entry', this.#member(value, key, ...path, name), `${name} stands twice in one object`);
      seen.add(name);
      this.#refuseRepeatedKeys(value, [...path, name]);
    }
  }

  #member(node: Node, key: Node, ...path: readonly (string | number)[]): Member {
    return { node, line: this.#source.lineAt(key.offset), pointer: pointerTo(...path) };
  }

  #error(code: FindingCode, place: Place, message: string): void {
    this.findings.push({ level: 'error', code, ...placeOf(place), message });
  }

  #warn(code: FindingCode, place: Place, message: string): void {
    this.findings.push({ level: 'warning', code, ...placeOf(place), message });
  }
}

function placeOf({ line, pointer }: Place): Place {
  return { line, pointer };
}

function isFree(name: string): boolean {
  return name.startsWith('x-') || name === '$comment';
}

/** The key at a position, for messages: `allowlist.tools.files`. */
function keyOf({ pointer }: { readonly pointer: string }): string {
  return pointer.slice(1).split('/').map(unescapePointer).join('.');
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

function noKey(name: string, of: string, keys: readonly string[]): string {
  const nearest = nearestWord(name, keys);
  return `${name} is not a key of ${of}${nearest === undefined ? '' : `. Did you mean ${nearest}?`}`;
}
