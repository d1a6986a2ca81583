import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
import { expect, test } from 'vitest';
import { root, sourceFiles } from '../support/repository.ts';

const LINES_MAX = 70;
const PARAMETERS_MAX = 4;

interface FoundFunction {
  /** `file name`, by which lists name it. */
  readonly id: string;
  readonly lines: number;
  readonly parameters: number;
}

/** Every function of a file that has a name: declared, a method, or the value of a constant or member. */
function functionsOf(file: string): FoundFunction[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found: FoundFunction[] = [];
  const add = (key: object, value: object | null) => {
    if (!value || !('params' in value) || !Array.isArray(value.params)) return;
    const { start, end } = value as unknown as { start: number; end: number };
    const name = 'name' in key ? String(key.name) : 'value' in key ? String(key.value) : '?';
    const lines = text.slice(start, end).split('\n').length;
    found.push({ id: `${file} ${name}`, lines, parameters: value.params.length });
  };
  new Visitor({
    FunctionDeclaration: (node) => node.id && add(node.id, node),
    MethodDefinition: (node) => add(node.key, node.value),
    PropertyDefinition: (node) => add(node.key, node.value),
    Property: (node) => add(node.key, node.value),
    VariableDeclarator: (node) => add(node.id, node.init),
  }).visit(parseSync(file, text).program);
  return found;
}

const functions = sourceFiles('src')
  .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'))
  .flatMap(functionsOf);
const idsOf = (offenders: readonly FoundFunction[]) => [...new Set(offenders.map(({ id }) => id))].sort();

/** Functions that were longer when the limit came. One that is shorter now leaves the list, and none may join it. */
const LONG: readonly string[] = [];

/** The same for parameters. */
const MANY_PARAMETERS: readonly string[] = [];

test('a function fits on a screen', () => {
  expect(idsOf(functions.filter(({ lines }) => lines > LINES_MAX))).toEqual(LONG);
});

test('a function has four parameters at most', () => {
  expect(idsOf(functions.filter(({ parameters }) => parameters > PARAMETERS_MAX))).toEqual(MANY_PARAMETERS);
});
