import { join, resolve } from 'node:path';
import { Option } from 'commander';
import { gatewayRoom } from '../../gateway/room.ts';
import { ApprovalStore } from '../../store/approvals/approval-store.ts';
import { openDatabase } from '../../store/open-database.ts';
import { PolicyFiles } from '../../store/policy/policy-files.ts';
import { directories } from '../directories.ts';
import { fileDeps } from '../gateway/file-deps.ts';
import { policyPaths } from '../gateway/policy-paths.ts';
import { addOperationCommand, type CommandFlags } from '../operation-command.ts';
import type { Wiring } from '../wiring.ts';

/** Wires the commands of the gateway: they work on its files, so that they work whether or not one runs. */
export const gatewayWiring: Wiring = {
  room: gatewayRoom,
  addCommands(program, terminal) {
    for (const operation of gatewayRoom.operations) {
      addOperationCommand(program, operation, {
        terminal,
        options: (command) => {
          command.addOption(new Option('--cwd <dir>', 'folder of the project').default('.'));
          if (operation.cli !== false && operation.cli.command.startsWith('policy')) {
            command.addOption(new Option('--policy <file>', 'policy file in place of the global and the project’s'));
          }
        },
        deps: commandDeps,
      });
    }
  },
};

function commandDeps(flags: CommandFlags) {
  const { dataDir, configDir } = directories(process.env);
  const cwd = resolve(String(flags.cwd ?? '.'));
  const clock = { now: Date.now };
  const database = openDatabase(join(dataDir, 'registry.db'));
  const policyFile = typeof flags.policy === 'string' ? resolve(cwd, flags.policy) : undefined;
  const files = policyPaths(policyFile, configDir, cwd);
  return fileDeps({
    dataDir,
    policyFiles: new PolicyFiles(files, database, clock),
    approvals: new ApprovalStore(database),
    now: clock.now,
  });
}
