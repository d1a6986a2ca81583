import type { BindDeps } from '../../bind/deps.ts';
import { createResolver, distrust } from '../../bind/resolver.ts';
import type { NameResolver } from '../../host/connection/supervision/named-endpoint.ts';
import type { ServedRoom } from '../../runtime/up-settings.ts';
import { directories } from '../directories.ts';
import type { ZoneStore } from './bind.ts';
import { readBindConfig } from './bind-config.ts';

/** Resolves `ai://` names by the zones that are served here, otherwise by those of the configuration, which are read each time. */
export function nameResolverOf(served: readonly ServedRoom[]): NameResolver {
  const servedHere = () => served.find(({ bound }) => bound.room.name === 'bind')?.bound.deps as BindDeps | undefined;
  return {
    resolve: async (name) => {
      const here = servedHere();
      const { answers, clock, writer } = here ?? (await import('./bind.ts')).commandDeps({ cwd: '.' }, false);
      try {
        return await createResolver(answers, clock).resolve(name);
      } finally {
        if (!here) await (writer as ZoneStore).close();
      }
    },
    distrust: (answer, keys) => distrust(answer, keys, Date.now()),
    allowsPrivateEndpoints: () =>
      servedHere()?.policy.allowPrivateEndpoints ??
      readBindConfig(directories(process.env).configFile).allow_private_endpoints,
  };
}
