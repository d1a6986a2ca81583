import { BinderyError } from '../../contract/errors.ts';
import type { Call } from '../../contract/operation.ts';
import type { SubmissionType } from '../config.ts';
import {
  type EnvelopeAnswer,
  envelopeAnswer,
  type ItemResult,
  itemResult,
  refusedResult,
  type TypedAnswer,
  typedAnswer,
} from './answers.ts';
import { beginDay } from './begin-day.ts';
import type { CommonFields } from './common-fields.ts';
import { prepareItem, splitRefusal } from './prepare-item.ts';
import { type ReadItem, readEnvelope, readItem, readTyped } from './read-request.ts';
import type { Sender } from './receipt.ts';
import { receiveItem } from './receive-item.ts';
import { refuseFindings, scrubCommon } from './scrub-item.ts';
import { type Caller, callerOf, isProbe, tellAllowance, type WriteDeps } from './write-deps.ts';

export async function submitTyped(
  deps: WriteDeps,
  type: SubmissionType,
  raw: unknown,
  call: Call,
): Promise<TypedAnswer> {
  const request = readTyped(type, raw, { isProbe: isProbe(deps, call) });
  const sender = senderOf(deps, request.common, call);
  const read = await prepareItem(deps, request);
  const answer = await during(deps, sender, call, () =>
    typedAnswer(deps, request.item, receiveItem(deps, read, request.common, sender)),
  );
  const warnings = [dryRunWarning(request.common, sender).warning, answer.warning].filter((one) => one !== undefined);
  return warnings.length === 0 ? answer : { ...answer, warning: warnings.join(' ') };
}

/** Submits the items of an envelope, in order, each on its own. */
export async function submitEnvelope(
  deps: WriteDeps,
  raw: unknown,
  call: Call,
): Promise<{ answer: EnvelopeAnswer; isDryRun: boolean }> {
  const { common, items } = readEnvelope(raw);
  const sender = senderOf(deps, common, call);
  refuseFindings(sender.commonFindings.rejects);
  const reads = await readAll(deps, items, common, call);
  const answer = await during(deps, sender, call, () => envelopeAnswer(receiveAll(deps, reads, common, sender)));
  return { answer: { ...answer, ...dryRunWarning(common, sender) }, isDryRun: sender.isDryRun };
}

/** An item of an envelope as sent, with a function that returns the parsed item or throws. */
interface EnvelopeRead {
  readonly raw: unknown;
  read(): ReadItem;
}

async function readAll(
  deps: WriteDeps,
  items: readonly unknown[],
  common: CommonFields,
  call: Call,
): Promise<EnvelopeRead[]> {
  const options = { isProbe: isProbe(deps, call) };
  const refuseSplit = splitRefusal(items);
  return Promise.all(
    items.map(async (raw, index) => {
      try {
        refuseSplit(index);
        const read = await prepareItem(deps, readItem(raw, common.session_id, options));
        return { raw, read: () => read };
      } catch (thrown) {
        return {
          raw,
          read: () => {
            throw thrown;
          },
        };
      }
    }),
  );
}

function receiveAll(
  deps: WriteDeps,
  reads: readonly EnvelopeRead[],
  common: CommonFields,
  sender: Sender,
): ItemResult[] {
  return reads.map(({ raw, ...one }, index) => {
    try {
      const read = one.read();
      return itemResult(deps, index, read.item, receiveItem(deps, read, common, sender));
    } catch (thrown) {
      if (!(thrown instanceof BinderyError)) throw thrown;
      return refusedResult(index, (raw as { type?: unknown } | null)?.type, thrown);
    }
  });
}

/** A dry run writes nothing, so it needs no transaction; everything else is durable before the answer is sent. */
async function during<T>(deps: WriteDeps, sender: Sender, call: Call, work: () => T): Promise<T> {
  if (sender.isDryRun) return work();
  const { answer, moves } = await deps.store.transact(() => {
    beginDay(deps);
    const before = deps.store.intentsAdded();
    const answer = work();
    tellAllowance(deps, call, sender);
    return { answer, moves: deps.store.intentsAdded() > before };
  });
  if (moves) await deps.writer.settle();
  return answer;
}

function senderOf(deps: WriteDeps, common: CommonFields, call: Call): Sender & Caller {
  return {
    ...callerOf(deps, call),
    isDryRun: common.dry_run ?? call.face === 'mcp',
    commonFindings: scrubCommon(common),
  };
}

/** Over MCP a submission is a dry run by default. The answer warns senders who did not choose. */
function dryRunWarning({ dry_run }: CommonFields, { isDryRun }: Sender): { warning?: string } {
  if (dry_run !== undefined || !isDryRun) return {};
  return { warning: 'Nothing was stored: over MCP dry_run is true unless it is given. Send dry_run: false to submit.' };
}
