import { civicWiring } from './rooms/civic.ts';
import type { Wiring } from './wiring.ts';

/** Every room of the house, in the order in which people meet them. */
export const wirings: readonly Wiring[] = [civicWiring];
