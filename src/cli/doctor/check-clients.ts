import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import type { Diagnosis } from '../../gateway/administration/diagnosis.ts';
import { readClientFile } from '../../gateway/import/client-file.ts';
import { CLIENTS, type ClientId, FORMATS, OWN_ID } from '../../gateway/import/client-formats.ts';
import { clientPlace } from '../../gateway/import/client-places.ts';
import { isSameServer } from '../../gateway/import/plan-servers.ts';
import type { ConfiguredServer } from '../../host/config/configured-servers.ts';
import { onText, readSource } from '../commands/file-changes.ts';
import { likelyPort, portOfUrl } from '../gateway-port.ts';
import { ok, type SetUp, trouble } from './finding.ts';

/** Checks clients that have Bindery in their config, and whether they reach the running gateway. */
export function checkClients(setUp: SetUp, servers: readonly ConfiguredServer[]): Diagnosis[] {
  const findings = CLIENTS.flatMap((client) => checkClient(client, setUp, servers));
  if (findings.length > 0) return findings;
  return [trouble('warning', 'clients', 'no client is connected', 'Connect one: `bindery connect CLIENT`.')];
}

function checkClient(client: ClientId, setUp: SetUp, servers: readonly ConfiguredServer[]): Diagnosis[] {
  const { machine } = setUp;
  const file = clientPlace(client, machine);
  try {
    const text = readSource(file);
    if (text === undefined) return [];
    const entries = onText(file, () => readClientFile(FORMATS[client], text));
    const own = entries.find(({ id }) => id === OWN_ID);
    if (!own) return [];
    const twice = entries.flatMap(({ id, value }) => {
      const ours = servers.find((server) => server.enabled && server.id === id)?.entry;
      return ours === undefined ? [] : [{ id, isSame: isSameServer(client, value, ours, machine.home) }];
    });
    return [
      checkConnection(client, own.value as Readonly<Record<string, unknown>>, setUp),
      ...twice.map(({ id, isSame }) =>
        trouble(
          'warning',
          'clients',
          isSame
            ? `${client} has ${id} itself, and once more through Bindery`
            : `${client} and Bindery each have a server called ${id}, but they are different`,
          isSame
            ? `Take it out of the client: \`bindery import --from ${client} --replace\`.`
            : `Rename one, or bring the client's into Bindery as ${id}-${client}: \`bindery import --from ${client} --replace\`.`,
        ),
      ),
    ];
  } catch (thrown) {
    if (!(thrown instanceof BinderyError)) throw thrown;
    return [trouble('error', 'clients', thrown.detail ?? thrown.message, `Correct the file of ${client}.`)];
  }
}

/** Whether the entry of a client leads to a gateway. */
function checkConnection(
  client: ClientId,
  { url, httpUrl, serverUrl, command, args }: Readonly<Record<string, unknown>>,
  { running, configFile }: SetUp,
): Diagnosis {
  const address = url ?? httpUrl ?? serverUrl;
  const paths = [command, ...(Array.isArray(args) ? args.slice(0, 1) : [])];
  const missing = paths.find((path) => typeof path === 'string' && isAbsolute(path) && !existsSync(path));
  if (missing !== undefined) {
    const remedy = `Write the path of this installation: \`bindery connect ${client}\`.`;
    return trouble('error', 'clients', `${client} starts ${missing}, which is not there`, remedy);
  }
  if (running && typeof address === 'string' && URL.parse(address)?.origin !== URL.parse(running.url)?.origin) {
    const remedy = `Write the new address: \`bindery connect ${client}\`.`;
    return trouble('error', 'clients', `${client} calls ${address}, the gateway is at ${running.url}`, remedy);
  }
  const port = likelyPort(configFile);
  if (!running && typeof address === 'string' && isLocal(address) && portOfUrl(address) !== port) {
    const remedy = `Write the address that \`bindery up\` serves: \`bindery connect ${client}\`.`;
    return trouble('warning', 'clients', `${client} calls ${address}, and gateway.port is ${port}`, remedy);
  }
  return ok('clients', `${client} is connected`);
}

function isLocal(address: string): boolean {
  return /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(URL.parse(address)?.hostname ?? '');
}
