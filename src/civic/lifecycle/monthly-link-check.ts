import { FailureReport } from '../../contract/failure-report.ts';
import type { Desk } from '../submissions/desk.ts';
import { checkLinks } from './check-links.ts';
import { HOUR_MS } from './tally.ts';
import type { LinkProbe } from './visit-link.ts';

/** The note with the month of the last check. */
const LINKS_NOTE = 'links_checked';

/** The month of the last complete check, as `2026-11`; undefined: never. */
export function linksCheckedIn({ store }: Desk): string | undefined {
  return store.note(LINKS_NOTE);
}

/** Checks links once a month in the background: a slow link delays no request. */
export class MonthlyLinkCheck {
  readonly #desk: Desk;
  readonly #probe: LinkProbe;
  readonly #report: FailureReport;
  readonly #end = new AbortController();
  #running: Promise<void> | undefined;
  #notBefore = 0;

  constructor(desk: Desk, probe: LinkProbe) {
    this.#desk = desk;
    this.#probe = stoppable(probe, this.#end.signal);
    this.#report = new FailureReport(desk.log, {
      failing: 'links could not be checked',
      again: 'links are checked again',
    });
  }

  /** Starts this month's check, unless it is done or running. */
  begin(): void {
    const now = this.#desk.clock.now();
    const month = new Date(now).toISOString().slice(0, 7);
    if (this.#running || this.#end.signal.aborted || now < this.#notBefore) return;
    if (this.#desk.store.note(LINKS_NOTE) === month) return;
    this.#running = this.#check(month).finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when no check is running. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Aborts a running check; the next start repeats it. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#running;
  }

  async #check(month: string): Promise<void> {
    const { store, clock } = this.#desk;
    try {
      await checkLinks(this.#desk, this.#probe);
      // Only now: a check that failed halfway must be repeated.
      await store.transact(() => store.setNote(LINKS_NOTE, month));
      this.#report.succeeded();
    } catch (error) {
      if (this.#end.signal.aborted) return;
      this.#report.failed(error);
      // A check visits every host, so it must not restart with every job.
      this.#notBefore = clock.now() + HOUR_MS;
    }
  }
}

/** The same probe, failing at once after the signal. */
function stoppable(probe: LinkProbe, signal: AbortSignal): LinkProbe {
  return {
    async request(method, url) {
      signal.throwIfAborted();
      const answer = await probe.request(method, url, signal);
      signal.throwIfAborted();
      return answer;
    },
  };
}
