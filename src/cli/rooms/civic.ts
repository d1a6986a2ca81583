import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Context } from 'hono';
import type { CorpusIssue } from '../../civic/corpus/issue.ts';
import { type FolderDeps, folderOperations } from '../../civic/corpus/operations.ts';
import { checkForm } from '../../civic/forms/operations.ts';
import { isReportedDead } from '../../civic/lifecycle/check-links.ts';
import { linksCheckedIn } from '../../civic/lifecycle/monthly-link-check.ts';
import { listProvidersBy, type ProviderSource } from '../../civic/providers/directory.ts';
import { allHealthy, type ReadDeps } from '../../civic/reads/ports.ts';
import { civicReadRoom, readOperations } from '../../civic/reads/room.ts';
import { reviewOperations } from '../../civic/review/operations.ts';
import { scrubRules } from '../../civic/scrub/scrub-rules.ts';
import { hideErased } from '../../civic/site/hide-erased.ts';
import { type SiteDeps, writeSitePages } from '../../civic/site/operations.ts';
import { auditedArguments } from '../../civic/submissions/audited-arguments.ts';
import type { CivicStore } from '../../civic/submissions/civic-store.ts';
import { SCHEMA_NAMES, type SchemaName, schemaDocument } from '../../civic/submissions/json-schemas.ts';
import { submissionOperations } from '../../civic/submissions/operations.ts';
import { admitRead, type WriteDeps } from '../../civic/submissions/write-deps.ts';
import { BinderyError } from '../../contract/errors.ts';
import type { AnyOperation, Call, Room } from '../../contract/operation.ts';
import type { Log } from '../../contract/ports.ts';
import { isLoopbackHost } from '../../contract/public-address.ts';
import { visible } from '../../contract/visible-text.ts';
import { peerAddress } from '../../runtime/http/peer-address.ts';
import type { ServedRoom, UpSettings } from '../../runtime/up-settings.ts';
import { VERSION } from '../../runtime/version.ts';
import { storedHealth } from '../../store/civic/stored-health.ts';
import { GitHistory } from '../../store/corpus/git-history.ts';
import { readPageFiles } from '../../store/corpus/page-files.ts';
import { ProviderDirectoryFile } from '../../store/corpus/provider-file.ts';
import { writeSite } from '../../store/corpus/site-folder.ts';
import { VersionTimes } from '../../store/corpus/version-times.ts';
import { WatchedCorpus } from '../../store/corpus/watched-corpus.ts';
import { directories } from '../directories.ts';
import { addOperationCommand, usageError } from '../operation-command.ts';
import { addDatabaseOption, registryFileOfCommand } from '../registry-location.ts';
import type { Terminal } from '../terminal.ts';
import { sendable } from '../token-flags.ts';
import type { Wiring } from '../wiring.ts';
import { type CivicConfig, readCivicConfig } from './civic-config.ts';
import { openDetectors } from './civic-detectors.ts';
import { civicFaces } from './civic-faces.ts';
import { isKnownId, reviewed } from './civic-known.ts';
import { networkLinkProbe } from './civic-link-probe.ts';
import { providerRefresh } from './civic-providers.ts';
import { LiveSite, SITE_PREFIX, sha256 } from './civic-site.ts';
import { civicWarnings } from './civic-warnings.ts';
import { openWriteSide, readNotes, testClockFrom, type WriteSide } from './civic-write.ts';

type ServedDeps = ReadDeps & WriteDeps;

const servedOperations: readonly AnyOperation<ServedDeps>[] = [
  ...readOperations,
  ...submissionOperations,
  ...reviewOperations,
];

/** Everything of the room that `bindery up` serves. */
const servedRoom: Room<ServedDeps> = {
  ...civicReadRoom,
  operations: servedOperations,
};

/** The room `civic`: its commands, and its part of `bindery up`. */
export const civicWiring: Wiring = {
  room: { ...civicReadRoom, operations: [...servedOperations, ...folderOperations, writeSitePages] },

  addCommands(program, terminal) {
    for (const operation of folderOperations) {
      addOperationCommand(program, operation, {
        terminal,
        options: addProvidersOption,
        deps: (flags) => folderDeps(new ProviderDirectoryFile(textFlag(flags.providers))),
      });
    }
    addOperationCommand(program, writeSitePages, {
      terminal,
      options: (command) =>
        void addDatabaseOption(command).option(
          '--providers <file>',
          'file of the provider directory; default: civic.providers',
        ),
      deps: (flags) => siteDeps(textFlag(flags.providers), flags.db),
    });
    addOperationCommand(program, checkForm, {
      terminal,
      options: (command) => void command.requiredOption('--corpus <dir>', 'folder of the corpus'),
      deps: (flags) => commandReadDeps(String(flags.corpus), terminal),
    });
    for (const operation of reviewOperations) {
      addOperationCommand(program, operation, {
        terminal,
        options: (command) =>
          void addDatabaseOption(command).option(
            '--corpus <dir>',
            'folder of the corpus; default: the one that was served last',
          ),
        deps: (flags) => commandWriteDeps(textFlag(flags.corpus), flags.db),
      });
    }
  },

  async serve(given) {
    const config = readCivicConfig(directories(process.env).configFile);
    const testClock = testClockFrom(process.env.BINDERY_TEST_CLOCK);
    const settings = { ...given, clock: testClock ?? given.clock };
    const flag = textFlag(settings.flags.corpus);
    const dir = flag === undefined ? config.corpus : resolve(settings.cwd, flag);
    if (dir === undefined) return undefined;
    const providersFlag = textFlag(settings.flags.providers);
    const providersPath = providersFlag === undefined ? config.providers : resolve(settings.cwd, providersFlag);
    const providers = new ProviderDirectoryFile(providersPath);
    const corpus = watchCorpus(dir, providers, { ...settings, sign: config.git_sign });
    await firstBuild(corpus, providers, settings, flag !== undefined);
    const baseUrl = publicBaseUrl(config.base_url, settings);
    const ownToken = maintainerTokenOfEnvironment();
    const write = openWriteSide({
      ...settings,
      dir,
      corpus,
      config,
      testClock,
      trustedProxies: textFlags(settings.flags.trustedProxy),
      maintainerTokens: () => maintainerTokens(ownToken, config, settings.dataDir),
      linkProbe: config.probes === 'monthly' ? networkLinkProbe() : undefined,
      detectors: await openDetectors(config),
      baseUrl,
      providers: () => providers.file,
    });
    await write.start();
    corpus.watch();
    const { clock, log } = settings;
    const site = liveSite({ dir, corpus, write, baseUrl, providers, clock, name: config.site_name, log });
    await site.refresh();
    corpus.onChange(() => setImmediate(() => void site.refresh()));
    const warnings = await civicWarnings(config, dir);
    for (const warning of warnings) log.warn(warning);
    return {
      ...serveCorpus(corpus, providers, write, { baseUrl, site }),
      publicUrl: publicUrlOf(config.base_url),
      warnings: () => warnings,
    };
  },
};

/** The configured address, if other machines can reach it. */
function publicUrlOf(configured: string | undefined): string | undefined {
  return configured === undefined || isLoopbackHost(new URL(configured).hostname) ? undefined : configured;
}

function serveCorpus(
  corpus: WatchedCorpus,
  providers: ProviderDirectoryFile,
  write: WriteSide,
  { baseUrl, site }: { readonly baseUrl: () => string; readonly site: LiveSite },
): ServedRoom {
  const deprecated = new Map<string, number>([['find_skill', 0]]);
  const { store } = write.deps;
  const deps: ServedDeps = {
    ...write.deps,
    corpus,
    providers: providerSource(providers, store),
    health: storedHealth(store),
    site,
    schemas: schemaDocuments(baseUrl),
    scrubRules: scrubRules().rules,
    admitRead: (call) => admitRead(write.deps, call),
    countDeprecated: (tool) => deprecated.set(tool, (deprecated.get(tool) ?? 0) + 1),
  };
  const room = {
    ...servedRoom,
    auditedArguments: (args: unknown) => auditedArguments(args, (id) => isKnownId(corpus, write.deps, id)),
  };
  const faces = civicFaces(room, deps, { version: VERSION, newRequestId: randomUUID });
  return {
    bound: faces.bound,
    extend: (app) => {
      site.serve(app, (context) => admitRead(write.deps, pageCall(context)));
      faces.extend(app, peerAddress);
    },
    crossOriginPaths: [SITE_PREFIX],
    tryNext: () => [`curl ${baseUrl()}/agents/skills-graph.json`, `open ${baseUrl()}/site/`],
    metrics: () => [
      '# HELP bindery_civic_deprecated_calls_total Calls of deprecated tools.',
      '# TYPE bindery_civic_deprecated_calls_total counter',
      ...[...deprecated].map(([tool, count]) => `bindery_civic_deprecated_calls_total{tool="${tool}"} ${count}`),
    ],
    close: async () => {
      await corpus.close();
      await write.close();
    },
  };
}

function providerSource(file: ProviderDirectoryFile, store: CivicStore): ProviderSource {
  return { directory: () => file.file, isRemoved: (id) => store.removedProviders().has(id) };
}

interface LiveSiteParts extends Pick<UpSettings, 'log' | 'clock'> {
  readonly dir: string;
  readonly corpus: WatchedCorpus;
  readonly write: WriteSide;
  readonly name: string;
  readonly baseUrl: () => string;
  readonly providers: ProviderDirectoryFile;
}

function liveSite({ corpus, write, providers, ...parts }: LiveSiteParts): LiveSite {
  return new LiveSite({
    ...parts,
    providers: providerSource(providers, write.deps.store),
    corpus: () => corpus.current(),
    health: storedHealth(write.deps.store),
    erasures: {
      count: () => write.deps.store.review.erasedCount(),
      ids: () => write.deps.store.review.erasedIds(),
    },
    linkState: (id, url) =>
      isReportedDead(write.deps, id, url) ? 'dead' : linksCheckedIn(write.deps) === undefined ? 'unchecked' : 'reached',
  });
}

/** A page request as a call, for the read limit. */
function pageCall(context: Context): Call {
  return {
    face: 'http',
    requestId: '',
    signal: context.req.raw.signal,
    header: (name) => context.req.header(name),
    peerAddress: peerAddress(context),
    progress: () => {},
  };
}

function watchCorpus(
  dir: string,
  providers: ProviderDirectoryFile,
  { dataDir, log, clock, sign }: Pick<UpSettings, 'dataDir' | 'log' | 'clock'> & { readonly sign?: boolean },
): WatchedCorpus {
  const times = new VersionTimes(join(dataDir, 'civic', 'versions'));
  const refresh = providerRefresh(providers, clock, log);
  return new WatchedCorpus({
    dir,
    log,
    commits: { sign },
    async context() {
      await refresh();
      return {
        names: providers.names,
        ...(providers.categories ? { categories: providers.categories } : {}),
        generatedAt: (version) => times.firstBuilt(version, clock.now()),
      };
    },
  });
}

/** A corpus that the command line names must be valid; one of the configuration may become valid later, while the rest is served. */
async function firstBuild(
  corpus: WatchedCorpus,
  providers: ProviderDirectoryFile,
  { clock, log }: UpSettings,
  isRequired: boolean,
): Promise<void> {
  try {
    await providerRefresh(providers, clock, log)();
    const { errors } = await corpus.refresh();
    if (errors.length > 0) throw invalidCorpus(errors);
  } catch (thrown) {
    const { path = '' } = thrown as NodeJS.ErrnoException;
    const detail = path === '' ? {} : { detail: `"${path}" cannot be read` };
    const error =
      thrown instanceof BinderyError ? thrown : new BinderyError('corpus_missing', { ...detail, cause: thrown });
    if (isRequired) throw error;
    log.error('the corpus cannot be served', { error });
  }
}

function invalidCorpus(errors: readonly CorpusIssue[]): BinderyError {
  const shown = errors.slice(0, 50).map(({ code, path, message }) => `\n  ${path}: ${message} (${code})`);
  return new BinderyError('corpus_invalid', { detail: shown.join(''), members: { errors } });
}

/** Addresses in answers never follow a header: they begin with the configured address or the loopback address. */
function publicBaseUrl(configured: string | undefined, settings: UpSettings): () => string {
  let known = configured;
  return () => {
    if (known !== undefined) return known;
    const served = settings.baseUrl();
    if (served === '') return '';
    known = `http://127.0.0.1:${new URL(served).port || '80'}`;
    return known;
  };
}

function folderDeps(providers: ProviderDirectoryFile): FolderDeps {
  return {
    async build(dir) {
      const context = {
        async context() {
          await providerRefresh(providers, { now: Date.now }, silentLog)();
          return {
            names: providers.names,
            ...(providers.categories ? { categories: providers.categories } : {}),
            generatedAt: () => new Date().toISOString(),
          };
        },
      };
      try {
        return await new WatchedCorpus({ dir, log: silentLog, ...context }).refresh();
      } catch (cause) {
        if (cause instanceof BinderyError) throw cause;
        throw new BinderyError('corpus_missing', { detail: `"${dir}" cannot be read`, cause });
      }
    },
    async write(dir, files) {
      for (const { path, text } of files) {
        await mkdir(dirname(join(dir, path)), { recursive: true });
        await writeFile(join(dir, path), text);
      }
    },
    elapsedMs: () => performance.now(),
  };
}

/** Dependencies of the command that writes a corpus as pages. */
function siteDeps(providersFlag: string | undefined, databaseFlag: unknown): SiteDeps {
  const { configFile, dataDir } = directories(process.env);
  const config = readCivicConfig(configFile);
  const providers = new ProviderDirectoryFile(providersFlag === undefined ? config.providers : resolve(providersFlag));
  return {
    async writeSite({ dir: named, out, baseUrl, name }) {
      const dir = named === undefined ? config.corpus : resolve(named);
      if (dir === undefined) throw usageError('name the corpus, or set civic.corpus in config.json');
      const { corpus, errors } = await folderDeps(providers).build(dir);
      if (!corpus) throw invalidCorpus(errors);
      const { removed, erased } = await reviewed(dataDir, databaseFlag);
      const source = { directory: () => providers.file, isRemoved: (id: string) => removed.has(id) };
      return writeSite(resolve(out), {
        corpus,
        history: hideErased(await new GitHistory(dir, { isKept: true }).read(), erased),
        health: allHealthy,
        linkState: () => 'unchecked',
        providers: (category) => listProvidersBy(sha256, source, category, Date.now()) ?? [],
        pages: readPageFiles(dir),
        name: name ?? config.site_name,
        baseUrl,
        isLive: false,
        program: VERSION,
      });
    },
    elapsedMs: () => performance.now(),
  };
}

/** Dependencies of a command that reads a corpus without serving it. */
async function commandReadDeps(dir: string, terminal: Terminal): Promise<ReadDeps> {
  const corpus = watchCorpus(resolve(dir), new ProviderDirectoryFile(undefined), {
    dataDir: directories(process.env).dataDir,
    log: silentLog,
    clock: { now: Date.now },
  });
  const { errors } = await corpus.refresh();
  if (errors.length > 0) throw invalidCorpus(errors);
  return {
    corpus,
    providers: { directory: () => undefined, isRemoved: () => false },
    health: allHealthy,
    schemas: {},
    scrubRules: [],
    clock: { now: Date.now },
    log: { ...silentLog, warn: (message) => void terminal.note(visible`${message}\n`) },
    baseUrl: () => '',
    admitRead: () => {},
    countDeprecated: () => {},
  };
}

/** Dependencies of the maintainer's commands: the store, and the folder for decisions. */
async function commandWriteDeps(corpusFlag: string | undefined, databaseFlag: unknown): Promise<WriteDeps> {
  const { configFile, dataDir } = directories(process.env);
  const config = readCivicConfig(configFile);
  const registryFile = await registryFileOfCommand(databaseFlag, dataDir);
  const notes = readNotes(dataDir, registryFile);
  const dir = corpusFlag === undefined ? (config.corpus ?? notes.corpusDir) : resolve(corpusFlag);
  if (dir === undefined) throw usageError('name the corpus with --corpus, or in config.json as civic.corpus');
  const testClock = testClockFrom(process.env.BINDERY_TEST_CLOCK);
  const clock = testClock ? { now: () => Math.max(testClock.now(), notes.testClock ?? 0) } : { now: Date.now };
  const providers = new ProviderDirectoryFile(config.providers);
  const corpus = watchCorpus(dir, providers, { dataDir, log: silentLog, clock, sign: config.git_sign });
  try {
    await corpus.refresh();
  } catch (cause) {
    throw new BinderyError('corpus_missing', { detail: `"${dir}" cannot be read`, cause });
  }
  const random = { bytes: (length: number) => randomBytes(length) };
  const options = { dir, corpus, config, dataDir, registryFile, clock, random, log: silentLog };
  const none = {
    testClock: undefined,
    linkProbe: undefined,
    detectors: [],
    trustedProxies: [],
    maintainerTokens: () => [],
  };
  return openWriteSide({ ...options, ...none, baseUrl: () => '', providers: () => providers.file }).deps;
}

function maintainerTokenOfEnvironment(): string {
  const token = process.env.BINDERY_CIVIC_MAINTAINER_TOKEN || undefined;
  return token === undefined ? '' : sendable(token, 'BINDERY_CIVIC_MAINTAINER_TOKEN');
}

/** The maintainer's own token, and the gateway's admin token, which may be created after this room has started. */
function maintainerTokens(ownToken: string, config: CivicConfig, dataDir: string): string[] {
  const own = [ownToken, config.maintainer_token ?? ''];
  const file = join(dataDir, 'admin.token');
  return existsSync(file) ? [...own, readFileSync(file, 'utf8').trim()] : own;
}

/** The schemas of submissions, created when their base address is known. */
function schemaDocuments(baseUrl: () => string): Readonly<Record<string, object>> {
  const documents = new Map<SchemaName, object>();
  const schemas = {};
  for (const name of SCHEMA_NAMES) {
    const get = () => {
      const document = documents.get(name) ?? schemaDocument(name, baseUrl());
      documents.set(name, document);
      return document;
    };
    Object.defineProperty(schemas, name, { get, enumerable: true });
  }
  return schemas;
}

const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function addProvidersOption(command: Command): void {
  command.option('--providers <file>', 'file of the provider directory, whose names skills may not contain');
}

function textFlags(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function textFlag(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
