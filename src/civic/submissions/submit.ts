import { BinderyError } from '../../contract/errors.ts';
import type { Call } from '../../contract/operation.ts';
import type { SubmissionType } from '../config.ts';
import { type ScrubResult, scrubSubmission } from '../scrub/scrub-submission.ts';
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
import { readEnvelope, readItem, readTyped } from './read-request.ts';
import { receiveItem, refuseFindings, type Sender } from './receive-item.ts';
import { type Caller, callerOf, isProbe, tellAllowance, type WriteDeps } from './write-deps.ts';

/** Submits one item of a type. */
export async function submitTyped(
  deps: WriteDeps,
  type: SubmissionType,
  raw: unknown,
  call: Call,
): Promise<TypedAnswer> {
  const request = readTyped(type, raw, { isProbe: isProbe(deps, call) });
  const sender = senderOf(deps, request.common, call);
  return during(deps, sender, call, () =>
    typedAnswer(deps, request.item, receiveItem(deps, request, request.common, sender)),
  );
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

const AGENTS_REMEMBERED_MAX = 1000;
/** Findings by agent: there are few agents and many requests. */
const agents = new Map<string, ScrubResult>();

/** Scrubs the common members that are not of closed form [PV5]. */
function scrubCommon({ submitting_agent, context }: CommonFields): ScrubResult {
  if (context?.region !== undefined)
    return scrubSubmission({ submitting_agent, context: { region: context.region } }, []);
  let findings = agents.get(submitting_agent);
  if (!findings) {
    findings = scrubSubmission({ submitting_agent }, []);
    if (agents.size >= AGENTS_REMEMBERED_MAX) agents.clear();
    agents.set(submitting_agent, findings);
  }
  return findings;
}
