import { type GatewayAddress, OWN_ID } from './client-formats.ts';

/** Whether an entry is ours: from `connect`, an import, or a person. Another server may have our name. */
export function isOwn(id: string, value: unknown, { url }: GatewayAddress): boolean {
  const entry = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  const addresses = [entry.url, entry.httpUrl, entry.serverUrl].filter((address) => typeof address === 'string');
  return isOwnProgram(entry) || addresses.includes(url) || (id === OWN_ID && addresses.some(isLocalGateway));
}

/** `bindery stdio`, however it is started. */
function isOwnProgram({ command, args }: Readonly<Record<string, unknown>>): boolean {
  if (!Array.isArray(args) || !args.includes('stdio')) return false;
  return [command, ...args].some((word) =>
    /(?:^|[\\/])(?:mcp-bindery|bindery)(?:\.js|\.exe|\.cmd)?$/.test(String(word)),
  );
}

/** A gateway on this machine, possibly with its former port. */
function isLocalGateway(address: string): boolean {
  const { hostname = '', pathname = '' } = URL.parse(address) ?? {};
  return /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(hostname) && /^\/mcp(?:\/|$)/.test(pathname);
}
