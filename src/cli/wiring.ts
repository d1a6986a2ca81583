import type { Command } from 'commander';
import type { Room } from '../contract/operation.ts';
import type { ServedRoom, UpSettings } from '../runtime/up-settings.ts';
import type { Terminal } from './terminal.ts';

/** Wires one room into the command line and into `bindery up`. */
export interface Wiring {
  readonly room: Room<never>;
  addCommands(program: Command, terminal: Terminal): void;
  /** Undefined: there is nothing to serve with these settings. */
  serve?(settings: UpSettings): Promise<ServedRoom | undefined>;
}
