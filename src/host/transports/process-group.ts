import { spawn } from 'node:child_process';

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
    // EPERM: somebody is there, but not ours to end.
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
