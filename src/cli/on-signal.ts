/**
 * Does something at the first signal, and ends the process at the second. It stays registered: libraries that clean up on
 * signals end the process where nobody but them listens, and may be loaded after this.
 */
export function onSignal(signal: 'SIGINT' | 'SIGTERM', onFirst: () => void): void {
  let isFirst = true;
  process.on(signal, () => {
    if (!isFirst) process.exit(signal === 'SIGINT' ? 130 : 143);
    isFirst = false;
    onFirst();
  });
}
