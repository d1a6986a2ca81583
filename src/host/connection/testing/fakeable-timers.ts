/** `node:timers/promises` on the current global timers, so that fake timers affect it too. */
export * from 'node:timers/promises';

export function setTimeout<T>(
  ms: number,
  value?: T,
  options: { readonly signal?: AbortSignal } = {},
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = globalThis.setTimeout(() => resolve(value), ms);
    const stop = () => {
      clearTimeout(timer);
      reject(new DOMException('aborted', 'AbortError'));
    };
    if (options.signal?.aborted) stop();
    else options.signal?.addEventListener('abort', stop);
  });
}
