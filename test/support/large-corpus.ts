import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const WORDS =
  'commune form desk card fee deadline proof copy visit letter officer address family work permit counter'.split(' ');

/** A corpus of 300 artefacts: 200 skills, 40 paths, 40 values and 20 references, the same each time. */
export function largeCorpus(): Record<string, string> {
  const files: Record<string, string> = {};
  for (let n = 0; n < 200; n++) files[`skills/${skillId(n)}/canonical.md`] = skillText(n);
  for (let n = 0; n < 40; n++) files[`paths/path-${n}.yaml`] = pathText(n);
  files['catalogue/values.yaml'] = rows(
    40,
    (n) =>
      `- { uid: val-${two(n)}, name: fee ${n}, value: "${n + 5}", unit: EUR, status: beta, version: 1.0.0, last_verified: 2026-09-01 }`,
  );
  files['catalogue/references.yaml'] = rows(
    20,
    (n) =>
      `- { uid: ref-${two(n)}, name: law ${n}, url: "https://law.example.org/${n}", usage: citation, status: stable, version: 1.0.0, last_verified: 2026-09-01 }`,
  );
  return files;
}

/** Writes files, and commits them where `git` asks for it. */
export function writeCorpus(dir: string, files: Readonly<Record<string, string>>, git?: string): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  if (git !== undefined) commitAll(dir, git);
}

export function commitAll(dir: string, message: string): void {
  const run = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@localhost', ...args], { cwd: dir });
  run('init', '--quiet');
  run('add', '--all');
  run('commit', '--quiet', '--message', message);
}

export function skillId(n: number): string {
  return `procedure-${n}`;
}

function skillText(n: number): string {
  const status = ['alpha', 'beta', 'stable'][n % 3];
  const requires = n % 5 === 0 ? '' : `requires: [{ id: ${skillId(n - (n % 5))} }]\n`;
  const words = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => WORDS[(from * 7 + at * 3) % WORDS.length]).join(' ');
  return `---
id: ${skillId(n)}
title: Procedure ${n} about ${words(n, 3)}
summary: How to bring ${words(n + 1, 5)} to the office number ${n}.
status: ${status}
version: 1.${n % 7}.0
category: category-${n % 9}
applies_to: { region: [brussels, flanders] }
${requires}requires_paths: [{ id: path-${n % 40}, role: submission, timing: after }]
last_verified: 2026-09-${two((n % 28) + 1)}
citations: [{ url: "https://law.example.org/skill/${n}", archived_url: "https://archive.example.org/${n}" }]
---
# Procedure ${n}

${words(n, 60)}.

## Authoritative basis

It stands in <Ref name="law" uid="ref-${two(n % 20)}" url="https://law.example.org/${n % 20}" usage="citation"/>.

## Required documents

- The **${words(n + 2, 2)}**, not older than three months.
- A [copy](https://forms.example.org/${n}) of the \`${words(n + 3, 1)}\`.

## Process

1. Pay <VV name="fee" uid="val-${two(n % 40)}"/> at the desk.
2. Send the form through <Path id="path-${n % 40}"/>.
3. Wait for ${words(n + 4, 6)}.

## Known surprises

${words(n + 5, 90)}.
`;
}

function pathText(n: number): string {
  return `id: path-${n}
title: Portal number ${n}
purpose: submission
themes: [residence, tax]
applies_to: { region: [brussels] }
status: beta
version: 1.0.0
sources:
  - id: web
    source_class: deeplink-after-auth
    url: https://portal.example.org/${n}
    priority: 10
  - id: desk
    source_class: offline
`;
}

function rows(count: number, row: (n: number) => string): string {
  return `${Array.from({ length: count }, (_, n) => row(n)).join('\n')}\n`;
}

function two(n: number): string {
  return String(n).padStart(2, '0');
}
