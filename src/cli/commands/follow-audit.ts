import { visibleValue } from '../../contract/visible-text.ts';
import { auditLine } from '../../gateway/operations/audit-operations.ts';
import { pause } from '../../runtime/admin/pause.ts';
import { UP_LIMITS } from '../../runtime/limits.ts';
import { readAudit } from '../../store/audit/audit-reader.ts';
import { directories } from '../directories.ts';
import { helpOf } from '../help/command-help.ts';
import type { CommandFlags } from '../operation-command.ts';
import type { Terminal } from '../terminal.ts';

/** `audit tail -f`: the last calls, then each call as it ends, until interrupted. It reads the files, so it needs no gateway. */
export async function followAudit(flags: CommandFlags, terminal: Terminal): Promise<void> {
  const { dataDir } = directories(process.env);
  const show = (records: readonly object[], headings: readonly string[] = []) =>
    flags.json
      ? terminal.document(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
      : terminal.table(records.map((record) => auditLine(visibleValue(record) as never)).join(''), headings);
  const lines = Math.min(
    Number(flags.n ?? UP_LIMITS.auditTailLinesDefault) || UP_LIMITS.auditTailLinesDefault,
    UP_LIMITS.auditTailLinesMax,
  );
  const marks = new Map<string, number>();
  await show(
    readAudit(dataDir, (reader) => {
      for (const [chain, { seq }] of reader.heads()) marks.set(chain, seq);
      return reader.search({}, lines).reverse();
    }),
    helpOf('audit tail').columns,
  );
  while (!terminal.whileRead.aborted) {
    await pause(UP_LIMITS.followAuditEveryMs, terminal.whileRead);
    const ended = readAudit(dataDir, (reader) => reader.endedSince(marks));
    if (ended.length > 0) await show(ended);
  }
}
