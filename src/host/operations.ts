import type { Room } from '../contract/operation.ts';
import { authOperations } from './operations/auth-operations.ts';
import { configOperations } from './operations/config-operations.ts';
import { connectionOperations } from './operations/connection-operations.ts';
import type { HostDeps } from './operations/deps.ts';
import { toolName } from './operations/name-operation.ts';
import { explainConfig } from './operations/settings-operation.ts';
import { trustOperations } from './operations/trust-operations.ts';

/** The room `host`: its operations are for a person at a terminal; the gateway has its own over HTTP. */
export const hostRoom: Room<HostDeps> = {
  name: 'host',
  summary: 'config → live, authorised, permissioned connections to MCP servers',
  operations: [
    ...configOperations,
    ...connectionOperations,
    ...trustOperations,
    ...authOperations,
    toolName,
    explainConfig,
  ],
};
