/** Time as an argument: milliseconds since 1970, UTC. */
export interface Clock {
  now(): number;
}

/** Randomness as an argument. */
export interface Random {
  bytes(length: number): Uint8Array;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** The log of a room; callers do not see it. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}
