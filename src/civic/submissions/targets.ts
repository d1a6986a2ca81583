import { BinderyError } from '../../contract/errors.ts';
import { CONTRACT_VERSIONS } from '../config.ts';
import { type ArtefactHead, takesVotes } from '../lifecycle/artefact.ts';
import { artefactOf } from '../lifecycle/cast-validation.ts';
import { renewReviewSalt, saltKey } from '../lifecycle/record-event.ts';
import { isSubmitter } from '../trust/submitters.ts';
import type { Desk } from './desk.ts';
import type { Item } from './item-types.ts';
import { requireAmendment } from './settle-amendment.ts';
import { versionStale, voteStale } from './version-stale.ts';

/** Finds the target of an item. Throws if it is missing, quarantined or of another version. */
export function requireTarget(desk: Desk, item: Item): ArtefactHead | undefined {
  if (item.type === 'feedback') return undefined;
  if (item.type === 'draft') {
    requireFreeId(desk, item.target_type, item.proposed_id);
    return undefined;
  }
  if (item.target_type === 'skill_graph' || item.target_type === 'session') return undefined;
  if (item.target_type === 'agent_protocol') {
    const major = item.target_id.split('.')[0] as string;
    if (!(CONTRACT_VERSIONS as readonly string[]).includes(major)) throw new BinderyError('target_not_found');
    return undefined;
  }
  if (item.target_type === 'provider') {
    if (!desk.hasProvider(item.target_id)) throw new BinderyError('target_not_found');
    return undefined;
  }
  if (item.type === 'validation' && item.target_type === 'amendment') {
    requireAmendment(desk, item.target_id, item.target_version);
    return undefined;
  }
  const [type, id, sourceId] = artefactOf(item.target_type, item.target_id);
  const artefact = desk.store.artefactHead(type, id);
  const isThere = artefact && (takesVotes(artefact.state) || artefact.state === 'quarantined');
  if (!isThere || (sourceId !== undefined && !desk.files.hasSource(id, sourceId))) {
    throw new BinderyError('target_not_found');
  }
  if (item.type === 'amendment' && artefact.state === 'quarantined') throw new BinderyError('artefact_quarantined');
  const version =
    item.type === 'amendment' ? item.base_version : item.type === 'validation' ? item.target_version : undefined;
  if (version !== undefined && version !== artefact.version) {
    const stale = item.type === 'amendment' ? versionStale : voteStale;
    throw stale(`${item.target_type} ${item.target_id}`, artefact.version);
  }
  return artefact;
}

/** Refuses a validation by a submitter of the artefact. The comparison always runs and the text is always the same [PV4]. */
export function refuseSelfValidation(desk: Desk, artefact: ArtefactHead, author: string | undefined): void {
  const submitters = desk.store.marks(artefact.type, artefact.id, 'submitter');
  if (isSubmitter(author, submitters)) {
    throw new BinderyError('self_validation', { detail: 'This artefact cannot be validated from here.' });
  }
}

/** The caller's hash under an artefact's salt. `mint`: creates the salt if it does not exist. */
export function authorHash(desk: Desk, artefact: ArtefactHead, address: string, mint: boolean): string | undefined {
  const key = saltKey(artefact.type, artefact.id);
  if (mint) {
    renewReviewSalt(desk, artefact);
    desk.salts.mint(key);
  }
  return desk.salts.under(key, address);
}

function requireFreeId(desk: Desk, type: 'skill' | 'path', id: string): void {
  if (desk.store.artefactHead(type, id) || desk.store.hasPendingDraft(type, id)) {
    throw new BinderyError('duplicate', { detail: 'This id is in use.' });
  }
}
