import { resolve } from 'node:path';
import { visible, visibleLine } from '../contract/visible-text.ts';
import type { Approval } from '../gateway/approval/approval.ts';
import type { ApprovalPlace } from '../gateway/operations/deps.ts';
import type { ApprovalGate } from '../proxy/approvals/approval-gate.ts';
import { policyLines } from '../runtime/policy/policy-report.ts';
import type { ServedGateway } from '../runtime/serve-gateway.ts';
import type { ServedRoom } from '../runtime/up-settings.ts';
import { VERSION } from '../runtime/version.ts';
import { shellWord } from './shell-word.ts';
import type { Terminal } from './terminal.ts';

/** What callers have to send. */
export interface NeededCredential {
  readonly isNeeded: boolean;
  /** The token of the command line or of the config; undefined: API keys or an authorization server open the door. */
  readonly token: string | undefined;
}

interface Started {
  readonly url: string;
  /** Signs a browser in, once. */
  readonly link: string;
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

/** What runs, what is wrong, and what to try, for a person who started the gateway. */
export async function announceToPerson(
  served: readonly ServedRoom[],
  gateway: ServedGateway,
  { url, link, credential }: Started,
  terminal: Terminal,
): Promise<void> {
  const rooms = served.map((room) => `  ${room.bound.room.name.padEnd(9)}${room.bound.room.summary}`);
  const authorization = authorizationOf(credential, terminal.isPerson);
  const tries = served
    .flatMap((room) => room.tryNext())
    .map((line) => visible`  ${authorization === undefined ? line : withHeader(line, authorization)}`);
  const headers = authorization === undefined ? {} : { headers: { Authorization: authorization } };
  await terminal.out(
    [
      `Bindery ${VERSION} serves ${url}`,
      ...rooms,
      '',
      ...(gateway.policy().open ? ['No policy file: every tool may be called.'] : []),
      ...policyLines(gateway.policy()),
      ...gateway.approvalPlaces().map(approvalLine),
      // A person who watches has read the warnings already.
      ...(terminal.hasWatcher ? [] : problemLines(gateway)),
      '',
      'Try:',
      ...tries,
      '',
      ...placeLines(process.env),
      'In an MCP client:',
      `  ${JSON.stringify({ mcpServers: { bindery: { type: 'http', url: `${url}/mcp`, ...headers } } })}`,
      '',
      'Sign in as admin in a browser (works once):',
      `  ${link}`,
      '',
      `Guides: ${url}/docs   Stop: Ctrl-C`,
      '',
    ].join('\n'),
  );
}

/** Commands in another terminal find this gateway by its directories: where variables name them, they need the same ones. */
export function placeLines(env: NodeJS.ProcessEnv): string[] {
  const set = ['BINDERY_CONFIG_PATH', 'BINDERY_DATA_DIR', 'BINDERY_LAYOUT'].flatMap((name) => {
    const value = env[name];
    if (!value) return [];
    return [`${name}=${shellWord(name === 'BINDERY_LAYOUT' ? value : resolve(value))}`];
  });
  return set.length === 0 ? [] : ['For commands in another terminal:', visible`  export ${set.join(' ')}`, ''];
}

/** The header that callers send. Where the output is not a person's terminal it may be kept, so the token is not in it. */
function authorizationOf({ isNeeded, token }: NeededCredential, isPerson: boolean): string | undefined {
  if (!isNeeded) return undefined;
  if (token === undefined) return 'Bearer KEY_FROM_bindery_keys_create';
  return `Bearer ${isPerson ? token : 'YOUR_TOKEN'}`;
}

function withHeader(line: string, authorization: string): string {
  return line.replace(/^curl /, () => `curl -H ${shellWord(`Authorization: ${authorization}`)} `);
}

/** Entries of the config that are not used, each with the reason. */
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

/** Where calls of a profile are approved; that an agent may answer for its person is said. */
function approvalLine({ profile, surfaces }: ApprovalPlace): string {
  const where = surfaces.length === 0 ? 'nowhere' : `by ${surfaces.join(', ')}`;
  const warning = surfaces.includes('client') ? ' (client: an agent can answer for its person)' : '';
  return `Calls that need approval, profile ${profile}: ${where}${warning}`;
}

/** Prints each question at the terminal of the gateway: who asks for what, and how to answer. */
export function tellApprovals(gate: ApprovalGate, url: string, terminal: Terminal): void {
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
