import { parentPort, workerData } from 'node:worker_threads';
import { AuditFile, type AuditFileOptions } from '../audit-file.ts';
import type { ThreadJob } from '../audit-thread.ts';

/** A writer thread that exits on a call named `die-before` or `die-after`: before or after writing it. */
const file = new AuditFile(workerData as AuditFileOptions);

parentPort?.on('message', (job: ThreadJob) => {
  const tool = job.do === 'append' ? job.entries.at(-1)?.tool : undefined;
  if (tool === 'die-before') process.exit(1);
  if (job.do === 'append') file.append(job.entries, job.raw);
  if (job.do === 'end-interrupted') file.endInterrupted(job.time, job.only);
  if (job.do === 'close') file.close();
  if (tool === 'die-after') process.exit(1);
  parentPort?.postMessage({ head: file.head, count: 0 });
  if (job.do === 'close') parentPort?.close();
});
