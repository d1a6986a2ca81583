import { generateKeyPairSync } from 'node:crypto';
import type { CollapsePolicy } from '../collapse.ts';
import { PROTECTED_NAMES } from '../limits.ts';
import { ZoneTable } from '../zone-table.ts';

export const policy: CollapsePolicy = { protectedNames: new Set(PROTECTED_NAMES), allowPrivateEndpoints: false };

type Records = readonly unknown[];

/** Zones by name: a list is the records, an object the whole zone without its identity, a text the file itself. */
export type ZoneTexts = Readonly<Record<string, Records | Readonly<Record<string, unknown>> | string>>;

export function zoneText(name: string, zone: ZoneTexts[string]): string {
  if (typeof zone === 'string') return zone;
  const members = Array.isArray(zone) ? { records: zone } : zone;
  return JSON.stringify({ identity: name, created_at: '2026-01-01T00:00:00Z', contact: '@test', ...members });
}

export function tableOf(zones: ZoneTexts): ZoneTable {
  const table = new ZoneTable();
  for (const [name, zone] of Object.entries(zones)) table.set(name, Buffer.from(zoneText(name, zone)));
  return table;
}

export function mcp(value: unknown, priority: unknown = 10, more: object = {}): object {
  return { type: 'MCP', value, priority, ...more };
}

export function caps(...value: string[]): object {
  return { type: 'CAPS', value };
}

export function cascade(value: string, priority?: number): object {
  return { type: 'CASCADE', value, ...(priority === undefined ? {} : { priority }) };
}

/** An endpoint of its own for each word. */
export function url(word: string): string {
  return `https://${word}.example/mcp`;
}

/** A KEY value, the same for the same letter. */
export function keyText(letter: string): string {
  return `ed25519:${Buffer.alloc(32, letter).toString('base64')}`;
}

export function newKeyPem(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}
