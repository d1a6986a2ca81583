import type { BinderyError } from '../../contract/errors.ts';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';

/** Refusals that no rule of the policy made are recorded under a name of their own. */
const OWN_RULES: Readonly<Record<string, string>> = {
  APPROVAL_PENDING: 'approval_pending',
  APPROVAL_DENIED: 'approval_denied',
  APPROVAL_EXPIRED: 'approval_expired',
  APPROVAL_MISMATCH: 'approval_mismatch',
  TOO_MANY_APPROVALS: 'too_many_approvals',
  DEFINITION_CHANGED: 'definition_changed',
  QUARANTINED: 'quarantined',
  BUSY: 'queue_full',
};

/** The rule by which a call was refused, where it has a name. */
export function ruleOf({ code }: BinderyError): Pick<AuditEntry, 'rule'> {
  const rule = OWN_RULES[code];
  return rule === undefined ? {} : { rule: { rule } };
}

/** Which approval a refusal is about, and who gave no. */
export function approvalOf({
  members: { approval_id, approver },
}: BinderyError): Pick<AuditEntry, 'approval_id' | 'approver'> {
  return {
    ...(typeof approval_id === 'string' ? { approval_id } : {}),
    ...(typeof approver === 'string' ? { approver } : {}),
  };
}
