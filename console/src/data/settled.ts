import { useLayoutEffect, useState } from 'preact/hooks';

/** How long something must be on the screen, unchanged, before a key or a click can decide it. */
const SETTLED_AFTER_MS = 500;

/** Whether `what` has been visible long enough that a key or a click is meant for it. */
export function useSettled(what: string): boolean {
  const [settled, setSettled] = useState<string>();
  useLayoutEffect(() => {
    let timer = 0;
    const begin = () => {
      clearTimeout(timer);
      setSettled(undefined);
      if (!document.hidden) timer = window.setTimeout(() => setSettled(what), SETTLED_AFTER_MS);
    };
    begin();
    document.addEventListener('visibilitychange', begin);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', begin);
    };
  }, [what]);
  return settled === what;
}

/** Identifies the drawn approvals: another id, other arguments or a decision count as something else. */
export function drawnAs(approvals: readonly { id: string; arguments_sha256: string; status: string }[]): string {
  return approvals.map(({ id, arguments_sha256: sha, status }) => `${id} ${sha} ${status === 'pending'}`).join(', ');
}
