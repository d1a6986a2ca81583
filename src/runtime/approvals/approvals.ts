import { BinderyError } from '../../contract/errors.ts';
import type { Clock, Random } from '../../contract/ports.ts';
import type { Approval } from '../../gateway/approval/approval.ts';
import { revealedText } from '../../gateway/approval/reveal-arguments.ts';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import type { GatewaySettings } from '../../host/config/gateway-settings.ts';
import { ApprovalGate } from '../../proxy/approvals/approval-gate.ts';
import type { ApprovalStore } from '../../store/approvals/approval-store.ts';
import { seal, unseal } from '../../store/credentials/seal.ts';
import { uuidV7 } from '../../store/uuid-v7.ts';
import { credentialKeys, hasCredentialKeys } from '../config/private-file.ts';

type Bound = Pick<Approval, 'id' | 'arguments_sha256'>;

type GateOptions = ConstructorParameters<typeof ApprovalGate>[0];

export interface ApprovalsOptions {
  readonly dataDir: string;
  readonly store: GateOptions['store'];
  readonly redactor: GateOptions['redactor'];
  /** Sign the states that clients carry: the current key first. */
  readonly keys: readonly Uint8Array[];
  settings(): GatewaySettings['approval'];
  readonly clock: Clock;
  readonly random: Random;
  /** The address that people reach, if the gateway has one. */
  readonly baseUrl?: (() => string) | undefined;
}

/** Asks people about calls in a running gateway. */
export function approvalGate(options: ApprovalsOptions): ApprovalGate {
  const { dataDir, store, redactor, keys, settings, clock, random, baseUrl } = options;
  return new ApprovalGate({
    store,
    clock,
    redactor,
    keys,
    seal: approvalSealer(dataDir),
    settings: () => {
      const { expires_ms = GATEWAY_LIMITS.approvalExpiresMs, wait_ms = GATEWAY_LIMITS.approvalWaitMs } =
        settings() ?? {};
      return { expires_ms, wait_ms };
    },
    howToApprove: (id) => {
      const console = baseUrl === undefined ? '' : `, or in the console at ${baseUrl()}/`;
      return `On the gateway's machine: bindery approvals approve ${id}${console}`;
    },
    newApprovalId: () => `apr_${uuidV7(clock.now(), random).replaceAll('-', '').slice(0, 26)}`,
  });
}

/** Encrypts the exact arguments of questions with the key that all nodes share; bound to their question and digest. */
function approvalSealer(dataDir: string): (approval: Bound, text: string) => string {
  return (approval, text) => {
    const { key_id, sealed } = seal(credentialKeys(dataDir), placeOf(approval), text);
    return `${key_id} ${Buffer.from(sealed).toString('base64')}`;
  };
}

/** The decrypted arguments of a question. */
export function revealArguments(
  dataDir: string,
  approvals: ApprovalStore,
  id: string,
  path: string | undefined,
): string {
  const approval = approvals.find(id);
  if (!approval) throw new BinderyError('APPROVAL_NOT_FOUND', { members: { id } });
  const sealed = approvals.sealed(id);
  return revealedText(approval, sealed === undefined ? undefined : open(dataDir, approval, sealed), path);
}

function open(dataDir: string, approval: Bound, text: string): string {
  if (!hasCredentialKeys(dataDir))
    throw new BinderyError('ARGUMENTS_NOT_KEPT', { detail: 'this machine has no credentials.key to open them with' });
  const [key_id = '', sealed = ''] = text.split(' ');
  try {
    return unseal(credentialKeys(dataDir), placeOf(approval), {
      key_id,
      sealed: Buffer.from(sealed, 'base64'),
    }) as string;
  } catch (cause) {
    throw new BinderyError('ARGUMENTS_NOT_KEPT', { detail: 'they were encrypted with another key', cause });
  }
}

function placeOf({ id, arguments_sha256 }: Bound): string[] {
  return ['approvals', id, arguments_sha256];
}
