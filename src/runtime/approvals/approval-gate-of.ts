import { APPROVAL_EXPIRES_MS, APPROVAL_WAIT_MS } from '../../gateway/approval/approval.ts';
import { ApprovalGate } from '../../proxy/approvals/approval-gate.ts';
import { uuidV7 } from '../../store/uuid-v7.ts';
import type { GatewayRuntime } from '../gateway-runtime.ts';
import type { GatewayRuntimeOptions } from '../runtime-options.ts';
import { approvalSealer } from './approval-arguments.ts';

/** Who asks people, in a running gateway. */
export function approvalGate(
  { approvalStore, redactor, config }: Pick<GatewayRuntime, 'approvalStore' | 'redactor' | 'config'>,
  { clock, random, shared, dataDir }: Pick<GatewayRuntimeOptions, 'clock' | 'random' | 'shared' | 'dataDir'>,
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
    newApprovalId: () => `apr_${uuidV7(clock.now(), random).replaceAll('-', '').slice(0, 26)}`,
  });
}
