import { civicProblems } from '../contract/errors/civic.ts';
import { BinderyError, ERRORS, type ErrorCode } from '../contract/errors.ts';
import { issueSentence } from '../contract/execute.ts';
import type { AnyOperation, Failures, InputIssue } from '../contract/operation.ts';

/** This room's names for the codes that every face shares. */
const CIVIC_NAMES: Partial<Record<ErrorCode, ErrorCode>> = {
  MALFORMED_JSON: 'malformed_json',
  UNSUPPORTED_MEDIA_TYPE: 'unsupported_media_type',
  PAYLOAD_TOO_LARGE: 'payload_too_large',
  ROUTE_NOT_FOUND: 'route_not_found',
  METHOD_NOT_ALLOWED: 'method_not_allowed',
  INVALID_ARGUMENTS: 'schema_invalid',
};

/** The Cache-Control of every refusal, for tools [RO1]. */
const NO_STORE_META = { 'bindery/cache_control': 'no-store' };

const RETRYABLE: ReadonlySet<string> = new Set(['rate_limited', 'target_version_stale', 'artefact_quarantined']);

export interface CivicFailures extends Failures {
  /** The same failures with absolute URLs under this base. */
  at(baseUrl: () => string): CivicFailures;
}

/** The failures of this room's operations; `schemaPath` is where clients find the input schema. */
export function civicFailures(schemaPath = '/openapi.json', baseUrl: () => string = () => ''): CivicFailures {
  return {
    internal: 'INTERNAL',
    invalidInput: schemaInvalid,
    problem: (error) => civicProblem(error, baseUrl(), schemaPath),
    toolMeta: () => NO_STORE_META,
    at: (base) => civicFailures(schemaPath, base),
  };
}

/** Makes the problems of operations use absolute URLs. */
export function withBaseUrl<Deps>(
  operations: readonly AnyOperation<Deps>[],
  baseUrl: () => string,
): AnyOperation<Deps>[] {
  return operations.map((operation) => {
    const failures = operation.failures as Partial<CivicFailures> & Failures;
    return { ...operation, failures: failures.at?.(baseUrl) ?? failures };
  });
}

/** The one error for invalid input: all faults, sorted by pointer. */
export function schemaInvalid(issues: readonly InputIssue[]): BinderyError {
  const errors = [...issues].sort((a, b) => (a.pointer < b.pointer ? -1 : a.pointer > b.pointer ? 1 : 0));
  return new BinderyError('schema_invalid', { detail: issueSentence(errors), members: { errors } });
}

export function targetNotFound(): BinderyError {
  return new BinderyError('target_not_found');
}

/** `errors.json`: the meaning of each code. */
export function errorCatalogue(baseUrl: string): object {
  return {
    errors: Object.entries(civicProblems).map(([code, row]) => ({
      code,
      http_status: row.http,
      title: row.title,
      docs_page: docsPage(baseUrl, code),
      retryable: RETRYABLE.has(code),
    })),
  };
}

function civicProblem(error: BinderyError, baseUrl: string, schemaPath: string): Record<string, unknown> {
  const code = CIVIC_NAMES[error.code] ?? error.code;
  const row = ERRORS[code];
  const [first] = Array.isArray(error.members.errors) ? error.members.errors : [];
  return {
    type: `${baseUrl}/agents/errors.json#${code}`,
    title: row.title,
    status: row.http,
    code,
    detail: error.detail ?? `${row.title}.`,
    docs_page: docsPage(baseUrl, code),
    ...(row.http === 422 ? { schema_url: `${baseUrl}${schemaPath}` } : {}),
    ...(row.http === 422 && first?.pointer !== undefined ? { pointer: first.pointer } : {}),
    ...(row.http === 422 && first ? { keyword: first.keyword ?? first.rule } : {}),
  };
}

function docsPage(baseUrl: string, code: string): string {
  return `${baseUrl}/reference#${code}`;
}
