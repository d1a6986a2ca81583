import { hiddenTexts } from '../corpus/hidden-text.ts';
import { takesVotes } from '../lifecycle/artefact.ts';
import { artefactOf } from '../lifecycle/cast-validation.ts';
import type { Finding } from '../scrub/scrub-submission.ts';
import { draftText } from './apply-change.ts';
import { filePathOf } from './corpus-change.ts';
import type { Desk } from './desk.ts';
import { type Fault, fault } from './faults.ts';
import type { Item } from './item-types.ts';
import { amendmentFaults } from './merge-amendment.ts';

/**
 * Runs the corpus checks on a draft or an amendment. Says nothing if its target is the problem (missing, quarantined, another version, id
 * in use): a later step reports that.
 */
export function contentFaults(desk: Desk, item: Item): Fault[] {
  if (item.type === 'draft') {
    if (desk.store.artefactHead(item.target_type, item.proposed_id)) return [];
    const path = filePathOf(item.target_type, item.proposed_id);
    return desk.files.check(path, draftText(item)).map(({ code, message }) => fault('/content', code, message));
  }
  if (item.type !== 'amendment') return [];
  const [type, id] = artefactOf(item.target_type, item.target_id);
  const artefact = desk.store.artefactHead(type, id);
  if (!artefact || !takesVotes(artefact.state) || artefact.version !== item.base_version) return [];
  return amendmentFaults(desk, item);
}

/** Active content that only the syntax tree reveals, reported in the form of the scrub, with the whole text as its place [K15]. */
export function activeContentFinding(item: Item): Finding {
  const [pointer, text] =
    item.type === 'draft' && item.target_type === 'skill'
      ? ['/content/body', item.content.body]
      : item.type === 'amendment' && item.content.amendment_subtype === 'body_diff'
        ? ['/content/body_diff/diff', item.content.body_diff.diff]
        : ['/content', ''];
  return { rule: 'active_content', pointer, start: 0, end: text.length };
}

/** Text of a draft that its page would not show; for amendments the protected-field rules report it. */
export function hiddenInDraft(item: Item): Finding[] {
  if (item.type !== 'draft' || item.target_type !== 'skill') return [];
  return hiddenTexts(item.content.body).map(({ start, end }) => ({
    rule: 'hidden_text',
    pointer: '/content/body',
    start,
    end,
  }));
}
