import { describe, expect, it, test } from 'vitest';
import { findNumberChange } from './compare-numbers.ts';
import { findProtectedChanges } from './find-protected-changes.ts';
import { knownScopes } from './known-scopes.ts';
import { quantitiesOf } from './quantities.ts';

const change = (before: string, after: string) => findNumberChange(`# Move\n\n${before}\n`, `# Move\n\n${after}\n`);
const APPEAL = 'The appeal must be filed within 60 days.';
const FEE = 'Pay the fee of 20 EUR at the desk.';

describe('a number of a sentence', () => {
  it.each([
    [APPEAL, '60 days', '360 days'],
    [APPEAL, '60 days', '6 days'],
    [APPEAL, '60 days', '60 months'],
    [APPEAL, '60 days', 'two years'],
    [APPEAL, '60 days', 'sixty weeks'],
    [APPEAL, '60 days', '6\u200b00 days'],
    [APPEAL, '60 days', '٦٠٠ days'],
    [APPEAL, '60 days', '60 dozen days'],
    [APPEAL, '60 days', '60 days, or 6 days by post'],
    [APPEAL, 'within 60 days', 'at any time'],
    [APPEAL, APPEAL, 'An appeal is not possible.'],
    [APPEAL, APPEAL, ''],
    [FEE, '20 EUR', '200 EUR'],
    [FEE, '20 EUR', '249 EUR'],
    [FEE, '20 EUR', '2 EUR'],
    [FEE, '20 EUR', '20.000 EUR'],
    [FEE, '20 EUR', '20 USD'],
    [FEE, '20 EUR', '20 kEUR'],
    ['Pay EUR 20.', 'EUR 20', '€ 200'],
    ['Pay EUR20.', 'EUR20', 'EUR200'],
    ['Pay 6 % of it.', '6 %', '21 percent'],
    ['The desk opens at 8:30.', '8:30', '10:30'],
    ['Since 2026-01-10 it is free.', '2026-01-10', '2027-01-10'],
    ['Bring 2 photos.', '2 photos', '20 photos'],
    ['Déposez le recours dans les 60 jours.', '60 jours', '600 jours'],
    ['Payez 20 EUR au guichet.', '20 EUR', '200 EUR'],
    ['Attendez quinze jours.', 'quinze jours', 'cent jours'],
    ['Dien het beroep in binnen 60 dagen.', '60 dagen', '600 dagen'],
    ['Wacht vijftien werkdagen.', 'vijftien werkdagen', 'zestig werkdagen'],
    ['Legen Sie innerhalb von 60 Tagen Einspruch ein.', '60 Tagen', '600 Tagen'],
    ['Warten Sie drei Wochen.', 'drei Wochen', 'zehn Wochen'],
    ['قدم الطعن خلال 60 يوما من التبليغ.', '60 يوما', '600 يوم'],
    ['قدم الطعن خلال 60 يوما من التبليغ.', '60 يوما', '٦٠٠ يوم'],
    ['انتظر خلال شهرين الرسالة.', 'شهرين', 'سنتين'],
    ['Подайте скаргу протягом 60 днів.', '60 днів', '600 днів'],
    ['Подайте скаргу протягом 60 днів.', '60 днів', '60 років'],
    ['Сплатіть 20 EUR у відділі.', '20 EUR', '200 EUR'],
  ])('%s: %s does not become %s alone', (sentence, from, to) => {
    expect(sentence).toContain(from);
    expect(change(sentence, sentence.replace(from, to))).toBeDefined();
  });

  it.each([
    [APPEAL, '60 days', '50 days'],
    [APPEAL, '60 days', '60 calendar days'],
    [APPEAL, '60 days', '**60** days'],
    [APPEAL, '60 days', '٦٠ days'],
    [APPEAL, 'The appeal must be filed', 'File the appeal in writing'],
    [FEE, '20 EUR', '22.50 EUR'],
    [FEE, '20 EUR', '€20'],
    [FEE, FEE, `${FEE} Take a ticket.`],
    [FEE, FEE, `${FEE} Bring 2 photos.`],
    [FEE, FEE, `Take a ticket.\n\n- ${FEE}`],
    ['The desk opens at 8:30.', '8:30', '9:00'],
    ['1. Wait here.\n2. Go in.', '2. Go in.', '2. Sign it.\n3. Go in.'],
    ['See <VV name="fee" uid="val-10"/> for it.', 'val-10', 'val-99'],
    ['Take the form A2 with you.', 'A2', 'B7'],
    ['Take a number at the entrance.', 'a number', 'the number'],
  ])('%s: %s becomes %s alone', (sentence, from, to) => {
    expect(sentence).toContain(from);
    expect(change(sentence, sentence.replace(from, to))).toBeUndefined();
  });
});

test.each(['Pay 20 EUR more.', 'Reply within 3 days.', 'It costs 21 % more.', 'Attendez un mois.', 'انتظر اسبوعين.'])(
  'a new amount or term needs others: %s',
  (sentence) => expect(change('Go in.', `Go in. ${sentence}`)).toBeDefined(),
);

test.each([
  'La commune met le registre à jour.',
  'Gardez vos données à jour.',
  'Une mise à jour suit par lettre.',
  'Il y a cent places.',
  'Прийдіть до каси, а день виберіть самі.',
  'Kommen Sie an Tagen, die Ihnen passen.',
])('an article of another language is no number: %s', (sentence) =>
  expect(change('Go in.', `Go in. ${sentence}`)).toBeUndefined(),
);

test.each([
  'Reply in a week.',
  'It takes a working day.',
  'Wait an hour or a month.',
  'Attendez une semaine.',
  'Un jour suffit.',
])('an article before a unit is a number: %s', (sentence) =>
  expect(change('Go in.', `Go in. ${sentence}`)).toBeDefined(),
);

test.each([
  'per page',
  'a page',
  'each week',
  'every month',
  'for each page',
  'weekly',
  'par page',
  'chaque semaine',
  'la page',
  'per blad',
  'elke week',
  'je Seite',
  'pro Woche',
  'wöchentlich',
  'لكل صفحة',
  'شهريا',
  'за сторінку',
  'за кожну сторінку',
  'щотижня',
])('an amount that is asked for many times needs others: %s', (per) => {
  expect(change(FEE, FEE.replace('20 EUR', `20 EUR ${per}`))).toContain('→');
  expect(change('The tax is 5 % of it.', `The tax is 5 % ${per} of it.`)).toBeDefined();
});

it('the words for many times may stand before the amount, and be placed anew', () => {
  expect(change(FEE, 'For each page pay the fee of 20 EUR at the desk.')).toContain('each page');
  expect(change('Each person pays a fee of 20 EUR.', 'Pay a fee of 20 EUR for each person.')).toBeUndefined();
});

test.each([
  ['20 EUR', '20 EUR par carte'],
  ['20 EUR', '20 EUR je nach Amt'],
  ['20 EUR', '20 EUR per bank transfer'],
  ['20 EUR', '20 EUR for the card'],
  ['20 EUR per page', '22 EUR per page'],
  ['20 EUR per paeg', '20 EUR per page'],
])('an amount stays one of as many: %s becomes %s alone', (from, to) =>
  expect(change(FEE.replace('20 EUR', from), FEE.replace('20 EUR', to))).toBeUndefined(),
);

test.each([
  ['Later is fine too.', APPEAL],
  ['After that, you can still file it at any time.', APPEAL],
  ['There is no deadline.', APPEAL],
  ['Come by noon tomorrow.', APPEAL],
  ['This term is void.', APPEAL],
  ['The deadline does not apply to you.', APPEAL],
  ['Nobody checks the deadline.', APPEAL],
  ['Ce délai n’est pas obligatoire.', 'Déposez le recours dans les 60 jours.'],
  ['Die Frist gilt nicht.', 'Warten Sie drei Wochen.'],
  ['Цей строк не діє.', 'Подайте скаргу протягом 60 днів.'],
  ['لا توجد مهلة.', 'قدم الطعن خلال 60 يوما من التبليغ.'],
  ['Plus tard est encore possible.', 'Déposez le recours dans les 60 jours.'],
  ['Vous pouvez le déposer à tout moment.', 'Déposez le recours dans les 60 jours.'],
  ['Later mag ook.', 'Dien het beroep in binnen 60 dagen.'],
  ['Er is geen termijn.', 'Dien het beroep in binnen 60 dagen.'],
  ['Später geht es auch.', 'Warten Sie drei Wochen.'],
  ['Das geht jederzeit.', 'Warten Sie drei Wochen.'],
  ['Пізніше теж можна.', 'Подайте скаргу протягом 60 днів.'],
  ['Можна подати будь-коли.', 'Подайте скаргу протягом 60 днів.'],
  ['يمكن تقديمه لاحقا أيضا.', 'قدم الطعن خلال 60 يوما من التبليغ.'],
  ['قدمه في أي وقت.', 'قدم الطعن خلال 60 يوما من التبليغ.'],
])('a new sentence that opens a term needs others: %s', (sentence, term) => {
  expect(change(term, `${term} ${sentence}`)).toBeDefined();
  expect(change(term, `${term}\n\n${sentence}`)).toBeDefined();
  expect(change('Go in.', `Go in. ${sentence}`)).toBeUndefined();
  expect(change(term, `${term}\n\n## Desk\n\n${sentence}`)).toBeUndefined();
});

it('a term that its own sentence opens, and a fortnight, need others; what follows a term does not', () => {
  expect([
    change(APPEAL, APPEAL.replace('days', 'days, or at any time later')),
    change('Go in.', 'Go in. You have a fortnight.'),
  ]).toEqual([expect.any(String), expect.any(String)]);
  const plain = [
    'After that, you get a letter.',
    'Keep the receipt.',
    'The desk answers by post.',
    'Sie brauchen keinen Termin.',
    'لا تحتاج إلى موعد.',
    'Danach kommt ein Brief.',
  ];
  expect(plain.map((sentence) => change(APPEAL, `${APPEAL} ${sentence}`))).toEqual(plain.map(() => undefined));
});

it('the row quotes the numbers, and measures many small steps together', () => {
  const file = (text: string) => `---\nid: s\ntitle: Move\n---\n# Move\n\n${text}\n`;
  const changesOf = (before: string, after: string, baseline?: string) =>
    findProtectedChanges(
      { type: 'skill', id: 's', before: file(before), after: file(after), baseline },
      [],
      knownScopes([]),
    );
  const far = APPEAL.replace('60', '360');
  expect(changesOf(APPEAL, far).map(({ field, gate }) => [field, gate])).toEqual([['number', 'consensus']]);
  expect(changesOf(APPEAL, far)[0]?.reason).toContain('60 days → 360 days');
  const [near, nearer] = ['40', '25'].map((days) => APPEAL.replace('60', days)) as [string, string];
  expect(changesOf(near, nearer)).toEqual([]);
  expect(changesOf(near, nearer, file(APPEAL)).map(({ field }) => field)).toEqual(['number']);
});

it('a title with a number is compared, an id and a version are not', () => {
  const file = (title: string, version: string) => `---\nid: s\ntitle: ${title}\nversion: ${version}\n---\n# Move\n`;
  const fieldsOf = (title: string, version: string) =>
    findProtectedChanges(
      { type: 'skill', id: 's', before: file('Appeal within 60 days', '1.0.0'), after: file(title, version) },
      [],
      knownScopes([]),
    ).map(({ field }) => field);
  expect([fieldsOf('Appeal within 6 days', '1.0.0'), fieldsOf('Appeal within 60 days', '9.0.0')]).toEqual([
    ['number'],
    [],
  ]);
});

it('numbers are read with their units', () => {
  const read = (sentence: string) => quantitiesOf(sentence).map(({ unit, readings }) => [unit, ...readings]);
  expect([
    read('1.250,50 EUR or €1 250'),
    read('from 8h30, 25.000 copies, two working days'),
    read('п’яти днів'),
  ]).toEqual([
    [
      ['EUR', 1250.5, 1250.5],
      ['EUR', 1250, 1250],
    ],
    [
      ['clock', 510, 510],
      ['count', 25, 25_000],
      ['day', 2, 2],
    ],
    [['day', 5, 5]],
  ]);
});
