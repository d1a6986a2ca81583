import { z } from 'zod';
import { SURFACES } from '../../contract/approval-surfaces.ts';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation } from '../../contract/operation.ts';
import { visible } from '../../contract/visible-text.ts';
import { CLIENTS } from '../import/client-formats.ts';
import type { AdministrationDeps, InitAnswers, InitFound, InitPlan, InitStart } from './deps.ts';
import { Unwritten, unwrittenText } from './import-operations.ts';
import { listOf } from './list-of.ts';
import { STARTING_POLICIES } from './starting-policy.ts';

const Output = z.object({
  clients: z.array(
    z.object({
      client: z.string(),
      file: z.string(),
      servers: z.array(z.object({ id: z.string(), as: z.string().nullable(), reason: z.string().nullable() })),
    }),
  ),
  policy: z.string(),
  surfaces: z.array(z.enum(SURFACES)),
  files: z.array(z.string()).describe('files that were written, or would be'),
  unwritten: Unwritten.describe('files of clients that could not be written'),
  backup: z.string().nullable(),
  gateway: z
    .object({
      url: z.string(),
      pid: z.number().int(),
      how: z.enum(['running', 'background', 'service']),
      stop: z.string().describe('command line that stops it'),
    })
    .nullable(),
  console: z
    .string()
    .nullable()
    .describe('link that signs a browser in, once; null if the output does not go to a terminal'),
  diff: z.string(),
});
type Output = z.output<typeof Output>;

const init = defineOperation({
  id: 'gateway.init',
  summary:
    'Set Bindery up: take over the servers of your clients, write a policy, start the gateway, connect the clients.',
  input: z.strictObject({
    clients: z
      .string()
      .optional()
      .describe(`clients to take over and connect: all, none, or of ${CLIENTS.join(', ')}, separated by commas`),
    policy: z
      .enum([...STARTING_POLICIES, 'keep'])
      .optional()
      .describe('what may be called at the start'),
    surfaces: z
      .string()
      .optional()
      .describe(
        'where calls may be approved: console, cli, client (an agent can answer that one itself), webhook (a program; this version cannot set one up)',
      ),
    start: z.enum(['background', 'service', 'no']).optional().describe('how the gateway is started'),
    port: z
      .number()
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe('port of the gateway, kept in the config; default: what the config says, or 7717'),
    dry_run: z.boolean().default(false).describe('show what would be done'),
    yes: z.boolean().default(false).describe('do not ask; use the recommended value for each missing flag'),
  }),
  output: Output,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  http: false,
  mcp: false,
  cli: {
    command: 'init',
    manyLines: ['diff'],
    visibleBefore: ['diff'],
    exit: ({ unwritten }) => (unwritten.length === 0 ? 0 : 1),
    print: (output, input) => (input.dry_run ? `${planText(output)}nothing was written\n` : doneText(output)),
  },
  failures: defaultFailures,
  encode: ({ diff: _diff, ...output }) => JSON.stringify(output),
  run: async (input, deps: AdministrationDeps) => {
    const { look, ask, plan, checkPort, start } = deps.init;
    const found = await look(input.port);
    const given = givenAnswers(input, found);
    const answers = withRecommended(
      input.yes || input.dry_run ? given : { ...given, ...(await ask(found, given)) },
      found,
    );
    const planned = await plan(answers, found);
    const shown = outputOf(planned, answers);
    if (input.dry_run) return shown;
    if (!input.yes && !(await deps.confirm(`${planText(shown)}${summaryText(shown, answers, found)}Do this?`, 'yes'))) {
      throw new BinderyError('CONFIRMATION_REQUIRED');
    }
    // Clients are connected to this port, so it has to be usable before their files change.
    if (answers.start !== 'no') await checkPort(found);
    const hasWork = planned.files.length > 0 || (answers.start !== 'no' && found.runningPid === undefined);
    const { backup, unwritten } = hasWork ? await planned.apply() : { backup: null, unwritten: [] };
    const begun = await start(answers.start, found, backup);
    return {
      ...shown,
      files: shown.files.filter((file) => unwritten.every(({ path }) => path !== file)),
      unwritten: [...unwritten],
      backup,
      gateway: begun && { ...begun.gateway },
      console: begun?.console ?? null,
    };
  },
});

export const initOperations = [init];

type Given = { -readonly [Name in keyof InitAnswers]?: InitAnswers[Name] };

/** The choices that flags give. */
function givenAnswers(
  input: {
    clients?: string | undefined;
    surfaces?: string | undefined;
    policy?: InitAnswers['policy'] | undefined;
    start?: InitStart | undefined;
  },
  found: InitFound,
): Given {
  const given: Given = {};
  if (input.clients !== undefined) given.clients = chosenClients(input.clients, found);
  if (input.policy !== undefined) given.policy = input.policy;
  if (input.surfaces !== undefined) given.surfaces = listOf('surfaces', input.surfaces, SURFACES);
  if (input.start !== undefined) given.start = input.start;
  if (given.start === 'service' && !found.hasServices) {
    throw new BinderyError('USAGE', {
      detail: 'this machine has no systemd that runs services of a user',
      next: 'Take --start background, or start `bindery up` by what this machine starts programs with.',
    });
  }
  return given;
}

function chosenClients(text: string, { clients }: InitFound): InitAnswers['clients'] {
  if (text === 'none') return [];
  if (text === 'all') return clients.map(({ client }) => client);
  return listOf('clients', text, CLIENTS);
}

/** Fills in the recommended choices: as careful as possible without getting in the way. */
function withRecommended(given: Given, { clients, hasPolicy, surfaces }: InitFound): InitAnswers {
  return {
    clients: given.clients ?? clients.map(({ client }) => client),
    policy: given.policy ?? (hasPolicy ? 'keep' : 'ask-before-writes'),
    surfaces: given.surfaces ?? surfaces,
    start: given.start ?? 'background',
  };
}

function outputOf({ clients, files, diff }: InitPlan, { policy, surfaces }: InitAnswers): Output {
  return {
    clients: clients.map(({ client, file, servers }) => ({
      client,
      file,
      servers: servers.map(({ id, as, reason }) => ({ id, as, reason })),
    })),
    policy,
    surfaces: [...surfaces],
    files: [...files],
    unwritten: [],
    backup: null,
    gateway: null,
    console: null,
    diff,
  };
}

function planText({ diff, ...output }: Output): string {
  return `${clientLines(output.clients)}${settingLines({ ...output, diff })}${diff === '' ? 'no file changes\n' : diff}`;
}

/** What a yes does, in a few lines: the diff above is longer than a screen. */
function summaryText({ clients, files }: Output, { policy, start }: InitAnswers, found: InitFound): string {
  const imported = clients.flatMap(({ servers }) => servers).filter(({ as }) => as !== null).length;
  const changed = clients.filter(({ file }) => files.includes(file)).map(({ client }) => client);
  return [
    '\nIn short:\n',
    `servers    ${imported === 0 ? 'none' : imported} to import\n`,
    `clients    ${changed.length === 0 ? 'none to change' : `${changed.join(', ')} (one entry each, Bindery)`}\n`,
    `policy     ${policy === 'keep' ? 'stays as it is' : policy}\n`,
    `gateway    ${startText(start, found)}\n`,
    'undo       bindery restore\n',
  ].join('');
}

function startText(start: InitStart, { url, runningPid }: InitFound): string {
  if (runningPid !== undefined) return `runs at ${url} (process ${runningPid})`;
  if (start === 'no') return 'is not started';
  return start === 'service' ? `starts now and at each login, at ${url}` : `starts in the background, at ${url}`;
}

function doneText(output: Output): string {
  const { backup, gateway, console: link } = output;
  return [
    clientLines(output.clients),
    settingLines(output),
    gateway === null ? 'gateway    not started; start it with: bindery up\n' : gatewayLine(gateway),
    ...(gateway === null ? [] : [`console    ${link ?? 'for a link that signs a browser in: bindery console'}\n`]),
    backup === null ? 'nothing had to be changed\n' : visible`backup     ${backup}\n`,
    ...(output.clients.length === 0 || backup === null
      ? []
      : ['Start your clients again, so that they read their files.\n']),
    unwrittenText(output.unwritten),
    ...(backup === null ? [] : ['Undo all of this: bindery restore\n']),
  ].join('');
}

function clientLines(clients: Output['clients']): string {
  if (clients.length === 0) return 'clients    none\n';
  return clients
    .map(({ client, file, servers }) => {
      const lines = servers.map((server) => visible`             ${serverText(server)}\n`);
      return `${visible`client     ${client} (${file})\n`}${lines.join('')}`;
    })
    .join('');
}

function serverText({ id, as, reason }: Output['clients'][number]['servers'][number]): string {
  if (as === null) return `${id} stays in the client: ${reason ?? ''}`;
  return `${as === id ? id : `${id} as ${as}`}${reason === null ? '' : ` (${reason})`}`;
}

function settingLines({ policy, surfaces }: Output): string {
  const warning = surfaces.includes('client') ? ' (client: an agent can answer for its person)' : '';
  return `policy     ${policy}\napprovals  ${surfaces.join(', ')}${warning}\n`;
}

function gatewayLine({ url, pid, how, stop }: NonNullable<Output['gateway']>): string {
  const place = { running: 'it ran before', background: 'in the background', service: 'as a service of your user' }[
    how
  ];
  return `gateway    ${url} (process ${pid}, ${place})\nstop it    ${stop}\n`;
}
