import type { Command } from 'commander';
import { tabLines } from '../../contract/paging.ts';
import type { Approval } from '../../gateway/approval/approval.ts';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import { pause } from '../../runtime/admin/pause.ts';
import { ApprovalStore } from '../../store/approvals/approval-store.ts';
import { openDatabase } from '../../store/open-database.ts';
import { directories } from '../directories.ts';
import { commandAt } from '../operation-command.ts';
import { addDatabaseOption, registryFileOfCommand } from '../registry-location.ts';
import { findAnnouncement } from '../running-gateway.ts';
import type { Terminal } from '../terminal.ts';

const LOOK_EVERY_MS = 250;
const LOOKED_AT_MAX = 200;

/** `approvals watch`: the open questions, then each new question and decision, until interrupted. */
export function addWatchCommand(program: Command, terminal: Terminal): void {
  addDatabaseOption(commandAt(program, 'approvals watch'))
    .description('Show approval requests and decisions as they come.')
    .option('--json', 'print each as a line of JSON')
    .action(async ({ json, db }: { json?: boolean; db?: string }) => {
      const { dataDir } = directories(process.env);
      const file = await registryFileOfCommand(db, dataDir);
      const store = new ApprovalStore(openDatabase(file));
      const show = (approval: Approval) =>
        json ? terminal.document(`${JSON.stringify(approval)}\n`) : terminal.out(lineOf(approval));
      const seen = new Map<string, string>();
      // Open questions, and those asked and decided between two polls.
      const news = () => {
        const looked = [
          ...store.list({ status: 'pending' }, GATEWAY_LIMITS.approvalsPendingMax, 0),
          ...store.newest(LOOKED_AT_MAX),
        ];
        const found = new Map(looked.map((approval) => [approval.id, approval]));
        return [...found.values()].filter(({ id, status }) => seen.get(id) !== status);
      };
      for (const { id, status } of news()) if (status !== 'pending') seen.set(id, status);
      const gateway = new WatchedGateway(dataDir, (text) => terminal.note(text));
      while (!terminal.whileRead.aborted) {
        if (db === undefined && terminal.hasWatcher) await gateway.look();
        for (const approval of news()) {
          seen.set(approval.id, approval.status);
          await show(approval);
        }
        await pause(LOOK_EVERY_MS, terminal.whileRead);
      }
    });
}

/** Says at the start, and at each change, whether a gateway runs that could ask. The watch goes on, and follows the next gateway. */
export class WatchedGateway {
  readonly #dataDir: string;
  readonly #say: (text: string) => Promise<void>;
  #url: string | null | undefined;

  constructor(dataDir: string, say: (text: string) => Promise<void>) {
    this.#dataDir = dataDir;
    this.#say = say;
  }

  async look(): Promise<void> {
    const url = (await findAnnouncement(this.#dataDir))?.url ?? null;
    if (url === this.#url) return;
    const said = this.#url === undefined ? 'No gateway is running' : 'The gateway has ended';
    this.#url = url;
    await this.#say(
      url === null
        ? `${said}: nothing is asked until \`bindery up\`. Waiting for it; Ctrl-C ends.\n`
        : `Watching the approvals of the gateway at ${url}; Ctrl-C ends.\n`,
    );
  }
}

function lineOf({ id, status, server, tool, caller, reason }: Approval): string {
  return tabLines([[id, status, `${server}/${tool}`, caller, reason]]);
}
