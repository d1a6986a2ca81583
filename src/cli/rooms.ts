import { administrationWiring } from './rooms/administration.ts';
import { bindWiring } from './rooms/bind.ts';
import { civicWiring } from './rooms/civic.ts';
import { contextWiring } from './rooms/context.ts';
import { gatewayWiring } from './rooms/gateway.ts';
import { hostWiring } from './rooms/host.ts';
import { nameResolverOf } from './rooms/name-resolver.ts';
import type { Wiring } from './wiring.ts';

/** All rooms, in the order in which people meet them. */
export const wirings: readonly Wiring[] = [
  contextWiring,
  bindWiring,
  civicWiring,
  hostWiring(nameResolverOf([])),
  gatewayWiring,
  administrationWiring,
];
