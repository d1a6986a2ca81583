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

/** The port of an address. */
export function portOfUrl(url: string): number {
  const { port, protocol } = new URL(url);
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
