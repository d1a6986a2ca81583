import { hostname as nameOfMachine } from 'node:os';
import { parseAddress } from '../../contract/ip-address.ts';

/** The names of this machine that people and clients use. Other names that resolve here are not accepted. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** Wildcard addresses. */
const EVERYWHERE = new Set(['0.0.0.0', '[::]']);

/**
 * Accepts requests whose Host (and Origin, if present) is this server, to prevent DNS rebinding: a foreign page that points its own
 * name at 127.0.0.1 must not reach it. `publicUrls` are the public addresses of the current config; `ownUrls` are fixed at the start.
 * A gateway on a wildcard address also accepts any IP address and the machine's own name.
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
  // Nearly all requests have the same Host, so the last accepted one is cached.
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
