import type { Command } from 'commander';
import type { AnyOperation } from '../../contract/operation.ts';
import type { NameResolver } from '../../host/connection/supervision/named-endpoint.ts';
import { hostRoom } from '../../host/operations.ts';
import { addOperationCommand, type CommandFlags } from '../operation-command.ts';
import { addDatabaseOption } from '../registry-location.ts';
import { addShellCommand } from '../shell/shell-command.ts';
import type { Wiring } from '../wiring.ts';
import { createHostDeps, hostContext } from './host/host-deps.ts';
import { refuseTarget, type TypedTarget, typedTarget } from './host/typed-target.ts';

/** Wires the room `host`; the caller supplies the resolver of `ai://` names. */
export function hostWiring(names: NameResolver): Wiring {
  return {
    room: hostRoom,
    addCommands(program, terminal) {
      for (const operation of hostRoom.operations) {
        addOperationCommand(program, operation, {
          terminal,
          options: (command) => addProjectOption(command, operation),
          deps: (flags) => {
            if (operation.id === 'host.add') refuseTarget(flags.typed as TypedTarget);
            return createHostDeps({
              ...hostContext(terminal),
              projectDir: projectDir(operation, flags),
              names,
              database: flags.db,
            });
          },
        });
      }
      addShellCommand(program, terminal, names);
    },
  };
}

/** `add` has its own --cwd: the working directory of the server. */
function addProjectOption(command: Command, operation: AnyOperation): void {
  if (operation.id !== 'host.add') command.option('--cwd <dir>', 'folder of the project', '.');
  else command.hook('preAction', () => void command.setOptionValue('typed', typedTarget(command)));
  if (['host.auth-list', 'host.auth-clear'].includes(operation.id)) addDatabaseOption(command);
}

function projectDir(operation: AnyOperation, flags: CommandFlags): string {
  return operation.id === 'host.add' ? '.' : String(flags.cwd ?? '.');
}
