import { z } from 'zod';
import { AUDIT_SETTINGS } from './settings/gateway-section.ts';
import { shapeOf } from './settings/setting.ts';

/** The members of `gateway.audit`, each validated separately. */
const MEMBERS = shapeOf(AUDIT_SETTINGS);

export const AuditSettings = z.looseObject(MEMBERS);
export type AuditSettings = z.output<typeof AuditSettings>;

type Member = keyof typeof MEMBERS;

/** Replaces invalid values, so that the log is at least as durable. Other members default to keeping everything. */
const STRICTEST: Partial<Record<Member, unknown>> = { fsync: true, sync: 'database' };

/** The audit settings of a config; `error` if the log cannot be kept that way. */
export interface ReadAuditSettings {
  readonly audit: AuditSettings;
  readonly error?: string;
}

/**
 * Reads `gateway.audit` member by member: an invalid one does not affect the others. An invalid `heads_file` is an error, because
 * without that file a truncated log would go unnoticed.
 */
export function readAuditSettings(written: unknown, scope: string, warnings: string[]): ReadAuditSettings {
  const nameOf = (member: string) => `gateway.audit${member} of the ${scope} config`;
  if (typeof written !== 'object' || written === null || Array.isArray(written))
    return { audit: {}, error: `${nameOf('')} is not an object` };
  const audit: Record<string, unknown> = {};
  let error: string | undefined;
  for (const [member, value] of Object.entries(written)) {
    const name = nameOf(`.${member}`);
    if (!Object.hasOwn(MEMBERS, member)) {
      if (!isFree(member)) warnings.push(`${name} is not known`);
      audit[member] = value;
      continue;
    }
    const checked = MEMBERS[member as Member].safeParse(value);
    const why = checked.error?.issues[0]?.message;
    if (checked.success) audit[member] = checked.data;
    else if (member === 'heads_file') error = `${name}: ${why}`;
    else if (Object.hasOwn(STRICTEST, member)) {
      audit[member] = STRICTEST[member as Member];
      warnings.push(`${name} counts as ${JSON.stringify(audit[member])}: ${why}`);
    } else warnings.push(`${name} is ignored: ${why}`);
  }
  return { audit, ...(error === undefined ? {} : { error }) };
}

function isFree(name: string): boolean {
  return name.startsWith('x-') || name === '$comment';
}
