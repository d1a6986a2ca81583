import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { shellWord } from './shell-word.ts';

/** How this user gets to read and write a path: only the owner of a folder can open it to others. */
export function accessRemedy(path: string, uid = process.getuid?.()): string {
  const { place, found } = obstacleTo(path);
  if (uid !== undefined && found && found.uid !== uid) {
    return `It belongs to another user. Make it yours: \`sudo chown -R "$USER" ${shellWord(place)}\`.`;
  }
  return `Let your user read and write it: \`chmod u+rwX ${shellWord(place)}\`.`;
}

/** The path, or the folder above it that keeps it from being looked at. */
function obstacleTo(path: string): { readonly place: string; readonly found: Stats | undefined } {
  const parent = dirname(path);
  if (parent === path) return { place: path, found: undefined };
  try {
    accessSync(parent, constants.X_OK);
    return { place: path, found: statSync(path, { throwIfNoEntry: false }) };
  } catch {
    const above = obstacleTo(parent);
    return above.found ? above : { place: path, found: undefined };
  }
}
