import { expect, test } from 'vitest';
import { scrubSubmission } from '../scrub/scrub-submission.ts';
import { fieldKindsOf } from './field-kinds.ts';
import type { Item } from './item-types.ts';

function findingsOf(lastVerified: string) {
  const content = { frontmatter: { title: 'T', last_verified: lastVerified }, body: '# T\n' };
  const item = { type: 'draft', target_type: 'skill', proposed_id: 'sample-new', content, commit_message: 'Add.' };
  const { rejects, holds, advisories } = scrubSubmission(item, fieldKindsOf(item as unknown as Item));
  return [...rejects, ...holds, ...advisories].map(({ rule, pointer }) => `${rule} ${pointer}`);
}

test('[civic:PV5] the day on which a draft was verified is judged, since any text may stand there', () => {
  expect(findingsOf('Jan Peeters 85.07.30-033.28')).toEqual([
    'belgian_nrn /content/frontmatter/last_verified',
    'person_name /content/frontmatter/last_verified',
  ]);
});

test.each(['2026-10-01', '2026-10', '01/10/2026', 'October 2026', '2026-10-01T12:34:56.789+02:00'])(
  'a plain day is no finding: %s',
  (day) => {
    expect(findingsOf(day)).toEqual([]);
  },
);
