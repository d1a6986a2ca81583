/** How many artefacts of each type a corpus has. */
export interface CorpusSize {
  readonly skills: number;
  readonly paths: number;
  readonly values: number;
  readonly references: number;
}

/** 300 artefacts. */
export const WHOLE_CORPUS: CorpusSize = { skills: 200, paths: 60, values: 25, references: 15 };

const STATES = ['alpha', 'beta', 'stable'] as const;
const STEPS = [
  'Take a number at the entrance.',
  'Bring the card of every member of the household.',
  'Fill in the form at the desk.',
  'Wait for the letter of the commune.',
  'Keep the receipt for one year.',
  'An officer visits the address within fifteen days.',
  'Ask for a proof of registration.',
  'Pay at the desk by card.',
];

/** The files of a generated corpus, by path. */
export function monthCorpus({ skills, paths, values, references }: CorpusSize): Record<string, string> {
  const files: Record<string, string> = {
    'catalogue/hosts.yaml': '- { jurisdiction: sample, hosts: [example.org, example.net] }\n',
    'catalogue/values.yaml': rows(values, (n) => `uid: ${valueId(n)}, name: fee ${n}, value: "${20 + n}", unit: EUR`),
    'catalogue/references.yaml': rows(
      references,
      (n) => `uid: ${referenceId(n)}, name: law ${n}, url: "https://law.example.org/${n}", usage: citation`,
    ),
  };
  for (let n = 0; n < skills; n++) files[`skills/${skillId(n)}/canonical.md`] = skillText(n, values, paths);
  for (let n = 0; n < paths; n++) files[`paths/${pathId(n)}.yaml`] = pathText(n);
  return files;
}

export const skillId = (n: number): string => `skill-${n}`;
export const pathId = (n: number): string => `path-${n}`;
export const valueId = (n: number): string => `val-${String(n + 1).padStart(2, '0')}`;
export const referenceId = (n: number): string => `ref-${String(n + 1).padStart(2, '0')}`;

function rows(count: number, row: (n: number) => string): string {
  const state = (n: number) => `status: ${STATES[n % 3]}, version: 1.0.0, last_verified: 2026-01-01`;
  return Array.from({ length: count }, (_, n) => `- { ${row(n)}, ${state(n)} }\n`).join('');
}

function skillText(n: number, values: number, paths: number): string {
  const steps = Array.from({ length: 12 }, (_, step) => `Step ${step + 1}. ${STEPS[(n + step) % STEPS.length]}`);
  return `---
id: ${skillId(n)}
title: Sample procedure ${n}
summary: How the sample procedure ${n} works.
status: ${STATES[n % 3]}
version: 1.0.0
origin: community
category: sample-commune
applies_to: { region: [brussels] }
requires_paths: [{ id: ${pathId(n % paths)}, role: submission, timing: any }]
citations: [{ url: "https://law.example.org/skill/${n}" }]
---
# Sample procedure ${n}

It costs <VV name="fee" uid="${valueId(n % values)}"/>. The law is at https://law.example.org/skill/${n} today.

${steps.join('\n')}
`;
}

function pathText(n: number): string {
  return `id: ${pathId(n)}
title: Sample portal ${n}
purpose: submission
themes: [residence]
applies_to: { region: [brussels] }
status: ${STATES[n % 3]}
version: 1.0.0
sources:
  - id: web
    source_class: deeplink-after-auth
    url: https://portal.example.org/${n}/start
    priority: 10
    validation_path: { success_signals: [form-visible], failure_signals: [not-found] }
`;
}
