import type { Room } from '../contract/operation.ts';
import { approvalOperations } from './operations/approval-operations.ts';
import { auditOperations } from './operations/audit-operations.ts';
import { credentialOperations } from './operations/credential-operations.ts';
import type { GatewayDeps } from './operations/deps.ts';
import { eventOperations } from './operations/event-operations.ts';
import { nodeOperations } from './operations/node-operations.ts';
import { policyOperations } from './operations/policy-operations.ts';
import { searchOperations } from './operations/search-operations.ts';
import { serverOperations } from './operations/server-operations.ts';
import { toolOperations } from './operations/tool-operations.ts';

/** The room `gateway`: operations for people. None of them is a tool: an agent must not govern itself. */
export const gatewayRoom: Room<GatewayDeps> = {
  name: 'gateway',
  summary: 'one endpoint → hundreds of servers, late bound, allow-listed, audited',
  operations: [
    ...serverOperations,
    ...toolOperations,
    ...credentialOperations,
    ...searchOperations,
    ...approvalOperations,
    ...policyOperations,
    ...auditOperations,
    ...eventOperations,
    ...nodeOperations,
  ],
};
