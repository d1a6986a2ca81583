import type { BindDeps } from '../../bind/deps.ts';
import { createResolver, distrust } from '../../bind/resolver.ts';
import type { NameResolver } from '../../host/connection/named-endpoint.ts';
import type { ServedRoom } from '../wiring.ts';
import type { ZoneStore } from './bind.ts';

/** Resolves `ai://` names by the zones that are served here, or where none are by those of the configuration, read anew. */
export function nameResolverOf(served: readonly ServedRoom[]): NameResolver {
  return {
    resolve: async (name) => {
      const here = served.find(({ bound }) => bound.room.name === 'bind')?.bound.deps as BindDeps | undefined;
      const { answers, clock, writer } = here ?? (await import('./bind.ts')).commandDeps({ cwd: '.' }, false);
      try {
        return await createResolver(answers, clock).resolve(name);
      } finally {
        if (!here) await (writer as ZoneStore).close();
      }
    },
    distrust: (answer, keys) => distrust(answer, keys, Date.now()),
  };
}
