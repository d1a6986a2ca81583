import { z } from 'zod';
import type { Detector } from '../../../civic/scrub/detector.ts';
import { SCRUB_LIMITS } from '../../../civic/scrub/limits.ts';

export interface PresidioOptions {
  /** URL of the analyzer, such as `http://127.0.0.1:5002`. */
  readonly url: string;
  readonly language: string;
}

/** The requested entities: the analyzer also knows dates, places and links, which every procedure contains. */
const ENTITIES = ['PERSON', 'EMAIL_ADDRESS', 'PHONE_NUMBER', 'IBAN_CODE', 'CREDIT_CARD', 'IP_ADDRESS', 'CRYPTO'];
/** Minimum score of a finding. */
const SCORE_MIN = 0.5;

const Findings = z.array(z.looseObject({ start: z.int(), end: z.int(), score: z.number(), entity_type: z.string() }));

/** A Presidio analyzer over HTTP: `POST /analyze`. Its offsets count code points. */
export function presidioDetector({ url, language }: PresidioOptions): Detector {
  const endpoint = `${url.replace(/\/+$/, '')}/analyze`;
  return {
    name: 'presidio',
    async find(text, signal) {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text, language, entities: ENTITIES, score_threshold: SCORE_MIN }),
        redirect: 'error',
        signal,
      });
      if (!response.ok) throw new Error(`the analyzer answered ${response.status}`);
      const answer = await response.text();
      if (answer.length > SCRUB_LIMITS.detectorAnswerCharsMax)
        throw new Error('the answer of the analyzer is too long');
      const unitAt = unitOffsets(text);
      return Findings.parse(JSON.parse(answer))
        .filter(({ score }) => score >= SCORE_MIN)
        .map(({ start, end }) => ({ start: unitAt(start), end: unitAt(end) }));
    },
  };
}

/** Converts code point offsets to UTF-16; an offset outside the text has none. */
function unitOffsets(text: string): (codePoint: number) => number {
  const offsets = [0];
  for (const character of text) offsets.push((offsets.at(-1) as number) + character.length);
  return (codePoint) => offsets[codePoint] ?? Number.NaN;
}
