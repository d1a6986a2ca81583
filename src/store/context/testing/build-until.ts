// Builds a cache and is killed at a step: `node build-until.ts <sources> <cache> <step>`.
import { createCacheBuilder } from '../build-cache.ts';

const [, , sources, cache, step] = process.argv as [string, string, string, string, string];
const builder = createCacheBuilder({ now: () => Date.UTC(2026, 1, 9) }, (reached) => {
  if (reached === step) process.kill(process.pid, 'SIGKILL');
});
const request = { sources, cache, force: true, incremental: false, gitignore: false };
await builder.build(request, new AbortController().signal, () => {});
