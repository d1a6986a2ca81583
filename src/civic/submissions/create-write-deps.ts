import { FailureReport } from '../../contract/failure-report.ts';
import { CIVIC_LIMITS } from '../config.ts';
import { isTerminal } from '../lifecycle/artefact.ts';
import { MonthlyLinkCheck } from '../lifecycle/monthly-link-check.ts';
import { saltKey } from '../lifecycle/record-event.ts';
import { runJobs } from '../lifecycle/run-jobs.ts';
import type { LinkProbe } from '../lifecycle/visit-link.ts';
import { closeDecided, followProposals, type ProposalPort } from '../review/follow-proposals.ts';
import type { ProxyTrust } from '../trust/client-address.ts';
import { draftSaltKey } from './commit-submission.ts';
import type { Desk } from './desk.ts';
import { SlidingLimit } from './rate-limit.ts';
import { CorpusWriter, refreshCorpus } from './settle-corpus.ts';
import type { MovableClock, WriteDeps } from './write-deps.ts';

export interface WriteSettings {
  readonly proxies: ProxyTrust;
  maintainerTokens(): readonly string[];
  readonly probeToken?: string | undefined;
  readonly testClock?: MovableClock | undefined;
  /** Absent: no outgoing requests [C9]. */
  readonly linkProbe?: LinkProbe | undefined;
  /** Absent: the queue is decided only here. */
  readonly proposals?: ProposalPort | undefined;
  /** Pushes commits to a remote. */
  publish?: () => Promise<void>;
  /** Absent: there is no remote. */
  inTheWay?: WriteDeps['inTheWay'];
  findPrints?: WriteDeps['findPrints'];
  /** Absent: no public history. */
  history?: WriteDeps['history'];
  baseUrl(): string;
}

/** Builds the dependencies of the write operations. */
export function createWriteDeps(desk: Desk, settings: WriteSettings): WriteDeps {
  const writer = new CorpusWriter(desk);
  const follows = new FailureReport(desk.log, {
    failing: 'branches and the review queue could not be synced; the next job retries',
    again: 'branches and the review queue are in sync again',
  });
  const sends = new FailureReport(desk.log, {
    failing: 'the corpus and its remote could not be synced; the next job retries',
    again: 'the corpus and its remote are in sync again',
  });
  const links = settings.linkProbe && new MonthlyLinkCheck(desk, settings.linkProbe);
  return {
    ...desk,
    proxies: settings.proxies,
    maintainerTokens: settings.maintainerTokens,
    probeToken: settings.probeToken,
    testClock: settings.testClock,
    baseUrl: settings.baseUrl,
    findPrints: settings.findPrints ?? (() => ({ left: [], alike: [], shared: [] })),
    history: settings.history ?? (async () => undefined),
    inTheWay: settings.inTheWay ?? (async () => undefined),
    closeBranches: async () => settings.proposals && closeDecided(desk, settings.proposals),
    burst: new SlidingLimit(CIVIC_LIMITS.burst, desk.clock),
    reads: new SlidingLimit(CIVIC_LIMITS.reads, desk.clock),
    writer,
    async runJobs() {
      await runJobs(desk);
      links?.begin();
      // With a test clock, wait until everything due is done [C4]; otherwise do not wait for the network.
      if (settings.testClock) await links?.idle();
      await writer.settle();
      await reported(follows, () => settings.proposals && followProposals(desk, settings.proposals));
      await writer.settle();
      await reported(sends, () => settings.publish?.());
    },
    async endJobs() {
      await links?.close();
    },
  };
}

/** Runs one part of the job: a failure is logged once, does not stop the other parts, and is retried by the next run. */
async function reported(report: FailureReport, work: () => Promise<void> | undefined): Promise<void> {
  try {
    await work();
    report.succeeded();
  } catch (error) {
    report.failed(error);
  }
}

/** Runs before the server starts: finishes or discards work that a crash interrupted, and adopts the folder [K6, K8]. */
export async function recover(deps: WriteDeps): Promise<void> {
  await deps.store.transact(() => finishRekeys(deps));
  await deps.writer.settle();
  try {
    await refreshCorpus(deps);
  } catch (error) {
    deps.log.error('the corpus folder cannot be read', { error });
  }
  await deps.writer.settle();
  await deps.store.transact(() => deps.salts.sweep((key) => isLiveSalt(deps, key)));
  await runJobs(deps);
  await deps.writer.settle();
}

/** A crash may have left a new artefact's salt under the submission's key. */
function finishRekeys({ store, salts }: Desk): void {
  for (const key of salts.keys()) {
    if (!key.startsWith('submission:')) continue;
    const record = store.submission(key.slice('submission:'.length));
    if (record?.status !== 'merged' || record.item.type !== 'draft') continue;
    salts.rekey(key, saltKey(record.item.target_type, record.item.proposed_id));
  }
}

function isLiveSalt({ store }: Desk, key: string): boolean {
  const at = key.indexOf(':');
  const [type, id] = [key.slice(0, at), key.slice(at + 1)];
  if (key === draftSaltKey(id)) {
    const status = store.submission(id)?.status;
    return status === 'staged' || status === 'held_ner' || status === 'committed' || status === 'received';
  }
  const status = type === 'concern' ? store.submission(id)?.status : undefined;
  const held = status === 'held_ner' || status === 'received';
  const artefact = store.artefact(type as Parameters<typeof store.artefact>[0], id);
  return held || (artefact !== undefined && !isTerminal(artefact.state));
}
