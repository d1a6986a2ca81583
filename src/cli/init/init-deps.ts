import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import type { InitAnswers, InitDeps, InitFound, InitPlan, PlannedClient } from '../../gateway/administration/deps.ts';
import { startingPolicy } from '../../gateway/administration/starting-policy.ts';
import { setServer } from '../../gateway/import/client-file.ts';
import { type ClientId, FORMATS, OWN_ID } from '../../gateway/import/client-formats.ts';
import { clientPlace } from '../../gateway/import/client-places.ts';
import { namingFile, setMember } from '../../host/config/edit-config.ts';
import { gatewaySettings, surfacesOf } from '../../host/config/gateway-settings.ts';
import { applyChanges, type FileChange, maskedDiff, readSource } from '../commands/file-changes.ts';
import { type ImportOptions, importedFiles } from '../commands/import-clients.ts';
import { newConsoleLink } from '../console-command.ts';
import { likelyPort, listenProblem, portOfUrl } from '../gateway-port.ts';
import type { OwnProgram } from '../own-program.ts';
import { openBrowser, opensBrowser } from '../rooms/host/sign-in-person.ts';
import type { Announcement } from '../running-gateway.ts';
import { askInit } from './ask-init.ts';
import { type GatewayProgram, startInBackground } from './start-gateway.ts';
import { hasUserServices, startService, unitFile, unitText } from './systemd-unit.ts';

export interface InitOptions {
  readonly importing: ImportOptions;
  readonly program: OwnProgram;
  readonly configDir: string;
  readonly dataDir: string;
  readonly running: Announcement | undefined;
  /** Whether a person is at the terminal. */
  readonly canAsk: boolean;
  /** Whether a terminal shows the output. Other output may be kept, and a link in it would sign its reader in as admin. */
  readonly showsLink: boolean;
}

/** Sets up Bindery on this machine: all files in one step, with one backup. */
export function initDeps(options: InitOptions): InitDeps {
  const { importing, dataDir, running, canAsk, showsLink } = options;
  return {
    look: (port) => look(options, port),
    ask: async (found, given) =>
      canAsk ? askInit(found, given, { input: process.stdin, output: process.stderr }) : {},
    plan: (answers, found) => plan(options, answers, found),
    checkPort: async ({ url }) => {
      if (running === undefined) refuseProblem(portOfUrl(url), await listenProblem(portOfUrl(url)));
    },
    start: async (how, { url }, backup) => {
      if (running === undefined && how === 'no') return null;
      const program = programOf(options);
      const pid = running?.pid ?? (await (how === 'service' ? startService : startInBackground)(program));
      if (running === undefined && how !== 'no' && backup !== null)
        await importing.backups.noteProcess(backup, { how, pid });
      const started = running === undefined && how !== 'no' ? how : ('running' as const);
      const gateway = {
        url,
        pid,
        how: started,
        stop: started === 'service' ? 'systemctl --user disable --now bindery' : 'bindery stop',
      };
      const opens = canAsk && opensBrowser(process.env);
      const link = opens || showsLink ? await newConsoleLink(dataDir) : null;
      if (opens && link !== null) openBrowser(link);
      return { gateway, console: showsLink ? link : null };
    },
  };
}

function refuseProblem(port: number, problem: string | undefined): void {
  if (problem === undefined) return;
  const next = 'Choose another port with --port, or stop the program that listens there. Nothing was changed.';
  if (problem === 'EADDRINUSE') throw new BinderyError('PORT_IN_USE', { detail: `port ${port} on 127.0.0.1`, next });
  throw new BinderyError('USAGE', {
    detail: `--port ${port} cannot be used by this user (${problem})`,
    next: 'Choose another port with --port; ports below 1024 need rights. Nothing was changed.',
  });
}

async function look(options: InitOptions, port: number | undefined): Promise<InitFound> {
  const { importing, configDir, running } = options;
  const ofConfig = likelyPort(importing.config.files.global);
  if (running && port !== undefined && port !== portOfUrl(running.url)) {
    throw new BinderyError('USAGE', {
      detail: `a gateway runs at ${running.url} (process ${running.pid}), not at port ${port}`,
      next: 'Stop it first, or leave --port out.',
    });
  }
  const quiet = { ...importing, warn: () => {} };
  const { clients } = await importedFiles(quiet, { from: undefined, file: undefined, replace: false });
  const layers = (await importing.config.read()).layers.filter(({ scope }) => scope === 'global');
  for (const { file, error } of layers)
    if (error !== undefined) throw new BinderyError('CONFIG_INVALID', { detail: `${file}: ${error}` });
  const { settings } = gatewaySettings(layers);
  return {
    clients: clients.flatMap(({ client, file, servers }) =>
      client === 'file' ? [] : [{ client, file, servers: servers.filter(({ as }) => as !== null).length }],
    ),
    hasPolicy: existsSync(policyFile(configDir)),
    surfaces: surfacesOf(settings, 'default'),
    url: running?.url ?? `http://127.0.0.1:${port ?? ofConfig}`,
    configuredPort: ofConfig,
    runningPid: running?.pid,
    hasServices: await hasUserServices(),
  };
}

async function plan(options: InitOptions, answers: InitAnswers, found: InitFound): Promise<InitPlan> {
  const importing = { ...options.importing, address: { ...options.importing.address, url: `${found.url}/mcp` } };
  const imported = await importedFiles(importing, {
    from: undefined,
    file: undefined,
    clients: answers.clients,
    replace: true,
  });
  const changes = [
    ...configChange(importing, imported.changes, answers, found),
    ...policyChange(options, answers),
    ...imported.changes.filter(({ isConfig }) => !isConfig),
    ...newClientFiles(importing, answers),
    ...(answers.start === 'service' ? unitChange(programOf(options)) : []),
  ].filter(({ before, after }) => before !== after);
  if (answers.start === 'service' && options.program.isCached) importing.warn(CACHED_SERVICE);
  return {
    clients: [...imported.clients, ...newClients(importing, answers)],
    leftOut: imported.leftOut,
    files: changes.map(({ path }) => path),
    diff: maskedDiff(changes, imported.secrets),
    apply: () => applyChanges(importing.backups, changes, 'init'),
  };
}

const CACHED_SERVICE =
  'the service starts a file in the cache of npx, which npm may remove: install it with `npm i -g mcp-bindery`, and run init again';

/** The imported servers, and the approval surface and port, if they differ from the current ones. */
function configChange(
  { config }: ImportOptions,
  changes: readonly FileChange[],
  { surfaces }: InitAnswers,
  found: InitFound,
): FileChange[] {
  const path = config.files.global;
  const imported = changes.find(({ isConfig }) => isConfig);
  const before = imported ? imported.before : readSource(path);
  const isSame = surfaces.length === found.surfaces.length && surfaces.every((one) => found.surfaces.includes(one));
  const port = portOfUrl(found.url);
  const after = namingFile(path, () => {
    let text = imported?.after ?? before;
    if (!isSame) text = setMember(text, ['gateway', 'approval', 'surfaces'], surfaces);
    // Clients are connected to this port, so the next `bindery up` has to serve it, too.
    if (port !== found.configuredPort) text = setMember(text, ['gateway', 'port'], port);
    return text;
  });
  return after === undefined ? [] : [{ path, before, after, isConfig: true }];
}

function policyChange({ configDir }: InitOptions, { policy }: InitAnswers): FileChange[] {
  const path = policyFile(configDir);
  return policy === 'keep' ? [] : [{ path, before: readSource(path), after: startingPolicy(policy) }];
}

/** Requested clients that have no file yet. */
function newClients({ machine }: ImportOptions, { clients }: InitAnswers): (PlannedClient & { client: ClientId })[] {
  return clients
    .map((client) => ({ client, file: resolve(clientPlace(client, machine)), servers: [], replaced: true }))
    .filter(({ file }) => !existsSync(file));
}

/** Creates a file for each of them. */
function newClientFiles(importing: ImportOptions, answers: InitAnswers): FileChange[] {
  return newClients(importing, answers).map(({ client, file: path }) => {
    const format = FORMATS[client];
    const after = setServer(format, '', OWN_ID, format.ownEntry(importing.address));
    return { path, before: undefined, after, isClient: true };
  });
}

function unitChange(program: GatewayProgram): FileChange[] {
  const path = unitFile(program.env);
  return [{ path, before: readSource(path), after: unitText(program) }];
}

/** Without a port: it is in the config. */
function programOf({ importing, program, dataDir }: InitOptions): GatewayProgram {
  const { machine } = importing;
  const args = [program.script, 'up', '--cwd', machine.home];
  return { command: process.execPath, args, home: machine.home, dataDir, env: machine.env };
}

/** The policy of the person, which applies to all projects. */
function policyFile(configDir: string): string {
  return join(configDir, 'project_mcp.json');
}
