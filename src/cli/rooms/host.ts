import type { Command } from 'commander';
import { BinderyError } from '../../contract/errors.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import type { IdentityResolver } from '../../host/config/to-server-spec.ts';
import { hostRoom } from '../../host/operations.ts';
import { createLog } from '../log.ts';
import { addOperationCommand, type CommandFlags } from '../operation-command.ts';
import { addShellCommand } from '../shell/shell-command.ts';
import type { Terminal } from '../terminal.ts';
import type { Wiring } from '../wiring.ts';
import { createHostDeps } from './host/host-deps.ts';
import { askOn } from './host/sign-in-person.ts';

/** Wires the room `host`; what resolves `ai://` names is given by whoever knows the room that does. */
export function hostWiring(resolveIdentity: IdentityResolver): Wiring {
  return {
    room: hostRoom,
    addCommands(program, terminal) {
      for (const operation of hostRoom.operations) {
        addOperationCommand(program, operation, {
          terminal,
          options: (command) => addProjectOption(command, operation),
          deps: (flags) =>
            createHostDeps({ ...contextOf(terminal), projectDir: projectDir(operation, flags), resolveIdentity }),
        });
      }
      addShellCommand(program, terminal, resolveIdentity);
    },
  };
}

/** Until a resolver is wired: names are stored, and connecting says why it cannot be done. */
export const noIdentityResolver: IdentityResolver = async (identity) => {
  throw new BinderyError('IDENTITY_UNRESOLVED', { detail: `nothing here resolves ${identity}` });
};

function contextOf(terminal: Terminal) {
  return {
    env: process.env,
    person: { stderr: process.stderr, ask: askOn(process.stdin, process.stderr) },
    log: createLog((line) => process.stderr.write(line), 'error'),
    warn: (text: string) => void terminal.note(`warning: ${text}\n`),
  };
}

/** `add` has a --cwd of its own: the folder that the server runs in. */
function addProjectOption(command: Command, operation: AnyOperation): void {
  if (operation.id !== 'host.add') command.option('--cwd <dir>', 'folder of the project', '.');
}

function projectDir(operation: AnyOperation, flags: CommandFlags): string {
  return operation.id === 'host.add' ? '.' : String(flags.cwd ?? '.');
}
