import { BinderyError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import type { ApprovalKey } from '../../gateway/approval/approval.ts';
import { type ApprovalState, isOurState, readState, signState } from '../../gateway/approval/request-state.ts';
import type { ClientRequest } from '../message/client.ts';
import { requestWith } from '../message/client-message.ts';

/** The key of our question in an `input_required` result. */
export const STATE_KEY = 'bindery_approval';

/** Signs and reads the state by which a 2026 client's retry names its approval. */
export class ApprovalStates {
  readonly #keys: readonly Uint8Array[];

  /** The current key, then the previous one. */
  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys;
  }

  sign(approval: string, key: ApprovalKey, asked: Pick<ApprovalState, 'upstream' | 'round'> = {}): string {
    return signState({ approval, ...key, ...asked }, this.#keys[0] as Uint8Array);
  }

  /** The state that a request carries. Throws `APPROVAL_MISMATCH` if it belongs to another call. */
  carried(request: ClientRequest, key: ApprovalKey): ApprovalState | undefined {
    const text = request.params?.requestState;
    if (!isOurState(text)) return undefined;
    const state = readState(text, this.#keys);
    const same =
      state &&
      state.caller === key.caller &&
      state.profile === key.profile &&
      state.server === key.server &&
      state.tool === key.tool &&
      state.arguments_sha256 === key.arguments_sha256;
    if (!same) throw new BinderyError('APPROVAL_MISMATCH', { members: state ? { approval_id: state.approval } : {} });
    return state;
  }

  /** The request for its server: without our state and our question, with the server's own state. */
  unwrap(request: ClientRequest): ClientRequest {
    const { params } = request;
    if (!isOurState(params?.requestState)) return request;
    const { requestState, inputResponses, ...rest } = params;
    const upstream = readState(requestState as string, this.#keys)?.upstream;
    const { [STATE_KEY]: _ours, ...responses } = isObject(inputResponses) ? inputResponses : {};
    const theirs = {
      ...rest,
      ...(Object.keys(responses).length > 0 ? { inputResponses: responses } : {}),
      ...(upstream ? { requestState: upstream } : {}),
    };
    return requestWith(request, request.method, theirs);
  }
}
