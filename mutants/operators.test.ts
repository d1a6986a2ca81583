import { expect, test } from 'vitest';
import { applyMutant, findMutants } from './operators.ts';

const mutated = (text: string) => findMutants('a.ts', text).map((mutant) => applyMutant(text, mutant));

test.each([
  ['if (a === b) return;', ['if (true) return;', 'if (false) return;', 'if (a !== b) return;']],
  ['const x: number = a ?? 3;', ['const x: number = a;', 'const x: number = 3;', 'const x: number = a ?? 4;']],
  ['const x = a && b;', ['const x = a;', 'const x = b;']],
  ['const x = list.filter(f);', ['const x = list;']],
  ['const x = a * b;', ['const x = a / b;']],
  ['list.some(f);', [';', 'list.every(f);']],
  ['async () => { await close(); };', ['async () => { ; };']],
  [
    'const x = a && (b || c) && d;',
    [
      'const x = a && (b || c);',
      'const x = d;',
      'const x = a && d;',
      'const x = (b || c) && d;',
      'const x = a && (b) && d;',
      'const x = a && (c) && d;',
    ],
  ],
  [
    'const x = !(a || b) && c;',
    [
      'const x = !(a || b);',
      'const x = c;',
      'const x = (a || b) && c;',
      'const x = !(a) && c;',
      'const x = !(b) && c;',
    ],
  ],
  ['const x = !a;', ['const x = a;']],
  ['let x = true;', ['let x = false;']],
])('%s gets its faults', (text, faults) => {
  expect(mutated(`function f() { ${text} }`)).toEqual(faults.map((fault) => `function f() { ${fault} }`));
});

test('types, thrown errors and log lines get none', () => {
  expect(mutated("type A = 1; throw new Error('x' + 1); log.warn(1 + 2); this.log.info('a', !b);")).toEqual([]);
});
