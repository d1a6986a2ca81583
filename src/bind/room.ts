import type { Room } from '../contract/operation.ts';
import type { BindDeps } from './deps.ts';
import { explainOperation } from './operations/explain.ts';
import { importRegistryOperation } from './operations/import-registry.ts';
import { exportOperation, importOperation } from './operations/interchange.ts';
import { jwksOperation, verifyOperation } from './operations/keys.ts';
import { lintOperation } from './operations/lint.ts';
import { listOperation } from './operations/list.ts';
import { logOperation } from './operations/log.ts';
import { registryListOperation, registryVersionOperation, registryVersionsOperation } from './operations/registry.ts';
import { collapseOperation, resolveOperation } from './operations/resolve.ts';
import { resolveBatchOperation } from './operations/resolve-batch.ts';
import { putOperation, zoneOperation } from './operations/zones.ts';

/** Names that resolve to endpoints. */
export const bindRoom: Room<BindDeps> = {
  name: 'bind',
  summary: 'ai://name → one MCP endpoint, by a rule that anyone can recompute',
  operations: [
    resolveOperation,
    collapseOperation,
    resolveBatchOperation,
    explainOperation,
    verifyOperation,
    lintOperation,
    listOperation,
    zoneOperation,
    putOperation,
    logOperation,
    importOperation,
    exportOperation,
    registryListOperation,
    registryVersionsOperation,
    registryVersionOperation,
    importRegistryOperation,
    jwksOperation,
  ],
};
