import { accessSync, constants, statSync } from 'node:fs';
import { connect } from 'node:net';
import { isLoopbackHost } from '../../contract/public-address.ts';
import type { Diagnosis } from '../../gateway/administration/diagnosis.ts';
import { trouble } from './finding.ts';

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'] as const;
const CA_FILES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'] as const;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
const ANSWER_MS = 2_000;

/** Variables that servers inherit: unreachable proxies, and unreadable certificate files. */
export async function checkNetwork(env: NodeJS.ProcessEnv): Promise<Diagnosis[]> {
  const proxies = await Promise.all(PROXIES.map((name) => checkProxy(name, env[name])));
  return [...proxies.flat(), ...CA_FILES.flatMap((name) => checkCaFile(name, env[name]))];
}

async function checkProxy(name: string, value: string | undefined): Promise<Diagnosis[]> {
  if (!value) return [];
  const url = proxyUrl(value);
  // The value may contain a password.
  if (!url) return [trouble('error', 'network', `${name} is no address of a proxy`, `Correct ${name}, or unset it.`)];
  // Probe only proxies on this machine.
  if (!isLoopbackHost(url.hostname) || !(await refuses(url))) return [];
  return [
    trouble(
      'error',
      'network',
      `${name} names a proxy at ${url.host}, and no program listens there`,
      `Start the proxy, or unset ${name}: servers get it too, and reach nothing through it.`,
    ),
  ];
}

/** Proxies are often written without a scheme. */
function proxyUrl(value: string): URL | undefined {
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

function refuses({ hostname, port, protocol }: URL): Promise<boolean> {
  return new Promise((done) => {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const socket = connect({ host, port: Number(port) || (DEFAULT_PORTS[protocol] ?? 1080), timeout: ANSWER_MS });
    const end = (isRefused: boolean) => {
      socket.destroy();
      done(isRefused);
    };
    socket.once('connect', () => end(false)).once('timeout', () => end(false));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => end(code === 'ECONNREFUSED'));
  });
}

function checkCaFile(name: string, path: string | undefined): Diagnosis[] {
  if (!path) return [];
  const reason = unreadable(path);
  if (reason === undefined) return [];
  return [
    trouble(
      'warning',
      'network',
      `${name} names ${path}, and ${reason}`,
      `Correct the path, or unset ${name}: servers get it too, and trust no certificate of that file.`,
    ),
  ];
}

function unreadable(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return 'there is no such file';
  if (!found.isFile()) return 'that is no file';
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (thrown) {
    return `it cannot be read (${(thrown as NodeJS.ErrnoException).code})`;
  }
}
