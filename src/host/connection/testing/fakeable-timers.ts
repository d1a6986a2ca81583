/** `node:timers/promises` by the timers of the moment, so that a test that fakes time fakes these as well. */
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
