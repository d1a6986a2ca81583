import type { Log, LogFields } from '../ports.ts';

/** A log that keeps what was written, for tests. */
export function createMemoryLog(): Log & { readonly lines: { level: string; message: string; fields: LogFields }[] } {
  const lines: { level: string; message: string; fields: LogFields }[] = [];
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      lines.push({ level, message, fields });
    };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
