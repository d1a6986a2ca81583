import { Option } from 'commander';
import { BinderyError } from '../../contract/errors.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import { visibleText } from '../../contract/visible-text.ts';
import { recordedOperation } from '../../gateway/audit/recorded-room.ts';
import { revealArguments } from '../../gateway/operations/approval-operations.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import { gatewayRoom } from '../../gateway/room.ts';
import { commandDeps } from '../commands/command-deps.ts';
import { fileRecorder } from '../commands/file-recorder.ts';
import { followAudit } from '../commands/follow-audit.ts';
import { addWatchCommand } from '../commands/watch-approvals.ts';
import { directories } from '../directories.ts';
import { addOperationCommand, type CommandFlags, runOperation } from '../operation-command.ts';
import { addDatabaseOption } from '../registry-location.ts';
import type { Terminal } from '../terminal.ts';
import type { Wiring } from '../wiring.ts';

/** Wires the commands of the gateway: they read its files and work with or without a running one. */
export const gatewayWiring: Wiring = {
  room: gatewayRoom,
  addCommands(program, terminal) {
    for (const operation of gatewayRoom.operations) {
      addOperationCommand(program, recordedWithoutGateway(knownTools(operation)), {
        terminal,
        options: (command) => {
          addDatabaseOption(command);
          command.addOption(new Option('--cwd <dir>', 'folder of the project').default('.'));
          if (operation.cli !== false && operation.cli.command.startsWith('policy')) {
            command.addOption(new Option('--policy <file>', 'policy file instead of the global and the project’s'));
          }
          if (operation.id === 'gateway.approval') {
            command.addOption(
              new Option('--reveal [pointer]', 'show what is masked: all of it, or one part (recorded)'),
            );
            command.addOption(new Option('--raw', 'print the exact bytes that are sent (recorded)'));
          }
          if (operation.id === 'gateway.audit_tail') {
            command.addOption(new Option('-f, --follow', 'follow: print each call when it ends'));
          }
        },
        instead: (flags, [first]) => {
          if (operation.id === 'gateway.audit_tail' && flags.follow) return followAudit(flags, terminal);
          if (operation.id === 'gateway.approval' && (flags.reveal !== undefined || flags.raw === true))
            return reveal(String(first), flags, terminal);
          return undefined;
        },
        deps: commandDeps,
      });
    }
    addWatchCommand(program, terminal);
  },
};

/** `tools list` and `tools find` without a gateway and without known tools: an error, because an empty list would be misleading. */
function knownTools(operation: AnyOperation): AnyOperation {
  if (operation.id !== 'gateway.tools' && operation.id !== 'gateway.find_tools') return operation;
  return {
    ...operation,
    run: async (input, deps, call) => {
      const page = await operation.run(input, deps, call);
      const { items, tools, servers } = page as { items?: unknown[]; tools?: unknown[]; servers?: unknown[] };
      const isRunning = (deps as GatewayDeps).isRecorded === true;
      if (isRunning || [items, tools, servers].some((list) => list !== undefined && list.length > 0)) return page;
      throw new BinderyError('GATEWAY_NOT_RUNNING', { detail: 'no tool has been seen yet' });
    },
  };
}

/** Operations that the command runs itself even if a gateway is running. */
const OWN_WORK = ['gateway.audit_raw', 'gateway.semantic'];

/** A running gateway records its own changes; the command records changes that it makes to files. */
function recordedWithoutGateway(operation: AnyOperation): AnyOperation {
  if (operation.hints.readOnly) return operation;
  return {
    ...operation,
    run: async (input, deps, call) => {
      const isRecordedThere = !OWN_WORK.includes(operation.id) && (deps as GatewayDeps).isRecorded === true;
      const recorder = fileRecorder(directories(process.env).dataDir);
      const { run } = isRecordedThere ? operation : recordedOperation(operation, recorder);
      return run(input, deps, call);
    },
  };
}

/** `approvals show --reveal [POINTER]` and `--raw`: the exact arguments, with hidden characters made visible or raw. */
function reveal(id: string, flags: CommandFlags, terminal: Terminal): Promise<void> {
  const path = typeof flags.reveal === 'string' ? { path: flags.reveal } : {};
  const document = (output: unknown) => {
    const { text } = output as { text: string };
    return `${flags.raw === true ? text : visibleText(JSON.stringify(JSON.parse(text), null, 2))}\n`;
  };
  const operation = recordedWithoutGateway(revealArguments as AnyOperation);
  return runOperation(operation, { command: 'approvals show', document }, () => ({ id, ...path }), flags, {
    terminal,
    deps: commandDeps,
  });
}
