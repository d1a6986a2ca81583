import { join } from 'node:path';
import { PACKAGE_DIR } from '../runtime/version.ts';

/** How to start this program. */
export interface OwnProgram {
  /** The file that Node runs. */
  readonly script: string;
  /** What a person types before the name of a command. */
  readonly typed: string;
  /** The command by which a client starts an MCP server. */
  readonly command: string;
  readonly args: readonly string[];
  /** npx keeps the program in a cache, which npm may empty at any time. */
  readonly isCached: boolean;
}

/** The program in this folder. If it is in npx's cache, it is started through npx again, since the path does not last. */
export function ownProgram(packageDir: string = PACKAGE_DIR): OwnProgram {
  const script = join(packageDir, 'bin', 'bindery.js');
  if (/[\\/]_npx[\\/]/.test(packageDir)) {
    const args = ['-y', 'mcp-bindery', 'stdio'];
    return { script, typed: 'npx mcp-bindery', command: 'npx', args, isCached: true };
  }
  return { script, typed: 'bindery', command: process.execPath, args: [script, 'stdio'], isCached: false };
}

const COMMANDS =
  'approvals|audit|backup|bind|catalog|civic|completion|config|connect|console|context|demo|disconnect|doctor|help|import|init|keys|mcp|nodes|policy|restore|shell|stdio|stop|tools|up';
const WRITTEN = new RegExp(`(^|[\\s\`'"(])bindery (?=(?:${COMMANDS})\\b)`, 'gm');

/** Replaces command lines in a text with the form that works here. */
export function asTyped(text: string, { typed }: Pick<OwnProgram, 'typed'>): string {
  return typed === 'bindery' ? text : text.replaceAll(WRITTEN, (_, before: string) => `${before}${typed} `);
}
