import { BinderyError } from '../../contract/errors.ts';
import type { Call } from '../../contract/operation.ts';
import type { SubmissionType } from '../config.ts';
import { scrubSubmission } from '../scrub/scrub-submission.ts';
import { clientAddress } from '../trust/client-address.ts';
import {
  type EnvelopeAnswer,
  envelopeAnswer,
  type ItemResult,
  itemResult,
  refusedResult,
  type TypedAnswer,
  typedAnswer,
} from './answers.ts';
import type { CommonFields } from './common-fields.ts';
import { COMMON_KINDS } from './field-kinds.ts';
import { readEnvelope, readItem, readTyped } from './read-request.ts';
import { receiveItem, refuseFindings, type Sender } from './receive-item.ts';
import { isProbe, tellAllowance, type WriteDeps } from './write-deps.ts';

/** Submits one item of a type. */
export async function submitTyped(
  deps: WriteDeps,
  type: SubmissionType,
  raw: unknown,
  call: Call,
): Promise<TypedAnswer> {
  const request = readTyped(type, raw, { isProbe: isProbe(deps, call) });
  const sender = senderOf(deps, request.common, call);
  return during(deps, sender, call, () => {
    const receipt = receiveItem(deps, request, request.common, sender);
    return typedAnswer(deps, request.item, receipt);
  });
}

/** Submits the items of an envelope, in order and each on its own. */
export async function submitEnvelope(
  deps: WriteDeps,
  raw: unknown,
  call: Call,
): Promise<{ answer: EnvelopeAnswer; isDryRun: boolean }> {
  const { common, items } = readEnvelope(raw);
  const sender = senderOf(deps, common, call);
  refuseFindings(sender.commonFindings.rejects);
  const answer = await during(deps, sender, call, () => envelopeAnswer(receiveAll(deps, items, common, sender, call)));
  return { answer, isDryRun: sender.isDryRun };
}

function receiveAll(
  deps: WriteDeps,
  items: readonly unknown[],
  common: CommonFields,
  sender: Sender,
  call: Call,
): ItemResult[] {
  const options = { isProbe: isProbe(deps, call) };
  return items.map((raw, index) => {
    try {
      const read = readItem(raw, common.session_id, options);
      return itemResult(deps, index, read.item, receiveItem(deps, read, common, sender));
    } catch (thrown) {
      if (!(thrown instanceof BinderyError)) throw thrown;
      return refusedResult(index, (raw as { type?: unknown } | null)?.type, thrown);
    }
  });
}

/** A dry run writes nothing and so needs no transaction; all else is durable before its answer leaves. */
async function during<T>(deps: WriteDeps, sender: Sender, call: Call, work: () => T): Promise<T> {
  try {
    if (sender.isDryRun) return work();
    const answer = await deps.store.transact(work);
    if (deps.store.intents().length > 0) await deps.writer.settle();
    return answer;
  } finally {
    tellAllowance(deps, call, sender.dailyHash);
  }
}

function senderOf(deps: WriteDeps, common: CommonFields, call: Call): Sender {
  const address = clientAddress(call, deps.proxies);
  return {
    address,
    dailyHash: deps.salts.daily(address),
    isDryRun: common.dry_run ?? call.face === 'mcp',
    commonFindings: scrubSubmission(common, COMMON_KINDS),
  };
}
