import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { adoptCorpus } from '../../civic/lifecycle/adopt-corpus.ts';
import type { LinkProbe } from '../../civic/lifecycle/visit-link.ts';
import type { ProviderSource } from '../../civic/providers/directory.ts';
import type { Detector } from '../../civic/scrub/detector.ts';
import { scrubSubmission } from '../../civic/scrub/scrub-submission.ts';
import { warmScrub } from '../../civic/scrub/warm-scrub.ts';
import type { CivicStore } from '../../civic/submissions/civic-store.ts';
import { createWriteDeps, recover, type WriteSettings } from '../../civic/submissions/create-write-deps.ts';
import type { MovableClock, WriteDeps } from '../../civic/submissions/write-deps.ts';
import { trustProxies } from '../../civic/trust/client-address.ts';
import { Salts } from '../../civic/trust/salts.ts';
import { FailureReport } from '../../contract/failure-report.ts';
import { pooledRandom } from '../../contract/pooled-random.ts';
import type { Clock, Log, Random } from '../../contract/ports.ts';
import { corpusFiles } from '../../store/civic/corpus-files.ts';
import { findPrints } from '../../store/civic/find-prints.ts';
import { openCivicStore } from '../../store/civic/open-civic-store.ts';
import { loadPepper } from '../../store/civic/pepper.ts';
import { GitHistory } from '../../store/corpus/git-history.ts';
import { GitRemote } from '../../store/corpus/git-remote.ts';
import { removeHistoryFile } from '../../store/corpus/history-file.ts';
import { isGitRoot } from '../../store/corpus/run-git.ts';
import type { WatchedCorpus } from '../../store/corpus/watched-corpus.ts';
import { usageError } from '../operation-command.ts';
import { Chores } from './civic-chores.ts';
import type { CivicConfig } from './civic-config.ts';
import { createForge } from './civic-forge.ts';
import { gitProposals } from './civic-proposals.ts';

const JOBS_EVERY_MS = 60_000;
/** Delay after the start, so that the server answers first. */
const WARM_AFTER_MS = 1000;
/** Notes of the server for commands that run beside it. */
const CORPUS_NOTE = 'corpus_dir';
const CLOCK_NOTE = 'test_clock';

export interface WriteSideOptions {
  readonly dir: string;
  readonly corpus: WatchedCorpus;
  readonly config: CivicConfig;
  readonly trustedProxies: readonly string[];
  maintainerTokens(): readonly string[];
  readonly dataDir: string;
  readonly registryFile: string;
  readonly clock: Clock;
  readonly testClock: MovableClock | undefined;
  readonly random: Random;
  readonly log: Log;
  readonly linkProbe: LinkProbe | undefined;
  readonly detectors: readonly Detector[];
  baseUrl(): string;
  providers(): ReturnType<ProviderSource['directory']>;
}

export interface WriteSide {
  readonly deps: WriteDeps;
  /** Starts the periodic jobs, and follows the folder. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** The write side on a data directory: store, salts, pepper and the corpus folder. */
export function openWriteSide(options: WriteSideOptions): WriteSide {
  const { clock, log, config, dataDir, registryFile } = options;
  const random = pooledRandom(options.random);
  const opened = openCivicStore(dataDir, log.error, registryFile);
  const pepper = loadPepper(config.pepper_file ?? join(dataDir, 'civic', 'pepper'), random);
  const salts = new Salts({ store: opened.salts, random, clock, pepper });
  const desk = {
    store: opened.store,
    salts,
    files: corpusFiles(options.dir, options.corpus),
    hasProvider: (id: string) => options.providers()?.providers.some((provider) => provider.id === id) ?? false,
    scrub: scrubSubmission,
    detectors: options.detectors,
    clock,
    random,
    log,
  };
  const history = new GitHistory(options.dir);
  const deps = createWriteDeps(desk, {
    proxies: readProxies(options),
    maintainerTokens: options.maintainerTokens,
    probeToken: config.probe_token,
    testClock: options.testClock && withNotes(options.testClock, opened.store),
    linkProbe: options.linkProbe,
    ...gitSettings(options),
    findPrints: (search) => {
      removeHistoryFile(options.dir);
      return findPrints({ dataDir, registryFile, corpusDir: options.dir }, search);
    },
    history: () => history.read(),
    baseUrl: options.baseUrl,
  });
  let timer: NodeJS.Timeout | undefined;
  let warming: NodeJS.Timeout | undefined;
  const chores = new Chores();
  const jobs = new FailureReport(log, { failing: 'a civic job failed', again: 'civic jobs succeed again' });
  const follows = new FailureReport(log, {
    failing: 'changes of the corpus could not be applied',
    again: 'changes of the corpus are applied again',
  });
  const warms = new FailureReport(log, {
    failing: 'the scrub could not be warmed up',
    again: 'the scrub is warmed up',
  });
  return {
    deps,
    async start() {
      const { store } = deps;
      await store.transact(() => {
        store.setNote(CORPUS_NOTE, options.dir);
        if (options.testClock) store.setNote(CLOCK_NOTE, String(clock.now()));
      });
      await recover(deps);
      options.corpus.onChange(() => setImmediate(() => chores.add(follows, () => followFolder(deps))));
      timer = setInterval(() => chores.add(jobs, () => deps.runJobs()), JOBS_EVERY_MS).unref();
      warming = setTimeout(() => chores.add(warms, () => warmScrub(() => nextTurn())), WARM_AFTER_MS).unref();
    },
    async close() {
      clearInterval(timer);
      clearTimeout(warming);
      await deps.endJobs();
      await chores.close();
      await deps.writer.settle();
      opened.close();
    },
  };
}

/** Git settings besides commits: a remote, branches, merge requests. */
function gitSettings({ dir, config }: WriteSideOptions): Pick<WriteSettings, 'proposals' | 'publish' | 'inTheWay'> {
  const sign = config.git_sign;
  const remote = config.git_push === undefined ? undefined : new GitRemote(dir, config.git_push, { sign });
  const token = process.env.BINDERY_CIVIC_FORGE_TOKEN ?? config.forge_token;
  if (config.forge && token === undefined)
    throw usageError('civic.forge needs civic.forge_token or BINDERY_CIVIC_FORGE_TOKEN');
  const forge = config.forge && createForge(config.forge, token as string);
  return {
    ...(config.proposals === 'branches' && isGitRoot(dir)
      ? { proposals: gitProposals({ dir, remote, forge, sign }) }
      : {}),
    ...(remote ? { publish: () => remote.synchronise(), inTheWay: () => remote.inTheWay() } : {}),
  };
}

/** The corpus and the clock of the last server with this data directory. */
export function readNotes(
  dataDir: string,
  registryFile: string,
): { corpusDir: string | undefined; testClock: number | undefined } {
  const { store, close } = openCivicStore(dataDir, undefined, registryFile);
  const clock = store.note(CLOCK_NOTE);
  const notes = { corpusDir: store.note(CORPUS_NOTE), testClock: clock === undefined ? undefined : Number(clock) };
  close();
  return notes;
}

/** A test clock that shares its time with commands. */
function withNotes(clock: MovableClock, store: CivicStore): MovableClock {
  return {
    now: clock.now,
    moveTo: (instant) => {
      clock.moveTo(instant);
      store.setNote(CLOCK_NOTE, String(instant));
    },
  };
}

async function followFolder(deps: WriteDeps): Promise<void> {
  await deps.store.transact(() => adoptCorpus(deps));
  await deps.writer.settle();
}

function readProxies({ trustedProxies, config }: WriteSideOptions) {
  const ranges = trustedProxies.length > 0 ? trustedProxies : config.trusted_proxies;
  try {
    return trustProxies(ranges, config.client_address_header);
  } catch (thrown) {
    throw usageError((thrown as Error).message);
  }
}

/** The clock that `BINDERY_TEST_CLOCK` sets; undefined: the real clock [C4]. */
export function testClockFrom(text: string | undefined): MovableClock | undefined {
  if (text === undefined || text === '') return undefined;
  let now = Date.parse(text);
  if (Number.isNaN(now)) throw usageError('BINDERY_TEST_CLOCK is not an RFC 3339 time');
  return {
    now: () => now,
    moveTo: (instant) => {
      now = instant;
    },
  };
}
