import type { SubmissionType } from '../config.ts';
import type { FieldKinds } from '../scrub/field-kinds.ts';
import type { Item } from './item-types.ts';

const TARGET: FieldKinds = [
  ['/type', 'closed'],
  ['/target_type', 'closed'],
  ['/target_id', 'closed'],
];

const KINDS: Record<Exclude<SubmissionType, 'amendment'>, FieldKinds> = {
  concern: [
    ...TARGET,
    ['/kind', 'closed'],
    ['/scope', 'closed'],
    ['/evidence_source', 'closed'],
    ['/evidence_url', 'url'],
    ['/evidence_date', 'closed'],
  ],
  validation: [
    ...TARGET,
    ['/target_version', 'closed'],
    ['/verdict', 'closed'],
    ['/injection_flag', 'closed'],
    ['/traversal_metadata/attempted_at', 'closed'],
    ['/traversal_metadata/outcome', 'closed'],
    ['/traversal_metadata/http_status', 'closed'],
    ['/traversal_metadata/duration_bucket', 'closed'],
  ],
  draft: [
    ...TARGET,
    ['/content/body', 'markdown'],
    ['/content/frontmatter/citations/*/url', 'url'],
    ['/content/frontmatter/citations/*/archived_url', 'url'],
    ['/content/entry/sources/*/url', 'url'],
    ['/content/entry/**', 'path_entry'],
    ['/provenance/research_notes_markdown', 'markdown'],
  ],
  feedback: [
    ['/type', 'closed'],
    ['/topic', 'closed'],
  ],
  rating: [...TARGET, ['/axis', 'closed'], ['/score', 'closed']],
};

const AMENDMENT: FieldKinds = [
  ...TARGET,
  ['/base_version', 'closed'],
  ['/evidence_url', 'url'],
  ['/content/amendment_subtype', 'closed'],
  ['/content/body_diff/diff', 'diff'],
  ['/content/reference_change/url', 'url'],
  ['/content/reference_change/archived_url', 'url'],
  ['/content/source_add/source/url', 'url'],
  ['/content/source_add/**', 'path_entry'],
];

const PATH_AMENDMENT: FieldKinds = [...AMENDMENT, ['/content/frontmatter_change/proposed_value/**', 'path_entry']];

/** How the scrub must treat each string of an item [PV5]. */
export function fieldKindsOf(item: Item): FieldKinds {
  if (item.type !== 'amendment') return KINDS[item.type];
  const isPath = item.target_type === 'path' || item.target_type === 'path_source';
  return isPath ? PATH_AMENDMENT : AMENDMENT;
}
