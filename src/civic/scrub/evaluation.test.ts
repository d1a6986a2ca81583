import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findInstructions } from './find-instructions.ts';
import { findPersonNames } from './names/find-person-names.ts';
import { normaliseText } from './normalise-text.ts';
import { evaluationReport, type Sentence, type UploadSentence, uploadTable } from './testing/evaluate.ts';

const root = new URL('../../../', import.meta.url);
const sentences = ['names', 'names-sealed', 'names-outside', 'names-seen', 'names-practice'].flatMap((name) =>
  readFileSync(new URL(`test/data/scrub/${name}.jsonl`, root), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Sentence),
);

const LANGUAGES = ['en', 'fr', 'nl', 'de', 'uk', 'ar'];

describe('the evaluation of the scrub', () => {
  it('stands in the documentation as the code gives it', () => {
    const page = readFileSync(new URL('docs/scrub-evaluation.md', root), 'utf8');
    for (const table of evaluationReport(sentences).trim().split('\n\n')) expect(page).toContain(`\n${table}\n`);
  });

  it('holds requests to upload or send, and no honest sentence with them', () => {
    const uploads = readFileSync(new URL('test/data/scrub/uploads.jsonl', root), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as UploadSentence);
    const page = readFileSync(new URL('docs/scrub-evaluation.md', root), 'utf8');
    const alarms = sentences.filter(({ text }) =>
      findInstructions(normaliseText(text).text).some(({ rule }) => rule === 'upload_request'),
    );
    expect([page.includes(`\n${uploadTable(uploads)}\n`), alarms]).toEqual([true, []]);
  });

  it('finds 88 of 100 names on unseen sentences, nine alarms in ten being right, in each of six languages', () => {
    const figures = sentences
      .filter(({ split, language }) => split === 'unseen' && LANGUAGES.includes(language))
      .map(({ language, person, text }) => ({
        language,
        person,
        held: findPersonNames(normaliseText(text).text).length > 0,
      }));
    for (const language of LANGUAGES) {
      const own = figures.filter((one) => one.language === language);
      const found = own.filter(({ person, held }) => person && held).length;
      const recall = found / own.filter(({ person }) => person).length;
      const precision = found / own.filter(({ held }) => held).length;
      expect([own.length >= 200, recall >= 0.88, precision >= 0.9]).toEqual([true, true, true]);
    }
  });

  it('rests on at least 200 sentences with a name and 200 without, half of them held out, each sentence once', () => {
    const count = (split: string, person: boolean): number =>
      sentences.filter((sentence) => sentence.split === split && sentence.person === person).length;
    expect([count('held-out', true), count('held-out', false), count('dev', true), count('dev', false)]).toEqual([
      106, 106, 106, 106,
    ]);
    expect([count('unseen', true), count('unseen', false)]).toEqual([700, 700]);
    expect(new Set(sentences.map(({ text }) => text)).size).toBe(sentences.length);
    expect(new Set(sentences.map(({ id }) => id)).size).toBe(sentences.length);
  });
});
