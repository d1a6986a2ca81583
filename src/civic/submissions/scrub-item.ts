import { BinderyError } from '../../contract/errors.ts';
import { type Finding, type ScrubResult, scrubSubmission } from '../scrub/scrub-submission.ts';
import { requireCapabilities } from './capabilities.ts';
import type { CommonFields } from './common-fields.ts';
import { concernFindings } from './concern-findings.ts';
import { activeContentFinding, contentFaults, hiddenInDraft } from './content-faults.ts';
import type { Desk } from './desk.ts';
import { faultsError } from './faults.ts';
import { fieldKindsOf } from './field-kinds.ts';
import type { Item } from './item-types.ts';
import type { ReadItem } from './read-request.ts';
import type { Advisories, Sender } from './receipt.ts';

/** A cleaned item, and findings that need review first. */
interface ScrubbedItem {
  readonly item: Item;
  readonly advisories: Advisories;
  readonly heldFor: Advisories;
}

/** Checks an item's content and the sender's capabilities, and scrubs it [SU7]. */
export function scrubItem(desk: Desk, read: ReadItem, common: CommonFields, { commonFindings }: Sender): ScrubbedItem {
  const faults = contentFaults(desk, read.item);
  const [active, others] = partition(faults, ({ keyword }) => keyword === 'mdx_forbidden');
  if (others.length > 0) throw faultsError('schema_invalid', others);
  requireCapabilities(read.item, common.declared_capabilities);
  const scrubbed = read.scrubbed ?? desk.scrub(read.item, fieldKindsOf(read.item));
  refuseFindings([...commonFindings.rejects, ...scrubbed.rejects]);
  if (active.length > 0) refuseFindings([activeContentFinding(read.item)]);
  const found = [
    ...scrubbed.holds,
    ...(read.detected ?? []),
    ...concernFindings(desk, read.item),
    ...hiddenInDraft(read.item),
  ];
  return {
    item: keepVerbatim(scrubbed.cleaned as Item, read.item),
    advisories: { shared: commonFindings.advisories, own: scrubbed.advisories },
    heldFor: { shared: commonFindings.holds, own: found },
  };
}

function partition<T>(list: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  return [list.filter(test), list.filter((one) => !test(one))];
}

/** Traversal signals are stored as sent: they mirror names in the path's entry [W6]. */
function keepVerbatim(cleaned: Item, sent: Item): Item {
  return cleaned.type === 'validation' && sent.type === 'validation' && sent.traversal_metadata
    ? { ...cleaned, traversal_metadata: sent.traversal_metadata }
    : cleaned;
}

export function refuseFindings(rejects: readonly Finding[]): void {
  if (rejects.length === 0) return;
  const errors = [...rejects].sort((a, b) =>
    a.pointer < b.pointer ? -1 : a.pointer > b.pointer ? 1 : a.start - b.start,
  );
  throw new BinderyError('scrub_rejected', {
    detail: `These rules apply: ${[...new Set(errors.map((finding) => finding.rule))].join(', ')}.`,
    members: { errors },
  });
}

const AGENTS_REMEMBERED_MAX = 1000;
/** Cache by agent: few agents send many requests. */
const agents = new Map<string, ScrubResult>();

/** Scrubs the common members that hold free text [PV5]. */
export function scrubCommon({ submitting_agent, context }: CommonFields): ScrubResult {
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
