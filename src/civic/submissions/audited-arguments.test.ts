import fc from 'fast-check';
import { expect, it } from 'vitest';
import { auditedArguments } from './audited-arguments.ts';

it('keeps what a call is about and nothing that its sender wrote', () => {
  expect(
    auditedArguments({
      session_id: 'ses_01890000-0000-7000-8000-000000000001',
      target_type: 'skill',
      target_id: 'sample-move',
      report: 'Jan Peeters, 0475 12 34 56',
      items: [{ type: 'concern', report: 'BE68 5390 0754 7034' }],
    }),
  ).toEqual({
    target_type: 'skill',
    target_id: 'sample-move',
    items: [{ type: 'concern', members_not_kept: 1 }],
    members_not_kept: 2,
  });
});

it('keeps no text with a space, a sign or a long number, whatever member it stands in', () => {
  fc.assert(
    fc.property(fc.constantFrom('target_id', 'type', 'kind', 'verdict'), fc.string(), (member, text) => {
      const kept = JSON.stringify(auditedArguments({ [member]: text }));
      const isClosed = /^[\w.:[\]=-]{1,80}$/.test(text) && !/\d{7}/.test(text);
      return (
        isClosed || text === '' || !kept.includes(JSON.stringify(text).slice(1, -1)) || kept.includes('characters]')
      );
    }),
  );
  expect(JSON.stringify(auditedArguments({ target_id: '0475123456', kind: 'Jan Peeters' }))).not.toMatch(
    /0475|Peeters/,
  );
});
