import type { Dice } from './dice.ts';

/** An artefact as its readers see it. */
export interface Shown {
  readonly type: 'skill' | 'path' | 'volatile_value' | 'reference';
  readonly id: string;
  readonly version: string;
  /** Its file; a row of a catalogue as JSON. */
  readonly text: string;
}

export interface Change {
  readonly target_type: 'skill' | 'path' | 'path_source' | 'volatile_value' | 'reference';
  readonly target_id: string;
  readonly base_version: string;
  readonly content: object;
  /** A text that is in the artefact if and only if the change took effect. */
  readonly marker: string;
}

/** Replaces one step of a skill's text. */
export function changeStep(shown: Shown, dice: Dice, sentence: string): Change {
  const lines = shown.text.split('\n');
  const steps = lines.flatMap((line, at) => (line.startsWith('Step ') ? [at] : []));
  const at = dice.pick(steps);
  const number = /^Step (\d+)\./.exec(lines[at] as string)?.[1] ?? '1';
  const line = `Step ${number}. ${sentence}`;
  const diff = `@@ -${at + 1},1 +${at + 1},1 @@\n-${lines[at]}\n+${line}\n`;
  return { ...targetOf(shown), content: { amendment_subtype: 'body_diff', body_diff: { diff } }, marker: line };
}

/** Removes all steps but two. */
export function removeSteps(shown: Shown): Change {
  const lines = shown.text.split('\n');
  const first = lines.findIndex((line) => line.startsWith('Step '));
  const gone = lines
    .slice(first + 1)
    .filter((line) => line.startsWith('Step '))
    .slice(0, 10);
  const body = gone.map((line) => `-${line}\n`).join('');
  const diff = `@@ -${first + 2},${gone.length} +${first + 1},0 @@\n${body}`;
  const marker = `${lines[first]}\n${lines[first + 1 + gone.length]}`;
  return { ...targetOf(shown), content: { amendment_subtype: 'body_diff', body_diff: { diff } }, marker };
}

export function changeField(shown: Shown, field_path: string, proposed_value: unknown, marker: string): Change {
  const content = { amendment_subtype: 'frontmatter_change', frontmatter_change: { field_path, proposed_value } };
  return { ...targetOf(shown), content, marker };
}

/** Another address of a path's source. */
export function changeSource(shown: Shown, url: string): Change {
  const change = changeField(shown, 'url', url, url);
  return { ...change, target_type: 'path_source', target_id: `${shown.id}:web` };
}

export function changeValue(shown: Shown, value: string): Change {
  const content = { amendment_subtype: 'value_change', value_change: { proposed_value: value } };
  return { ...targetOf(shown), content, marker: `"value":${JSON.stringify(value)}` };
}

export function changeReference(shown: Shown, url: string): Change {
  const content = { amendment_subtype: 'reference_change', reference_change: { url } };
  return { ...targetOf(shown), content, marker: url };
}

/** The current value of a catalogue's row. */
export function currentValue(shown: Shown): number {
  return Number.parseFloat((JSON.parse(shown.text) as { value: string }).value) || 20;
}

function targetOf({ type, id, version }: Shown) {
  return { target_type: type, target_id: id, base_version: version };
}
