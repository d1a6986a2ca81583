import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Signals a child and all its descendants in the group; false if none is left. */
export function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  if (process.platform === 'win32') {
    if (signal === 0) return isAlive(pid);
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on('error', () => {});
    return true;
  }
  try {
    process.kill(-pid, signal);
    return true;
  } catch (thrown) {
    // EPERM: the process exists, but we may not signal it.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A process at this niceness gets about a tenth of the CPU time of a normal one. */
const BACKGROUND_NICENESS = 10;
const NICENESS_MAX = 19;

/**
 * Lowers the CPU priority of a session's leader, or restores it. With Linux autogroups only the niceness of the session counts, and any
 * user may raise it again. Elsewhere the niceness of the process counts, and raising it may need a privilege: then it stays low.
 */
export function setBackground(pid: number, isBackground: boolean): void {
  const more = isBackground ? BACKGROUND_NICENESS : 0;
  const ways = [
    () => setPriority(pid, Math.min(NICENESS_MAX, getPriority() + more)),
    () => writeFileSync(`/proc/${pid}/autogroup`, String(more)),
  ];
  for (const way of process.platform === 'linux' ? ways : ways.slice(0, 1)) {
    try {
      way();
    } catch {
      // The process has ended, or the system forbids it: priority is best effort.
    }
  }
}
