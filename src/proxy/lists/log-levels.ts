import { isObject, type NotificationMessage } from '../../contract/json.ts';
import { META } from '../../wire/revisions.ts';
import type { ClientRequest } from '../message/client.ts';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** The log level for clients that never set one, at servers that log only on demand. */
const DEFAULT_LEVEL = 'info';

/** The log levels that 2025 sessions set. They are sent on connections that open later and to servers of the other revision. */
export class LogLevels {
  readonly #levels = new Map<string, string>();

  set(key: string, level: string): void {
    this.#levels.set(key, level);
  }

  /** The level that a client set; undefined if it never did. */
  of(key: string): string | undefined {
    return this.#levels.get(key);
  }

  wanted(key: string): string {
    return this.#levels.get(key) ?? DEFAULT_LEVEL;
  }

  forget(key: string): void {
    this.#levels.delete(key);
  }
}

export function isLogLevel(level: unknown): level is string {
  return LEVELS.includes(level as string);
}

/** Whether a request of a 2026 client receives this notification. It gets log lines only from the level that it named. */
export function wantsNotification({ params }: ClientRequest, { method, params: told }: NotificationMessage): boolean {
  if (method !== 'notifications/message') return true;
  const wanted = isObject(params?._meta) ? params._meta[META.logLevel] : undefined;
  return isLogLevel(wanted) && LEVELS.indexOf(told?.level as string) >= LEVELS.indexOf(wanted);
}
