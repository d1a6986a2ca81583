import { FailureReport } from '../../contract/failure-report.ts';
import type { Log } from '../../contract/ports.ts';
import type { KeyStore } from '../../store/keys/key-store.ts';

/** A job that ends the streams of keys that were revoked; where the keys cannot be read, the next run tries again. */
export function endLapsedKeys(keys: KeyStore, log: Log): () => void {
  const report = new FailureReport(log, {
    failing: 'streams of revoked keys stay open, because the keys cannot be read',
    again: 'the keys are read again',
  });
  return () => void report.attempt(() => keys.endLapsed());
}
