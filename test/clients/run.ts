/**
 * `npm run clients`: every client × every server × every feature, directly and through the gateway; writes
 * docs/clients.md. `-- --latest` tries the newest release of each client instead of the pinned one.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Cell, CLIENTS, type ClientUnderTest, type Matrix, tryClients, type Verdict } from './matrix.ts';

const MARKS: Record<Verdict, string> = { both: '✓', gateway: '+', direct: '✗', neither: '' };
/** Peers are pinned in package.json: npm takes minutes to find versions of LangChain's that fit each other, and fails. */
const INSTALL_FLAGS = ['--legacy-peer-deps', '--no-save', '--no-package-lock', '--no-audit', '--no-fund'];
const here = fileURLToPath(new URL('.', import.meta.url));
const page = fileURLToPath(new URL('../../docs/clients.md', import.meta.url));

const { values } = parseArgs({
  options: { latest: { type: 'boolean' }, client: { type: 'string' }, server: { type: 'string' } },
});
install(values.latest === true);
const clients = CLIENTS.filter(({ id }) => values.client === undefined || id.startsWith(values.client));
const matrix = await tryClients(
  clients,
  (server) => values.server === undefined || server === values.server,
  (client, server) => console.error(`${client} × ${server}`),
);
const text = render(clients, matrix);
if (clients.length === CLIENTS.length && values.server === undefined) await writeFile(page, text);
else console.log(text);
const lost = matrix.cells.filter(({ verdict }) => verdict === 'direct');
for (const { client, server, feature, through } of lost)
  console.error(`lost through the gateway: ${client} × ${server} × ${feature}: ${through}`);
for (const { server, failures } of matrix.shortLived)
  for (const failure of failures) console.error(`a short-lived client was turned away: ${server}: ${failure}`);
const isWhole = lost.length === 0 && matrix.shortLived.every(({ failures }) => failures.length === 0);
process.exitCode = isWhole ? 0 : 1;

/** The clients weigh more than the project: they are installed here only when they are asked for. */
function install(latest: boolean): void {
  const { dependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const wanted = Object.entries(dependencies).map(([name, version]) => `${name}@${latest ? 'latest' : version}`);
  const present = Object.entries(dependencies).every(([name, version]) => installedVersion(name) === version);
  if (latest || !present)
    execFileSync('npm', ['install', ...INSTALL_FLAGS, ...wanted], { cwd: here, stdio: 'inherit' });
}

function installedVersion(name: string): string | undefined {
  const file = [join(here, 'node_modules'), join(here, '../../node_modules')]
    .map((folder) => join(folder, name, 'package.json'))
    .find((path) => existsSync(path));
  return file && (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function render(tried: readonly ClientUnderTest[], { servers, cells, shortLived }: Matrix): string {
  const count = (verdict: Verdict) => cells.filter((cell) => cell.verdict === verdict).length;
  const lines = [
    '# Clients and servers',
    '',
    'Made by `npm run clients`: each client with each server, directly and through the gateway.',
    `${count('both')} cells work both ways, ${count('gateway')} only through the gateway (+), ${count('direct')} were lost (✗).`,
    'An empty cell is one that the client cannot ask for or the server does not offer; – fails both ways, for the reason below its table.',
    '',
    '| server | what it is |',
    '|---|---|',
    ...servers.map(({ id, about }) => `| ${id} | ${about} |`),
    '',
    '`roots` are the folders that a client opens to a server, also to one that asks for them as soon as it has started; `pages` is URL elicitation;',
    '`state` is what a server keeps for one client; `isolation` is three clients that look alike, ask at the same moment and answer differently:',
    'each gets its own answer.',
    '',
    '## Clients that come and go',
    '',
    'Clients of all kinds, one after the other, that connect, call once and leave, most without a word.',
    '',
    '| server | served |',
    '|---|--:|',
    ...shortLived.map(({ server, served, clients }) => `| ${server} | ${served} of ${clients} |`),
  ];
  for (const { id, about } of tried) {
    const own = cells.filter(({ client }) => client === id);
    const failing = own.filter((cell) => markOf(own, cell.server, cell.feature) === '–');
    const features = [...new Set(own.map(({ feature }) => feature))];
    lines.push(
      '',
      `## ${id} (${about} ${installedVersion(about) ?? ''})`,
      '',
      `| server | ${features.join(' | ')} |`,
      `|---|${features.map(() => ':-:|').join('')}`,
      ...servers.map(
        (server) => `| ${server.id} | ${features.map((feature) => markOf(own, server.id, feature)).join(' | ')} |`,
      ),
      ...(failing.length > 0 ? [''] : []),
      ...failing.map(({ server, feature, through }) => `- ${server}, ${feature}: ${through.slice('no: '.length)}`),
    );
  }
  return `${lines.join('\n')}\n`;
}

function markOf(cells: readonly Cell[], server: string, feature: string): string {
  const cell = cells.find((candidate) => candidate.server === server && candidate.feature === feature);
  if (!cell) return '';
  return cell.verdict === 'neither' && cell.through !== 'none' ? '–' : MARKS[cell.verdict];
}
