import { SeededDraws } from './seeded-draws.ts';

/** A corpus as files by path, and the ids of its procedures. */
export interface CorpusSet {
  readonly files: Readonly<Record<string, string>>;
  readonly skills: readonly string[];
}

const SUBJECTS = [
  'address',
  'passport',
  'driving-licence',
  'birth',
  'marriage',
  'parking',
  'business',
  'residence',
  'school',
  'pension',
];
const ACTS = ['report', 'renew', 'register', 'appeal', 'cancel'];
const REGIONS = ['brussels', 'flanders', 'wallonia'];
const LABELS: readonly string[] = [
  '{ en: Date of the event, fr: Date du fait, nl: Datum van het feit, de: Datum des Ereignisses, ar: تاريخ الواقعة, uk: Дата події }',
  '{ en: Reason, fr: Motif, nl: Reden, de: Grund, ar: السبب, uk: Причина }',
  '{ en: Number of persons, fr: Nombre de personnes, nl: Aantal personen, de: Anzahl der Personen }',
];
const SENTENCES = [
  'The office answers within the term that the decree gives.',
  'Bring the original and one copy of each document.',
  'A document in another language needs a sworn translation; see the list of translators.',
  'The desk closes at noon on Fridays, and the portal does not.',
  'Who cannot come in person signs a mandate, which the commune accepts on paper only.',
  'Le guichet accepte aussi les attestations établies à l’étranger, pourvu qu’elles soient légalisées.',
  'Het formulier is in drie talen beschikbaar; het antwoord komt in de taal van de aanvraag.',
  'Payment is by card; cash is no longer taken at this desk.',
];
const VALUES = 24;
const REFERENCES = 16;
const PATHS = 8;

const padded = (number: number) => String(number).padStart(2, '0');

/** Procedures of an administration, made from a seed: texts of some kilobytes with values, references, paths and forms. */
export function corpusSet(seed: number, skillCount = 30): CorpusSet {
  const draws = new SeededDraws(seed);
  const skills = Array.from({ length: skillCount }, (_, index) => {
    const round = Math.floor(index / (SUBJECTS.length * ACTS.length));
    const act = ACTS[Math.floor(index / SUBJECTS.length) % ACTS.length];
    return `sample-${SUBJECTS[index % SUBJECTS.length]}-${act}${round > 0 ? `-${round}` : ''}`;
  });
  const files: Record<string, string> = {
    'catalogue/values.yaml': lines(VALUES, (number) => {
      const value = draws.pick(['8 working days', '25', '5 EUR', '45 days', '1/2 page', 'three months']);
      return `- { uid: val-${padded(number)}, name: value-${number}, value: "${value}", status: ${draws.pick(['alpha', 'beta', 'stable'])}, version: 1.0.${number}, last_verified: 2026-10-01 }`;
    }),
    'catalogue/references.yaml': lines(
      REFERENCES,
      (number) =>
        `- { uid: ref-${padded(number)}, name: law-${number}, url: "https://law.example.org/${number}", archived_url: "https://archive.example.org/${number}", usage: citation, status: stable, version: 1.0.0, last_verified: 2026-10-01 }`,
    ),
  };
  for (let number = 1; number <= PATHS; number++) files[`paths/sample-path-${number}.yaml`] = pathText(draws, number);
  skills.forEach((id, index) => {
    files[`skills/${id}/canonical.md`] = skillText(draws, id, skills.slice(0, index));
  });
  return { files, skills };
}

function pathText(draws: SeededDraws, number: number): string {
  return `id: sample-path-${number}
title: Sample path ${number}
purpose: ${draws.pick(['submission', 'preparation', 'handoff'])}
themes: [residence, identity]
applies_to: { region: [${REGIONS.slice(0, 1 + draws.below(3)).join(', ')}] }
status: ${draws.pick(['alpha', 'beta', 'stable'])}
version: 1.${number}.0
sources:
  - id: web
    source_class: deeplink-after-auth
    url: https://portal.example.org/${number}
    priority: ${draws.below(10)}
    validation_path: { success_signals: [form-visible], failure_signals: [not-found] }
  - id: desk
    source_class: offline
    fallback_only: true
`;
}

function skillText(draws: SeededDraws, id: string, earlier: readonly string[]): string {
  const title = id.replace('sample-', '').replaceAll('-', ' ');
  const required = earlier.length > 0 && draws.chance(0.6) ? draws.pick(earlier) : undefined;
  const path = `sample-path-${1 + draws.below(PATHS)}`;
  const paragraphs = (count: number) =>
    lines(count, () => `${Array.from({ length: 2 + draws.below(5) }, () => draws.pick(SENTENCES)).join(' ')}\n`);
  const value = () => {
    const number = 1 + draws.below(VALUES);
    return `<VV name="value-${number}" uid="val-${padded(number)}"/>`;
  };
  const reference = 1 + draws.below(REFERENCES);
  return `---
id: ${id}
title: "Sample: ${title}"
summary: How to ${title}, what to bring and what it costs. Sample text.
status: ${draws.pick(['alpha', 'alpha', 'beta', 'stable'])}
version: 1.${draws.below(9)}.${draws.below(9)}
origin: community
category: sample-commune
applies_to: { region: [${REGIONS.slice(draws.below(3)).join(', ')}] }
${required ? `requires: [{ id: ${required}, selects_on: "is_first == 'yes'" }]\n` : ''}requires_paths: [{ id: ${path}, role: submission, timing: at-once }]
last_verified: 2026-10-01
citations: [{ url: "https://law.example.org/${id}", archived_url: "https://archive.example.org/${id}" }]
inputs:
  - { name: event_date, type: date, required: true, label: ${LABELS[0]} }
  - name: reason
    type: select
    label: ${LABELS[1]}
    options: [work, family, { value: other, label: { en: Other, fr: Autre } }]
  - { name: persons, type: number, label: ${LABELS[2]} }
---
# Sample: ${title}

This is a sample. It describes no real office.

## Authoritative basis

The rule stands in <Ref name="law-${reference}" uid="ref-${padded(reference)}" usage="citation"/>.

${paragraphs(1 + draws.below(4))}
## Required documents

${required ? `See <Skill id="${required}"/>.\n` : '- An identity document that is still valid.\n'}
${paragraphs(1 + draws.below(6))}
## Process

1. Go through <Path id="${path}"/> within ${value()}.
2. Pay ${value()} at the desk.
3. Keep the receipt of ${id}.

${paragraphs(1 + draws.below(8))}
<Observations skill="${id}"/>
`;
}

function lines(count: number, line: (number: number) => string): string {
  return `${Array.from({ length: count }, (_, index) => line(index + 1)).join('\n')}\n`;
}
