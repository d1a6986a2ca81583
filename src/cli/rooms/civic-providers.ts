import { scrubSubmission } from '../../civic/scrub/scrub-submission.ts';
import { FailureReport } from '../../contract/failure-report.ts';
import type { Clock, Log } from '../../contract/ports.ts';
import type { ProviderDirectoryFile } from '../../store/corpus/provider-file.ts';

const INJECTION_RULES = ['injection_pattern', 'hidden_text', 'active_content'];

/** Reloads the provider directory if it changed. An invalid one does not replace the last good one. */
export function providerRefresh(providers: ProviderDirectoryFile, clock: Clock, log: Log): () => Promise<void> {
  // Called once a second with the check of the folder, so report a failure only once.
  const report = new FailureReport(log, {
    failing: 'the provider directory is not valid; the last good one stays',
    again: 'the provider directory is valid again',
  });
  return async () => {
    try {
      await providers.refresh({ nowMs: clock.now(), looksLikeInjection });
      report.succeeded();
    } catch (error) {
      if (!providers.file) throw error;
      report.failed(error);
    }
  };
}

/** Texts of the directory are checked with the same patterns as submissions. */
function looksLikeInjection(text: string): boolean {
  const { rejects, holds } = scrubSubmission({ text }, []);
  return [...rejects, ...holds].some(({ rule }) => INJECTION_RULES.includes(rule));
}
