import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { hasEnded } from '../../files/replace-file.ts';

const OWNER = /^owner-([0-9a-f]{16})-(\d+)-(\d+)-[0-9a-f-]{36}$/;
/** Written where the system does not say when a process started. */
const UNKNOWN_START = '0';

/** A name that no other owner has, and that says who this process is. */
export function newOwnerName(): string {
  return `owner-${thisMachine()}-${process.pid}-${startOf(process.pid) ?? UNKNOWN_START}-${randomUUID()}`;
}

export function isOwnerName(name: string): boolean {
  return OWNER.test(name);
}

/** What is known of an owner. `unknown`: it is of another machine, or its number may belong to another process now. */
export function stateOf(name: string): 'runs' | 'ended' | 'unknown' {
  const [, machine, pid, started] = OWNER.exec(name) ?? [];
  if (machine !== thisMachine()) return 'unknown';
  if (hasEnded(Number(pid))) return 'ended';
  const now = startOf(Number(pid));
  if (now === undefined || started === UNKNOWN_START) return 'unknown';
  return now === started ? 'runs' : 'ended';
}

let machine: string | undefined;

/** This boot of this machine, and the container in it: where a process number means the same process. */
function thisMachine(): string {
  machine ??= createHash('sha256')
    .update(JSON.stringify([hostname(), inProc('sys/kernel/random/boot_id'), processNamespace()]))
    .digest('hex')
    .slice(0, 16);
  return machine;
}

/** When a process started, in ticks since the boot; a process that was killed and not yet reaped has none. */
function startOf(pid: number): string | undefined {
  // The name of the program comes before, in parentheses, and may contain any character.
  const [state, ...fields] = (inProc(`${pid}/stat`) ?? '').replace(/^.*\) /s, '').split(' ');
  return state === 'Z' || state === 'X' ? 'ended' : fields[18];
}

function processNamespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}

/** Only Linux has this; elsewhere less is known of an owner, and its lock is respected for longer. */
function inProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return undefined;
  }
}
