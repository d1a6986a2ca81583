import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** A signal to a child and everything that it started; false if nothing is left of them. */
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
    // EPERM: the process exists, but we may not end it.
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

/** Other processes get about ten times as much CPU time. */
const BACKGROUND_NICENESS = 10;
const NICENESS_MAX = 19;

/**
 * Puts the leader of a session behind others that want the cores, this process for one, or back among them. Where Linux shares the cores out among sessions
 * (autogroups) only the niceness of the session counts, and anyone may take it back. Elsewhere that of the process does, and taking it
 * back may need a privilege: then it stays behind for as long as it lives.
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
      // It has ended, or the system does not allow it: priority is a courtesy to others, never a condition.
    }
  }
}
