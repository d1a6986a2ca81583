import { statSync } from 'node:fs';
import type { Diagnosis } from '../../gateway/administration/diagnosis.ts';
import type { ConfiguredServer } from '../../host/config/configured-servers.ts';
import { expandEnv } from '../../host/config/expand-env.ts';
import { launchPlace, serversDirIn } from '../../host/config/launch-place.ts';
import { missingProgram } from '../../host/config/missing-program.ts';
import { type SetUp, trouble } from './finding.ts';

/** Problems that would keep a server from starting, found without starting it. */
export function checkStart(server: ConfiguredServer, { machine, cwd, dataDir }: SetUp): Diagnosis[] {
  const { id, entry } = server;
  if (!entry) return [];
  const expanded = expandEnv(entry, machine.env);
  if ('reason' in expanded) {
    return [trouble('error', 'servers', `${id}: ${expanded.reason}`, 'Set it where `bindery up` is started.')];
  }
  const { command } = expanded.entry;
  if (command === undefined) return [];
  const missing = missingProgram(command, { path: machine.env.PATH ?? '', cwd });
  if (missing !== undefined) return [trouble('error', 'servers', `${id}: ${missing.what}`, missing.remedy)];
  const place = launchPlace(
    { ...server, entry: expanded.entry },
    { projectDir: cwd, serversDir: serversDirIn(dataDir) },
  );
  if ('reason' in place || place.isOwnCwd || place.cwd === undefined) return [];
  if (statSync(place.cwd, { throwIfNoEntry: false })?.isDirectory()) return [];
  return [
    trouble('error', 'servers', `${id}: its cwd is not a folder: ${place.cwd}`, 'Make the folder, or correct `cwd`.'),
  ];
}
