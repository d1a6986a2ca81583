import type { Log, LogFields } from '../../contract/ports.ts';
import type { Redactor } from '../../contract/redact.ts';

/** The same log, with every message and field masked before it is written. */
export function maskedLog(log: Log, redactor: Redactor): Log {
  const at = (level: keyof Log) => (message: string, fields?: LogFields) =>
    log[level](redactor.text(message), ...(fields === undefined ? [] : [redactor.value(fields) as LogFields]));
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
