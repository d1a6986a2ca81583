import { BinderyError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { readSuppliedFileSync } from '../../files/read-supplied-file.ts';
import type { Diagnosis } from '../../gateway/administration/diagnosis.ts';
import { readClientFile } from '../../gateway/import/client-file.ts';
import { CLIENTS, type ClientId, FORMATS, OWN_ID } from '../../gateway/import/client-formats.ts';
import { clientPlace } from '../../gateway/import/client-places.ts';
import { likelyPort, portOfUrl } from '../gateway-port.ts';
import { ok, type SetUp, trouble } from './finding.ts';

/** Clients that have Bindery in their config, and whether that leads to the gateway that runs. */
export function checkClients(setUp: SetUp): Diagnosis[] {
  const findings = CLIENTS.flatMap((client) => checkClient(client, setUp));
  if (findings.length > 0) return findings;
  return [trouble('warning', 'clients', 'no client is connected', 'Connect one: `bindery connect CLIENT`.')];
}

function checkClient(client: ClientId, { machine, running, configFile }: SetUp): Diagnosis[] {
  const file = clientPlace(client, machine);
  try {
    const text = readSuppliedFileSync({ path: file, bytesMax: LIMITS.importFileBytesMax })?.toString('utf8');
    if (text === undefined) return [];
    const own = readClientFile(FORMATS[client], text).find(({ id }) => id === OWN_ID);
    if (!own) return [];
    const { url, httpUrl, serverUrl } = own.value as Readonly<Record<string, unknown>>;
    const address = url ?? httpUrl ?? serverUrl;
    if (running && typeof address === 'string' && URL.parse(address)?.origin !== URL.parse(running.url)?.origin) {
      const remedy = `Write the new address: \`bindery connect ${client}\`.`;
      return [trouble('error', 'clients', `${client} calls ${address}, the gateway is at ${running.url}`, remedy)];
    }
    const port = likelyPort(configFile);
    if (!running && typeof address === 'string' && isLocal(address) && portOfUrl(address) !== port) {
      const remedy = `Write the address that \`bindery up\` serves: \`bindery connect ${client}\`.`;
      return [trouble('warning', 'clients', `${client} calls ${address}, and gateway.port is ${port}`, remedy)];
    }
    return [ok('clients', `${client} is connected`)];
  } catch (thrown) {
    if (!(thrown instanceof BinderyError)) throw thrown;
    return [
      trouble('error', 'clients', `${file}: ${thrown.detail ?? thrown.message}`, `Correct the file of ${client}.`),
    ];
  }
}

function isLocal(address: string): boolean {
  return /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(URL.parse(address)?.hostname ?? '');
}
