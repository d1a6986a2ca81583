import { parentPort, workerData } from 'node:worker_threads';
import { AuditFile, type AuditFileOptions } from './audit-file.ts';
import type { ThreadAnswer, ThreadJob } from './audit-thread.ts';

/** The thread that waits for fsync. It has its own connection to the file and runs one job at a time. */
const file = new AuditFile(workerData as AuditFileOptions);

parentPort?.on('message', (job: ThreadJob) => {
  const answer = perform(job);
  parentPort?.postMessage(answer);
  if (job.do === 'close') parentPort?.close();
});

function perform(job: ThreadJob): ThreadAnswer {
  try {
    const count = run(job);
    return { head: file.head, count };
  } catch (error) {
    return { failure: String(error) };
  }
}

function run(job: ThreadJob): number {
  switch (job.do) {
    case 'append':
      file.append(job.entries, job.raw);
      return job.entries.length;
    case 'end-interrupted':
      file.endInterrupted(job.time, job.only);
      return 0;
    case 'prune':
      return file.prune(job.before, job.stamp);
    case 'prune-to-bytes':
      return file.pruneToBytes(job.bytesMax, job.stamp);
    case 'close':
      file.close();
      return 0;
  }
}
