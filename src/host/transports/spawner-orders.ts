import type { ServerCommand } from './server-process.ts';

/** Orders to the spawner process, one per line. The parent numbers the starts. */
export type SpawnerOrder =
  | { readonly start: number; readonly command: ServerCommand }
  | { readonly cancel: number }
  | { readonly watch: number }
  | { readonly forget: number };

/** Answers about a start: the socket to connect to or why there is none, the pid or the error, and the exit. */
export type SpawnerAnswer =
  | { readonly id: number; readonly path: string }
  | { readonly id: number; readonly noSocket: string }
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly error: string }
  | { readonly id: number; readonly code: number | null; readonly signal: string | null };

/** Serializes one line for `readline`, which also ends lines at two characters that JSON does not escape. */
export function spawnerLine(message: SpawnerOrder | SpawnerAnswer): string {
  const json = JSON.stringify(message).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  return `${json}\n`;
}
