import { jsonOfVisible } from '../../contract/visible-text.ts';
import type { AnswerBody } from '../answers.ts';
import type { Explanation, Trace } from '../explain.ts';
import type { LintedIssue } from '../lint-zones.ts';
import type { ZoneIssue } from '../zone.ts';

/** An answer for a person. */
export function printAnswer(body: AnswerBody): string {
  const lines = 'mode' in body ? descriptorLines(body) : recordLines(body);
  return text([...lines, ...(body.trace ? ['', ...traceLines(body.trace)] : [])]);
}

/** An explanation for a person: first the outcome, then every candidate. */
export function printExplanation(explanation: Explanation): string {
  const { descriptor, failure } = explanation;
  const outcome = descriptor
    ? descriptorLines(descriptor)
    : [`${explanation.identity}: ${String(failure?.code)}${failure?.reason ? ` (${String(failure.reason)})` : ''}`];
  return text([...outcome, '', ...traceLines(explanation)]);
}

export function printIssues(issues: readonly (ZoneIssue | LintedIssue)[], checked: number): string {
  const lines = issues.map((issue) => {
    const where = 'identity' in issue ? `${issue.identity} ` : '';
    const record = issue.record === undefined ? '' : `record ${issue.record}: `;
    return `${issue.level.padEnd(8)}${where}${record}${issue.message} (${issue.code})`;
  });
  const errors = issues.filter((issue) => issue.level === 'error').length;
  return text([...lines, `${checked} checked, ${errors} errors, ${issues.length - errors} warnings`]);
}

function descriptorLines(body: Extract<AnswerBody, { mode: 'mcp' }>): string[] {
  return [
    `${body.identity} → ${body.endpoint}`,
    ...(body.capabilities ? [`capabilities  ${body.capabilities.join(', ') || 'none'}`] : []),
    ...(body.key ? [`key           ${body.key}`] : []),
    `source        ${body.source}${body.age === undefined ? '' : `, ${body.age} s old`}${body.resolved_from ? ` from ${body.resolved_from}` : ''}`,
    `ttl           ${body.ttl} s`,
    ...(body.cascade ? ['cascade       off'] : []),
    ...(body.signature ? [`signed by     ${body.signature.kid} until ${body.signature.expires_at}`] : []),
  ];
}

function recordLines(body: Exclude<AnswerBody, { mode: 'mcp' }>): string[] {
  return [
    `${body.identity}, ${body.records.length} records, ttl ${body.ttl} s`,
    ...body.records.map((record) => `  ${jsonOfVisible(record)}`),
    ...body.warnings.map(
      ({ message, record }) => `  warning: ${record === undefined ? '' : `record ${record}: `}${message}`,
    ),
  ];
}

function traceLines({ zones, candidates, left_off }: Trace): string[] {
  return [
    'zones',
    ...zones.map(
      (zone) =>
        `  ${'  '.repeat(zone.depth)}${zone.identity}, ttl ${zone.ttl} s${zone.allows ? `, allows ${zone.allows.join(', ') || 'nothing'}` : ''}`,
    ),
    'candidates',
    ...candidates.map(
      (candidate) =>
        `  ${candidate.rank}. ${candidate.endpoint ?? 'not a URL'} (${candidate.zone}, priority ${candidate.priority}) ${candidate.verdict}: ${candidate.why}`,
    ),
    ...(left_off ? [`  and ${left_off} more`] : []),
  ];
}

function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
