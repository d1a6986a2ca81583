import { parentPort, workerData } from 'node:worker_threads';
import { toBinderyError } from '../../contract/errors.ts';
import { redactLines } from '../../gateway/audit/redact-digests.ts';
import { AuditReader, readAudit } from './audit-reader.ts';
import type { ReadingAnswer, ReadingJob, ReadingOptions } from './audit-reads.ts';

/** The thread that reads the audit log, one job at a time, so that a slow read does not block the event loop. */
const { dataDir, digestKey } = workerData as ReadingOptions;
let exporting: Iterator<readonly string[]> | undefined;

parentPort?.on('message', (job: ReadingJob) => parentPort?.postMessage(perform(job)));

function perform(job: ReadingJob): ReadingAnswer {
  try {
    return { value: run(job) };
  } catch (error) {
    const known = toBinderyError(error);
    if (known.code !== 'STORE_UNAVAILABLE') return { failure: String(error) };
    const { detail, next } = known;
    return { failure: String(error), store: { next, ...(detail === undefined ? {} : { detail }) } };
  }
}

function run(job: ReadingJob): unknown {
  switch (job.do) {
    case 'search':
      return readAudit(dataDir, (reader) => reader.search(job.filter, job.limit, job.offset));
    case 'call':
      return readAudit(dataDir, (reader) => reader.call(job.callId));
    case 'summary':
      return readAudit(dataDir, (reader) => reader.summary(job.filter, job.range));
    case 'verify':
      return readAudit(dataDir, (reader) => reader.verify(job.noted));
    case 'next-lines': {
      exporting ??= new AuditReader(dataDir).exportBatches();
      const { value, done } = exporting.next();
      if (done) return undefined;
      return digestKey === undefined ? value : redactLines(value, digestKey);
    }
  }
}
