import { hostname as nameOfMachine } from 'node:os';
import { parseAddress } from '../../contract/ip-address.ts';

/** The names that people and clients use for this machine. Others that lead here too are no reason to let a page in. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** Bound to every address of the machine. */
const EVERYWHERE = new Set(['0.0.0.0', '[::]']);

/**
 * Accepts requests whose Host (and Origin, where there is one) is this server: a page elsewhere that points a name of
 * its own at 127.0.0.1 must not reach it. `publicUrls` are addresses under which others reach it by the config of now, `ownUrls`
 * those that stand from the start. Who is bound to every address is reached by any of them, and those are no names.
 */
export function hostHeaderCheck(
  baseUrl: () => string,
  publicUrls: () => readonly string[],
  ownUrls: readonly string[],
): (host: string | undefined, origin: string | undefined) => boolean {
  const isPublic = (host: string) => publicUrls().some((url) => new URL(url).hostname === host);
  const ownNames = new Set([...LOOPBACK, ...ownUrls.map((url) => new URL(url).hostname)]);
  const isBound = (host: string) => {
    const bound = new URL(baseUrl()).hostname;
    return (
      host === bound ||
      (EVERYWHERE.has(bound) && (parseAddress(host) !== undefined || host === nameOfMachine().toLowerCase()))
    );
  };
  const isOurs = (host: string) => ownNames.has(host) || isPublic(host) || isBound(host);
  // Nearly every request has the same Host: the last one that was ours is remembered.
  let accepted: string | undefined;
  let acceptedBy = publicUrls();
  return (host, origin) => {
    if (acceptedBy !== publicUrls()) {
      acceptedBy = publicUrls();
      accepted = undefined;
    }
    if (origin === undefined && host !== undefined && host === accepted) return true;
    const hostname = hostnameOf(`http://${host ?? ''}`);
    if (hostname === undefined || !isOurs(hostname)) return false;
    if (origin === undefined) {
      accepted = host;
      return true;
    }
    const from = hostnameOf(origin);
    return from !== undefined && isOurs(from);
  };
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
