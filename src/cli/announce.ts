import { resolve } from 'node:path';
import { visible, visibleLine } from '../contract/visible-text.ts';
import type { Approval } from '../gateway/approval/approval.ts';
import { FORMATS, type GatewayAddress, KEY_VARIABLE, OWN_ID, setKeyCommand } from '../gateway/import/client-formats.ts';
import type { ApprovalPlace } from '../gateway/operations/deps.ts';
import type { ApprovalGate } from '../proxy/approvals/approval-gate.ts';
import { policyLines } from '../runtime/policy/policy-report.ts';
import type { ServedGateway } from '../runtime/serve-gateway.ts';
import type { ServedRoom } from '../runtime/up-settings.ts';
import { VERSION } from '../runtime/version.ts';
import { shellWord } from './shell-word.ts';
import type { Terminal } from './terminal.ts';

/** The credential that callers have to send. */
export interface NeededCredential {
  readonly isNeeded: boolean;
  /** The token from the command line. */
  readonly typed: string | undefined;
}

interface Started {
  readonly url: string;
  /** A link that signs a browser in, once. */
  newLink(): string;
  /** The admin token, of a gateway that commands do not find while another one runs. */
  readonly besideTokenFile?: string | undefined;
  readonly credential: NeededCredential;
}

/** One line of JSON for a program that started the gateway. */
export async function announceToProgram(gateway: ServedGateway, url: string, terminal: Terminal): Promise<void> {
  const line = {
    event: 'ready',
    url,
    mcp_url: `${url}/mcp`,
    pid: process.pid,
    version: VERSION,
    servers: gateway.serverCount(),
    policy: gateway.policyState(),
    exposure: gateway.exposure(),
  };
  await terminal.document(`${JSON.stringify(line)}\n`);
}

/** Tells a person who started the gateway what runs, what is wrong, and what to try. */
export async function announceToPerson(
  served: readonly ServedRoom[],
  gateway: ServedGateway,
  started: Started,
  terminal: Terminal,
): Promise<void> {
  const { url, credential } = started;
  const rooms = served.map((room) => `  ${room.bound.room.name.padEnd(9)}${room.bound.room.summary}`);
  const key = credential.isNeeded ? neededKey(credential, terminal.isPerson) : undefined;
  const tries = served
    .flatMap((room) => room.tryNext())
    .map((line) => visible`  ${key ? withHeader(line, key.shellWord) : line}`);
  const address = { url: `${url}/mcp`, command: '', args: [], ...key?.ofEntry };
  const entry = FORMATS['claude-code'].ownEntry(address);
  await terminal.out(
    [
      `Bindery ${VERSION} serves ${url}`,
      ...rooms,
      '',
      ...(gateway.policy().open ? ['No policy file: every tool may be called.'] : []),
      ...policyLines(gateway.policy()),
      ...gateway.approvalPlaces().map(approvalLine),
      // A person at the terminal has already seen the warnings.
      ...(terminal.hasWatcher ? [] : problemLines(gateway)),
      '',
      ...(key?.lines ?? []),
      'Try:',
      ...tries,
      '',
      ...placeLines(process.env),
      key?.ofEntry.keyVariable === undefined
        ? 'In an MCP client:'
        : 'In Claude Code; for other clients: bindery connect CLIENT --print',
      `  ${JSON.stringify({ mcpServers: { [OWN_ID]: entry } })}`,
      '',
      ...signInLines(started, terminal.isPerson),
      '',
      `Guides: ${url}/docs   Stop: Ctrl-C`,
      '',
    ].join('\n'),
  );
}

/** Output that is kept, such as a log, has no link: the first reader would become admin. */
function signInLines({ url, newLink, besideTokenFile }: Started, isPerson: boolean): string[] {
  if (isPerson) return ['Sign in as admin in a browser (works once):', `  ${newLink()}`];
  if (besideTokenFile === undefined) return ['For a link that signs a browser in as admin:', '  bindery console'];
  const header = `"Authorization: Bearer $(cat ${shellWord(besideTokenFile)})"`;
  return ['For a link that signs a browser in as admin:', `  curl -X POST -H ${header} ${url}/console/link`];
}

/** Commands in another terminal find this gateway by its directories: if variables set them, the commands need the same variables. */
export function placeLines(env: NodeJS.ProcessEnv): string[] {
  const set = ['BINDERY_CONFIG_PATH', 'BINDERY_DATA_DIR', 'BINDERY_LAYOUT'].flatMap((name) => {
    const value = env[name];
    if (!value) return [];
    return [`${name}=${shellWord(name === 'BINDERY_LAYOUT' ? value : resolve(value))}`];
  });
  return set.length === 0 ? [] : ['For commands in another terminal:', visible`  export ${set.join(' ')}`, ''];
}

/** The key that callers send, in the form for each reader of the announcement. */
interface NeededKey {
  readonly shellWord: string;
  readonly ofEntry: Pick<GatewayAddress, 'headers' | 'keyVariable'>;
  /** How a person gets it. */
  readonly lines: readonly string[];
}

/**
 * A person at a terminal sees the token that they typed. Other output may be stored, and a token of the config was not typed: then
 * callers read a key from a variable, and a command creates one.
 */
function neededKey({ typed }: NeededCredential, isPerson: boolean): NeededKey {
  if (typed !== undefined && isPerson) {
    const value = `Bearer ${typed}`;
    return {
      shellWord: shellWord(`Authorization: ${value}`),
      ofEntry: { headers: { Authorization: value } },
      lines: [],
    };
  }
  return {
    shellWord: `"Authorization: Bearer $${KEY_VARIABLE}"`,
    ofEntry: { keyVariable: KEY_VARIABLE },
    lines: [
      'Callers need a key. Make one, and start your client from the same terminal:',
      `  ${setKeyCommand('my-client', 'call,read')}`,
      '',
    ],
  };
}

function withHeader(line: string, header: string): string {
  return line.replace(/^curl /, () => `curl -H ${header} `);
}

/** Unused entries of the config, each with the reason. */
function problemLines(gateway: ServedGateway): string[] {
  const { config } = gateway.runtime;
  const broken = config.servers.filter(({ state }) => state === 'error');
  return [
    ...(config.error === undefined ? [] : [visible`Config: ${config.error}`]),
    ...broken.map(
      ({ configured, reason }) => visible`Server ${configured.id} is not used: ${reason ?? ''} (${configured.file})`,
    ),
    ...(broken.length === 0 && config.error === undefined ? [] : ['  More: bindery doctor']),
  ];
}

/** The approval surfaces of a profile. Warns if an agent could approve on a person's behalf. */
function approvalLine({ profile, surfaces }: ApprovalPlace): string {
  const where = surfaces.length === 0 ? 'nowhere' : `by ${surfaces.join(', ')}`;
  const warning = surfaces.includes('client') ? ' (client: an agent can answer for its person)' : '';
  return `Calls that need approval, profile ${profile}: ${where}${warning}`;
}

/** Prints each question at the gateway's terminal: who asks for what, and how to answer. */
export function printApprovals(gate: ApprovalGate, url: string, terminal: Terminal): void {
  gate.on('created', (approval) => void terminal.note(questionText(approval, url)));
  gate.on('decided', ({ id, status, decided_by }) => {
    void terminal.note(visible`${status}: ${id}${decided_by === null ? '' : ` by ${decided_by}`}\n`);
  });
}

function questionText({ id, server, tool, caller, client, reason }: Approval, url: string): string {
  const by = client === null ? caller : `${caller}, ${client.name}`;
  return [
    visible`Approval needed: ${server}/${tool} (${by})`,
    ...(reason === null ? [] : [`  reason   ${visibleLine(reason)}`]),
    `  look     bindery approvals show ${id}`,
    `  approve  bindery approvals approve ${id}`,
    `  deny     bindery approvals deny ${id}`,
    `  console  ${url}/`,
    '',
  ].join('\n');
}
