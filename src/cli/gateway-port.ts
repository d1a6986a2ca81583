import { createServer } from 'node:net';
import { z } from 'zod';
import { BinderyError } from '../contract/errors.ts';
import { GATEWAY_VALUES } from '../host/config/settings/gateway-section.ts';
import { readConfigSection } from './rooms/config-section.ts';

const Section = z.looseObject({ port: GATEWAY_VALUES.port.schema.optional() });

/** The port of `bindery up` without a flag: `gateway.port` of the person's own config. */
export function configuredPort(configFile: string): number {
  return readConfigSection(configFile, 'gateway', Section).port ?? GATEWAY_VALUES.port.default;
}

/** The same for commands that also work with an unreadable config, and report it elsewhere. */
export function likelyPort(configFile: string): number {
  try {
    return configuredPort(configFile);
  } catch (thrown) {
    if (thrown instanceof BinderyError && thrown.code === 'CONFIG_INVALID') return GATEWAY_VALUES.port.default;
    throw thrown;
  }
}

/** The code of the error with which listening on a port of this machine fails; undefined: the port is free. */
export function listenProblem(port: number): Promise<string | undefined> {
  return new Promise((done) => {
    const server = createServer()
      .once('error', ({ code, message }: NodeJS.ErrnoException) => done(code ?? message))
      .once('listening', () => server.close(() => done(undefined)));
    server.listen(port, '127.0.0.1');
  });
}

/** The port of an address. */
export function portOfUrl(url: string): number {
  const { port, protocol } = new URL(url);
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
