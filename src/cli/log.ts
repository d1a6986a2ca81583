import type { Log, LogFields } from '../contract/ports.ts';
import { visibleJson } from '../contract/visible-text.ts';

const LEVELS = { debug: 10, info: 20, warn: 30, error: 40 } as const;

export type LogLevel = keyof typeof LEVELS;

/** Writes one JSON object per line, with hidden characters escaped; an error is written with its message and stack. */
export function createLog(write: (line: string) => void, level: LogLevel = 'info', now: () => number = Date.now): Log {
  const at =
    (name: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (LEVELS[name] < LEVELS[level]) return;
      write(
        `${visibleJson(JSON.stringify({ time: new Date(now()).toISOString(), level: name, message, ...fields }, describeError))}\n`,
      );
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Writes warnings and errors as sentences, for a person at a terminal. */
export function createPersonLog(say: (text: string) => void): Log {
  const tell = (message: string, fields: LogFields = {}) => {
    const details = Object.entries(fields)
      .filter(([name]) => !FOR_PROGRAMS.has(name))
      .filter(([, value]) => value instanceof Error || (value !== null && typeof value !== 'object'))
      .map(([name, value]) => `${name}: ${shortText(value)}`);
    say(details.length === 0 ? message : `${message} (${details.join(', ')})`);
  };
  return { debug: () => {}, info: () => {}, warn: tell, error: tell };
}

function shortText(value: unknown): string {
  const text = value instanceof Error ? value.message : String(value);
  return text.length > FIELD_CHARS_MAX ? `${text.slice(0, FIELD_CHARS_MAX)}…` : text;
}

/** Fields that a person does not read. */
const FOR_PROGRAMS: ReadonlySet<string> = new Set(['sha256', 'loaded_at']);

const FIELD_CHARS_MAX = 300;

function describeError(_key: string, value: unknown): unknown {
  return value instanceof Error ? { message: value.message, stack: value.stack, cause: value.cause } : value;
}
