import type { Hono } from 'hono';
import { bindRoom as bindRoomTo } from '../../contract/operation.ts';
import { createHttpApp } from '../../http/app.ts';
import { Answers, type Signing } from '../answers.ts';
import { type LogEntry, nextEntry } from '../change-log.ts';
import type { BindDeps } from '../deps.ts';
import { toUri } from '../identity.ts';
import { readZoneText, zoneEtag } from '../read-zone.ts';
import { Registry } from '../registry.ts';
import { bindRoom } from '../room.ts';
import type { WritePolicy, ZoneWriter } from '../write-zone.ts';
import type { ZoneTable } from '../zone-table.ts';
import { policy, tableOf, type ZoneTexts } from './zones.ts';

export interface ServedOptions {
  readonly signing?: Signing;
  readonly policy?: Partial<WritePolicy>;
  now?(): number;
}

/** The room over zones in memory. */
export function bindDeps(zones: ZoneTexts, options: ServedOptions = {}): BindDeps & { readonly zones: ZoneTable } {
  const table = tableOf(zones);
  const clock = { now: options.now ?? (() => Date.UTC(2026, 0, 1)) };
  const writePolicy: WritePolicy = { ...policy, registrarKeys: ['registrar-secret'], ...options.policy };
  const answers = new Answers({ zones: table, policy: writePolicy, clock, signing: () => options.signing });
  return {
    zones: table,
    writer: memoryWriter(table),
    answers,
    policy: writePolicy,
    clock,
    registry: new Registry(table, writePolicy, 'local.bindery'),
    registryServers: async function* () {},
    signing: () => options.signing,
  };
}

export function bindApp(deps: BindDeps): Hono {
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  return createHttpApp({
    rooms: [bindRoomTo(bindRoom, deps)],
    version: '0.0.0',
    log,
    newRequestId: () => 'request-1',
  });
}

function memoryWriter(table: ZoneTable): ZoneWriter {
  const entries: LogEntry[] = [];
  return {
    update: async (name, at, decide) => {
      const current = table.get(name);
      const { text, by } = decide(current);
      const zone = zoneEtag(readZoneText(name, text)).slice(1, -1);
      const replaced = current ? zoneEtag(current).slice(1, -1) : null;
      entries.push(nextEntry(entries.at(-1), { at, identity: toUri(name), by, zone, replaced }));
      table.set(name, Buffer.from(text));
      return entries.at(-1) as LogEntry;
    },
    entries: (since, limit) => entries.slice(since, since + limit),
  };
}
