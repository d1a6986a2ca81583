import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { auditedArguments } from './audited-arguments.ts';

const KNOWN = new Set(['sample-move', 'val-01']);
const audited = (value: unknown) => auditedArguments(value, (id) => KNOWN.has(id));

it('keeps what a call is about and nothing that its sender wrote', () => {
  expect(
    audited({
      session_id: 'ses_01890000-0000-7000-8000-000000000001',
      schema_version: 1,
      submission_contract_version: '1.0.0',
      declared_capabilities: ['structured_output', 'multi_turn'],
      target_type: 'skill',
      target_id: 'sample-move',
      base_version: '1.2.0',
      kind: 'factual_error',
      report: 'Jan Peeters, 0475 12 34 56',
      items: [{ type: 'concern', report: 'BE68 5390 0754 7034' }],
      content: { amendment_subtype: 'frontmatter_change', frontmatter_change: { field_path: 'title' } },
    }),
  ).toEqual({
    schema_version: 1,
    submission_contract_version: '1.0.0',
    declared_capabilities: ['structured_output', 'multi_turn'],
    target_type: 'skill',
    target_id: 'sample-move',
    base_version: '1.2.0',
    kind: 'factual_error',
    items: [{ type: 'concern', members_not_kept: 1 }],
    content: { amendment_subtype: 'frontmatter_change', frontmatter_change: { field_path: 'title' } },
    members_not_kept: 2,
  });
});

test.each([
  ['target_id', 'be68-5390-0754-7034'],
  ['proposed_id', 'jan-peeters'],
  ['kind', 'janpeeters'],
  ['declared_capabilities', ['jan.peeters']],
  ['submission_contract_version', '1.0.0-jan.peeters'],
  ['base_version', '475.123.456'],
  ['evidence_date', '1980-05-12'],
  ['items', 'janpeeters'],
  ['themes', ['janpeeters']],
  ['field_path', 'steps[uid=janpeeters]'],
  ['score', 475123],
])('keeps no text of a sender in %s', (member, value) => {
  expect(JSON.stringify(audited({ [member]: value }))).not.toMatch(/5390|peeters|475|1980/);
});

it('keeps no text that is in no list, whatever member has it', () => {
  const members = ['target_id', 'type', 'kind', 'verdict', 'content', 'category', 'status', 'locale', 'outcome'];
  fc.assert(
    fc.property(fc.constantFrom(...members), fc.string({ minLength: 8 }), (member, text) => {
      expect(audited({ [member]: text })).toEqual({ [member]: `[${text.length} characters]` });
    }),
  );
});
