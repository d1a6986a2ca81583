/** RFC 3339, as `created_at` has it. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

export function isTimestamp(value: unknown): value is string {
  return typeof value === 'string' && TIMESTAMP.test(value);
}
