import { OUTCOME_GROUPS, REFUSED, UNDECIDED_RULE } from '../../gateway/audit/outcome-groups.ts';

const refused = REFUSED.map((one) => `'${one}'`).join(', ');

/** SQL condition for a group of outcomes; undefined if `asked` names a single outcome. */
export function groupCondition(asked: string | undefined, outcome: string, rule: string): string | undefined {
  const isUndecided = `(${outcome} = 'denied' AND COALESCE(${rule}, '') = '${UNDECIDED_RULE}')`;
  switch (OUTCOME_GROUPS.find((group) => group === asked)) {
    case 'failed':
      return `${outcome} NOT IN ('ok', ${refused})`;
    case 'refused':
      return `${outcome} IN (${refused}) AND NOT ${isUndecided}`;
    case 'undecided':
      return isUndecided;
    case undefined:
      return undefined;
  }
}
