import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root, sourceFiles, trackedFiles } from '../support/repository.ts';

interface RequirementList {
  readonly room: string;
  /** Declared complete: every requirement is cited by a test. */
  readonly complete: boolean;
  readonly requirements: readonly { readonly id: string; readonly section: string; readonly text: string }[];
}

const files = trackedFiles('test/requirements').filter((file) => file.endsWith('.json'));
const lists = files.map((file) => JSON.parse(readFileSync(join(root, file), 'utf8')) as RequirementList);

const cited = new Set(
  [...sourceFiles('src'), ...sourceFiles('test')]
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/\[([a-z]+:[A-Za-z0-9.-]+)\]/g)])
    .map((match) => match[1] as string),
);

test('every list is named for its room', () => {
  expect(files).toEqual(lists.map(({ room }) => `test/requirements/${room}.json`));
});

describe.each(lists.map((list) => [list.room, list] as const))('requirements of %s', (room, list) => {
  test('ids are unique and every one has a sentence', () => {
    const ids = list.requirements.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(list.requirements.filter(({ section, text }) => !section || !text).map(({ id }) => id)).toEqual([]);
  });

  test('tests cite only requirements that exist', () => {
    const known = new Set(list.requirements.map(({ id }) => `${room}:${id}`));
    expect([...cited].filter((citation) => citation.startsWith(`${room}:`) && !known.has(citation))).toEqual([]);
  });

  test('every requirement of a room that is declared complete is cited by a test', () => {
    const uncited = list.requirements.map(({ id }) => `${room}:${id}`).filter((id) => !cited.has(id));
    expect(list.complete ? uncited : []).toEqual([]);
  });
});
