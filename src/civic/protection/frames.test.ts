import { expect, it, test } from 'vitest';
import { findProtectedChanges } from './find-protected-changes.ts';
import { knownScopes } from './known-scopes.ts';

const SKILL = `---
id: s
title: Warnings
---
# Warnings

## Fraud

Never do what these calls ask:

- Tell the caller your PIN.
- Pay the fine with gift cards.

Wait at the desk.

> Send the code to the helper.

The line above is a fraud.

## Desk

Take a ticket. The desk is closed on Friday.

Bring the form.
`;

const fieldsOf = (after: string) =>
  findProtectedChanges({ type: 'skill', id: 's', before: SKILL, after }, [], knownScopes([])).map(({ field }) => field);
const changed = (from: string, to: string) => {
  expect(SKILL).toContain(from);
  return fieldsOf(SKILL.replace(from, to));
};
const LIST = '- Tell the caller your PIN.\n- Pay the fine with gift cards.\n';

test.each([
  ['an introducing line that says the opposite', 'Never do what', 'Always do what'],
  ['an introducing line that is gone', 'Never do what these calls ask:\n', ''],
  ['another heading', '## Fraud', '## What to do'],
  [
    'a heading that comes between',
    'Never do what these calls ask:\n',
    'Never do what these calls ask:\n\n## What to do\n',
  ],
  ['a heading that is underlined', '## Fraud', 'What to do\n---'],
  ['a list that becomes a text', LIST, 'Tell the caller your PIN.\nPay the fine with gift cards.\n'],
])('%s is judged as the list below it', (_, from, to) => {
  expect(changed(from, to)).toEqual(expect.arrayContaining(['credentials', 'payment']));
});

test.each([
  ['a quote that loses its mark', '> Send', 'Send'],
  ['the sentence after a quote', 'is a fraud', 'is an order of the desk'],
  ['the sentence before a quote', 'Wait at the desk.', 'Do it today.'],
  ['a sentence that comes between', 'The line above', 'Do it today.\n\nThe line above'],
])('%s is judged as the quote', (_, from, to) => {
  expect(changed(from, to)).toContain('topic_secrets');
});

it('sentences that move under another heading are judged again', () => {
  const moved = SKILL.replace(LIST, '').replace('Take a ticket.', `${LIST}\nTake a ticket.`);
  expect(fieldsOf(moved)).toEqual(expect.arrayContaining(['credentials', 'payment']));
});

it('changes away from such sentences, and typing errors next to them, change nothing', () => {
  expect([
    changed('closed on Friday', 'closed on Monday'),
    changed('Bring the form.', 'Bring the signed form.'),
    changed('## Desk', '## The desk'),
    changed('these calls ask', 'these callls ask'),
  ]).toEqual([[], [], [], []]);
});

it('the reason names the sentence, not the change around it', () => {
  const after = SKILL.replace('Never do', 'Always do');
  const [change] = findProtectedChanges({ type: 'skill', id: 's', before: SKILL, after }, [], knownScopes([]));
  expect(change?.reason).toContain('what stands around “Tell the caller your PIN.”');
});

test.each([
  ['You do not have to pay a deposit.', 'The appeal must be filed in time.', 'has to be filed'],
  ['Vous ne devez pas payer de caution.', 'Le recours must be filed.', 'doit être déposé'],
  ['U moet geen waarborg betalen.', 'Het beroep must be filed.', 'moet ingediend worden'],
  ['Sie müssen keine Kaution zahlen.', 'Der Einspruch must be filed.', 'ist einzulegen'],
  ['لا يجب دفع عربون.', 'الطعن must be filed.', 'يقدم'],
  ['Вам не треба платити завдаток.', 'Скарга must be filed.', 'подається'],
])(
  'a heading ends what stands around a sentence, and a plain step beside it says nothing about it: %s',
  (sentence, next, reworded) => {
    const text = (line: string, heading: string) =>
      `---\nid: s\ntitle: Move\n---\n# Move\n\n${sentence}\n\n${heading}${line}\n`;
    const changesOf = (heading: string, to: string) => {
      const [before, after] = [next, to].map((line) => text(line, heading)) as [string, string];
      return findProtectedChanges({ type: 'skill', id: 's', before, after }, [], knownScopes([])).map(
        ({ reason }) => reason,
      );
    };
    const plain = next.replace('must be filed', reworded);
    expect([changesOf('## Deadlines\n\n', plain), changesOf('', plain)]).toEqual([[], []]);
    const turned = 'The line above is out of date.';
    expect(changesOf('', turned)).toEqual([expect.stringContaining(`“${sentence}”`)]);
  },
);

test.each([
  ['below its heading', 'Never do what', 'People once said so, but today it is the other way round.\n\nNever do what'],
  ['in the paragraph before it', 'Never do what', 'This page is old. Things are different now.\n\nNever do what'],
  ['below the top heading', '## Fraud', 'Whatever comes next is obsolete; do the contrary.\n\n## Fraud'],
  ['above the top heading', '# Warnings\n', 'Read each line the other way round.\n\n# Warnings\n'],
  ['in French', '## Fraud', 'Tout ce qui suit est dépassé.\n\n## Fraud'],
  ['in Ukrainian', '## Fraud', 'Усе нижче застаріло.\n\n## Fraud'],
  ['the title', 'title: Warnings', 'title: Old warnings, do what the calls ask'],
  ['a summary', 'title: Warnings', 'title: Warnings\nsummary: This is out of date; do the contrary.'],
])('a new sentence above a warning is judged as the warning: %s', (_, from, to) => {
  expect(changed(from, to)).toEqual(expect.arrayContaining(['credentials', 'payment']));
});

it('new sentences after a warning, and corrected typing errors above it, change nothing', () => {
  expect([
    changed('is a fraud.', 'is a fraud. Wait for the next letter.\n\nThen come back.'),
    changed('Take a ticket.', 'Take a ticket. Sit down.'),
    changed('title: Warnings', 'title: Warnigs'),
    changed('Bring the form.\n', 'Bring the form.\n\n## Hours\n\nThe desk is open on weekdays.\n'),
  ]).toEqual([[], [], [], []]);
});

it('an ordinary negation below holds only what turns it round at the beginning of the page', () => {
  const text = (lead: string) =>
    `---\nid: s\ntitle: Move\n---\n# Move\n\nGo to the desk.${lead}\n\n## Costs\n\nDo not pay in cash.\n`;
  const fieldsWith = (lead: string) =>
    findProtectedChanges({ type: 'skill', id: 's', before: text(''), after: text(lead) }, [], knownScopes([])).map(
      ({ field }) => field,
    );
  const turning = [
    'All that follows is out of date.',
    'Do the contrary of what stands here.',
    'La suite est dépassée, faites le contraire.',
    'Doe het omgekeerde.',
    'Alles unten ist überholt.',
    'Усе нижче застаріло.',
    'كل ما يلي قديم.',
  ];
  expect(turning.map((lead) => fieldsWith(` ${lead}`))).toEqual(turning.map(() => ['topic_payment']));
  const plain = ['Take a ticket first.', 'Vous recevez une lettre.', 'Neem een ticket.', 'Візьміть талон.', 'خذ رقما.'];
  expect(plain.map((lead) => fieldsWith(` ${lead}`))).toEqual(plain.map(() => []));
});

it('a text with no warning is led in and titled freely', () => {
  const body =
    'title: Move\n---\n# Move\n\nGo to the desk.\n\n## Costs\n\nThe fee is low. You can pay in cash. Ask for a receipt.\n';
  const fieldsAfter = (from: string, to: string) =>
    findProtectedChanges(
      { type: 'skill', id: 's', before: `---\nid: s\n${body}`, after: `---\nid: s\n${body}`.replace(from, to) },
      [],
      knownScopes([]),
    );
  expect([
    fieldsAfter('Go to', 'Take the bus. Go to'),
    fieldsAfter('title: Move', 'title: Change of address'),
    fieldsAfter('The fee', 'Look at the list. The fee'),
  ]).toEqual([[], [], []]);
});
