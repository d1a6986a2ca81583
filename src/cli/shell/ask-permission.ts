import { jsonOfVisible, stillVisibleLine, visible } from '../../contract/visible-text.ts';
import type { PermissionRequest } from '../../host/permissions/permissions.ts';
import type { Extent, PermissionAnswer } from '../../host/permissions/read-answer.ts';
import { UP_LIMITS } from '../../runtime/limits.ts';

/** The question for a person: who wants to do what, with which arguments. `whole`: without truncation. */
export function permissionQuestion(
  { server, tool, arguments: args, readOnly, destructive, declared }: PermissionRequest,
  whole = false,
): string {
  const json = jsonOfVisible(args ?? {}, 2);
  const cut = whole ? 0 : json.length - UP_LIMITS.shellArgumentCharsMax;
  const shown =
    cut > 0
      ? `${json.slice(0, UP_LIMITS.shellArgumentCharsMax)}\n… and ${cut} more characters; "whole" shows them`
      : json;
  const says = readOnly ? 'it only reads' : destructive ? 'it may change or delete things' : 'it changes things';
  const unsaid = readOnly ? 'it only reads' : 'the server does not say what it does';
  const word = declared ? `the server says that ${says}; nobody has checked that` : unsaid;
  return [
    visible`${server}/${tool} wants to run (${word})`,
    ...shown.split('\n').map((line) => stillVisibleLine(`  ${line}`)),
    'y = once, s = this session, a = always ("s server", "a read-only": for more),',
    'n [reason] = no',
    '',
  ].join('\n');
}

/** Whether the person wants to read all arguments first. */
export function asksForWhole(line: string): boolean {
  return /^\s*whole\s*$/i.test(line);
}

/** The person's answer; undefined if it is unclear, and then the question is repeated. */
export function parseAnswer(line: string): PermissionAnswer | undefined {
  const [, verb = '', rest = ''] = /^\s*(\S+)\s*([\s\S]*?)\s*$/.exec(line) ?? [];
  if (/^(n|no)$/i.test(verb)) return rest === '' ? { decision: 'deny' } : { decision: 'deny', reason: rest };
  if (/^(y|yes)$/i.test(verb) && rest === '') return { decision: 'allow', remember: 'once' };
  const extent = EXTENTS[rest.toLowerCase()];
  if (extent === undefined) return undefined;
  if (/^(s|session)$/i.test(verb)) return { decision: 'allow', remember: 'session', extent };
  if (/^(a|always)$/i.test(verb)) return { decision: 'allow', remember: 'always', extent };
  return undefined;
}

const EXTENTS: Readonly<Record<string, Extent>> = {
  '': 'tool',
  tool: 'tool',
  server: 'server',
  'read-only': 'read_only',
};
