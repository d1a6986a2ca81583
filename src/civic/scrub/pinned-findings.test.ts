import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { FieldKind } from './field-kinds.ts';
import { scrubText } from './scrub-text.ts';

const dataOf = (name: string) => new URL(`../../../test/data/scrub/${name}`, import.meta.url);
const linesOf = <T>(name: string): T[] =>
  readFileSync(dataOf(name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

/** What is found in a text, and where. */
const findings = (text: string, kind: FieldKind = 'free_text'): string =>
  scrubText(text, kind, ['a.example'])
    .map(({ rule, start, end }) => `${rule} ${start}-${end}`)
    .join(', ');

it('what is found in the sentences of the evaluation, and where, changes on purpose only', async () => {
  const names = ['names.jsonl', 'names-sealed.jsonl', 'names-seen.jsonl', 'names-practice.jsonl']
    .flatMap((file) => linesOf<{ id: string; text: string }>(file))
    .map(({ id, text }) => `${id}: ${findings(text)}`);
  const uploads = linesOf<{ text: string }>('uploads.jsonl').map(({ text }, at) => `upload ${at}: ${findings(text)}`);
  const found = `${[...names, ...uploads].join('\n')}\n`;
  await expect(found).toMatchFileSnapshot(fileURLToPath(dataOf('sentence-findings.txt')));
});

it('what is found in texts at the edges of the rules, and where, changes on purpose only', async () => {
  const found = linesOf<{ kind: FieldKind; text: string }>('edges.jsonl').map(
    ({ kind, text }) => `${kind} ${JSON.stringify(text)}\n  ${findings(text, kind)}\n`,
  );
  await expect(found.join('')).toMatchFileSnapshot(fileURLToPath(dataOf('edge-findings.txt')));
});
