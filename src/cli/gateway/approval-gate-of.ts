import { APPROVAL_EXPIRES_MS, APPROVAL_WAIT_MS } from '../../gateway/approval/approval.ts';
import { ApprovalGate } from '../../proxy/approval-gate.ts';
import { uuidV7 } from '../../store/uuid-v7.ts';
import { approvalSealer } from './approval-arguments.ts';
import type { GatewayRuntime } from './gateway-runtime.ts';
import type { GatewayRuntimeOptions } from './runtime-options.ts';

/** Who asks people, in a running gateway. */
export function approvalGate(
  { approvalStore, redactor, config }: Pick<GatewayRuntime, 'approvalStore' | 'redactor' | 'config'>,
  {
    clock,
    random,
    shared,
    dataDir,
    baseUrl,
  }: Pick<GatewayRuntimeOptions, 'clock' | 'random' | 'shared' | 'dataDir' | 'baseUrl'>,
  keys: readonly Uint8Array[],
): ApprovalGate {
  return new ApprovalGate({
    store: shared?.approvals(approvalStore) ?? approvalStore,
    clock,
    redactor,
    seal: approvalSealer(dataDir),
    keys,
    settings: () => {
      const { expires_ms = APPROVAL_EXPIRES_MS, wait_ms = APPROVAL_WAIT_MS } = config.settings.approval ?? {};
      return { expires_ms, wait_ms };
    },
    howToApprove: (id) => {
      const console = baseUrl === undefined ? '' : `, or in the console at ${baseUrl()}/`;
      return `On the gateway's machine: bindery approvals approve ${id}${console}`;
    },
    newApprovalId: () => `apr_${uuidV7(clock.now(), random).replaceAll('-', '').slice(0, 26)}`,
  });
}
