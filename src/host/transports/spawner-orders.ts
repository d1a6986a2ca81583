import type { ServerCommand } from './server-process.ts';

/** What the spawner process is told, one line each. Numbers of starts are the parent's. */
export type SpawnerOrder =
  | { readonly start: number; readonly command: ServerCommand }
  | { readonly cancel: number }
  | { readonly watch: number }
  | { readonly forget: number };

/** What it answers about a start: where to connect or that there is no such place, that the server runs or cannot run, how it ended. */
export type SpawnerAnswer =
  | { readonly id: number; readonly path: string }
  | { readonly id: number; readonly placeless: string }
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly error: string }
  | { readonly id: number; readonly code: number | null; readonly signal: string | null };

/** One line for whoever reads lines: `readline` ends them at two more characters that JSON leaves as they are. */
export function spawnerLine(message: SpawnerOrder | SpawnerAnswer): string {
  const json = JSON.stringify(message).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  return `${json}\n`;
}
