import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inColumns, wrapped } from './terminal-text.ts';

const WIDTH = 80;

const word = fc.stringMatching(/^[a-z`_]{1,50}$/);
const cell = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
const table = fc
  .integer({ min: 2, max: 7 })
  .chain((columns) =>
    fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 6 }),
  );

function tableOf(rows: readonly (readonly string[])[]): string {
  const [headings = [], ...more] = rows;
  const { heading, body } = inColumns(more.map((row) => row.join('\t')).join('\n'), headings, WIDTH);
  return `${heading}\n${body}`;
}

const words = (text: string) => text.split(/\s+/).filter(Boolean);

test('a line of a table is longer than the terminal only if a single word is, and no word is lost', () => {
  fc.assert(
    fc.property(table, (rows) => {
      const text = tableOf(rows);
      const long = text.split('\n').filter((line) => line.length > WIDTH && words(line).length > 1);
      expect(long).toEqual([]);
      expect(words(text)).toEqual(rows.flatMap((row) => words(row.join(' '))));
    }),
  );
});

test('a column starts at the same place in every row', () => {
  fc.assert(
    fc.property(table, (rows) => {
      // A word that occurs once per cell shows where the cell starts.
      const marked = rows.map((row) => row.map((text, column) => `=${column} ${text}`));
      const lines = tableOf(marked).split('\n');
      for (const column of rows[0]?.keys() ?? []) {
        const places = lines.map((line) => line.indexOf(`=${column} `)).filter((at) => at >= 0);
        expect(new Set(places).size).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test('columns beside which there is no room continue on the next line, and so do their headings', () => {
  const reason = 'the server ended with exit code 1; it said: the file of its settings was not found';
  const { heading, body } = inColumns(
    `a-server-with-a-name\tstdio\tglobal\ttrue\terror\t0\t${reason}\nfiles\tstdio\tglobal\ttrue\tready\t5\t\n1 of 2\n`,
    ['ID', 'TRANSPORT', 'SOURCE', 'ENABLED', 'STATE', 'TOOLS', 'REASON'],
    WIDTH,
  );
  expect(`${heading}\n${body}`.split('\n')).toEqual([
    'ID                    TRANSPORT  SOURCE  ENABLED  STATE  TOOLS',
    '    REASON',
    'a-server-with-a-name  stdio      global  true     error  0',
    '    the server ended with exit code 1; it said: the file of its settings was not',
    '    found',
    'files                 stdio      global  true     ready  5',
    '1 of 2',
    '',
  ]);
});

test('a long name moves the rest of its own row only', () => {
  const { body } = inColumns(`${'n'.repeat(45)}\tfiles\t${'s'.repeat(30)}\nshort\tfiles\tactive`, [], WIDTH);
  expect(body.split('\n')).toEqual([
    'n'.repeat(45),
    `${' '.repeat(42)}files  ${'s'.repeat(30)}`,
    `${'short'.padEnd(42)}files  active`,
  ]);
});

test('an indented cell stays indented, also on its further lines', () => {
  expect(inColumns('  red\t  of it', [], WIDTH).body).toBe('  red    of it');
  const long = 'word '.repeat(20).trim();
  expect(inColumns(`  ${long}\tx`, [], WIDTH).body.split('\n')).toEqual([
    `  ${'word '.repeat(15).trim()}`,
    `${`  ${'word '.repeat(5)}`.padEnd(42)}x`,
  ]);
});

test('columns that fit are as wide as their cells', () => {
  const name = 'n'.repeat(60);
  expect(inColumns(`${name}\tok\nx\tok`, [], WIDTH).body.split('\n')).toEqual([`${name}  ok`, `${'x'.padEnd(60)}  ok`]);
});

test('a command in backquotes is broken only if it is longer than a line', () => {
  expect(wrapped('see `bindery mcp status` for it', 20, '')).toBe('see\n`bindery mcp status`\nfor it');
  expect(wrapped('it`s `a very long command` here', 12, '')).toBe('it`s `a very\nlong\ncommand`\nhere');
});
