import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  hashedToolName,
  otherToolNames,
  plainToolName,
  publicToolName,
  qualifiedToolName,
  toolNamePrefix,
} from './tool-names.ts';

const sha256Hex = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');
const hashed = (server: string, tool: string) => hashedToolName(server, tool, sha256Hex);
const qualified = (server: string, tool: string) => qualifiedToolName(server, tool, sha256Hex);

const serverId = fc.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/);
const toolName = fc.oneof(fc.stringMatching(/^[A-Za-z0-9_.-]{1,128}$/), fc.string({ unit: 'grapheme', minLength: 1 }));

test('every public name begins with the prefix of its server', () => {
  fc.assert(
    fc.property(serverId, toolName, (server, tool) => {
      const begins = [
        hashed(server, tool).startsWith(toolNamePrefix(server, 'hashed')),
        qualified(server, tool).startsWith(toolNamePrefix(server, 'qualified')),
      ];
      expect(begins).toEqual([true, true]);
    }),
    { numRuns: 2_000 },
  );
});

describe('hashed names', () => {
  test.each([
    ['filesystem-local', 'read_file', 'mcp_filesystem_local_read_file_ec26024f'],
    ['notion', '日本語', 'mcp_notion_tool_8578cd35'],
    ['A'.repeat(64), 'x', `mcp_${'a'.repeat(50)}_f72f71dc`],
  ])('[host:H3] [host:N3] the vector %s / %s', (server, tool, name) => {
    expect(hashed(server, tool)).toBe(name);
  });

  test('[host:N3] nothing is stripped after the cut', () => {
    const tool = `${'t'.repeat(47)}_rest`;
    expect(hashed('s', tool)).toBe(`mcp_s_${'t'.repeat(47)}__${sha256Hex(`s:${tool}`).slice(0, 8)}`);
  });

  test('[host:H3] [host:N1] [gateway:N1] agree with a character-by-character model', () => {
    fc.assert(
      fc.property(serverId, toolName, (server, tool) => {
        expect(hashed(server, tool)).toBe(naiveHashed(server, tool));
      }),
      { numRuns: 2000 },
    );
  });

  test('[host:H3] fit every model API', () => {
    fc.assert(fc.property(serverId, toolName, (server, tool) => /^[a-z0-9_]{1,63}$/.test(hashed(server, tool))));
  });
});

describe('qualified names', () => {
  test.each([
    ['files', 'read_file', 'files__read_file'],
    ['files', 'Read-File', 'files__Read-File'],
    ['files', 'read.file', 'files__read_file_'],
    ['a__b', 'c', 'a__b__c_'],
    ['a_', 'b', 'a___b_'],
    ['a', 'x_0123abcd', 'a__x_0123abcd_'],
    ['a', 'x_0123ABCD', 'a__x_0123ABCD'],
    ['a', 'b'.repeat(62), `a__${'b'.repeat(52)}_`],
    ['a', 'b'.repeat(61), `a__${'b'.repeat(61)}`],
  ])('[host:N2] %s / %s begins as expected', (server, tool, beginning) => {
    const name = qualified(server, tool);
    const plain = `${server}__${tool}` === name;
    expect(plain || name.endsWith(`_${sha256Hex(`${server}:${tool}`).slice(0, 8)}`)).toBe(true);
    expect(name.startsWith(beginning)).toBe(true);
  });

  test('[host:N2] no server can spell the hashed name of another', () => {
    fc.assert(
      fc.property(serverId, toolName, (server, tool) => {
        const name = qualified(server, tool);
        for (let cut = name.indexOf('__'); cut > 0; cut = name.indexOf('__', cut + 1)) {
          const [other, spelled] = [name.slice(0, cut), name.slice(cut + 2)];
          if (other !== server || spelled !== tool) expect(qualified(other, spelled)).not.toBe(name);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('[host:N2] agree with a naive model and never pass 64 characters', () => {
    fc.assert(
      fc.property(serverId, toolName, (server, tool) => {
        const name = qualified(server, tool);
        expect(name).toBe(naiveQualified(server, tool));
        expect(name.length).toBeLessThanOrEqual(64);
      }),
      { numRuns: 2000 },
    );
  });
});

function naiveRuns(text: string, allowed: string): string {
  let out = '';
  let inRun = false;
  for (const unit of text.split('')) {
    if (allowed.includes(unit)) out += unit;
    else if (!inRun) out += '_';
    inRun = !allowed.includes(unit);
  }
  return out;
}

function naiveHashed(server: string, tool: string): string {
  const slug = (text: string) => {
    let units = naiveRuns(text.toLowerCase(), 'abcdefghijklmnopqrstuvwxyz0123456789_').split('');
    while (units[0] === '_') units = units.slice(1);
    while (units.at(-1) === '_') units = units.slice(0, -1);
    return units.length === 0 ? 'tool' : units.join('');
  };
  const prefix = ['mcp', slug(server), slug(tool)].join('_').split('').slice(0, 54).join('');
  return `${prefix}_${sha256Hex(`${server}:${tool}`).slice(0, 8)}`;
}

function naiveQualified(server: string, tool: string): string {
  const lower = 'abcdefghijklmnopqrstuvwxyz';
  const base = `${server}__${tool}`;
  const clean = naiveRuns(base, `${lower}${lower.toUpperCase()}0123456789_-`);
  const tail = clean.slice(-9);
  const looksHashed =
    tail.length === 9 && tail[0] === '_' && [...tail.slice(1)].every((c) => '0123456789abcdef'.includes(c));
  const reasons = [
    clean !== base,
    clean.length > 64,
    server.split('__').length > 1,
    server.at(-1) === '_',
    looksHashed,
  ];
  return reasons.some(Boolean) ? `${clean.substring(0, 55)}_${sha256Hex(`${server}:${tool}`).substring(0, 8)}` : clean;
}

test('a built-in tool that is called after its room has a plain name, and answers to the one with a dot and to its old one', () => {
  const name = publicToolName('context', 'context.resolve', 'qualified', sha256Hex);
  expect([name, otherToolNames('context', 'context.resolve', sha256Hex)]).toEqual([
    'context_resolve',
    ['context.resolve', 'context_resolve', 'context__context_resolve_0428772a'],
  ]);
  expect(publicToolName('context', 'context.resolve', 'hashed', sha256Hex)).toMatch(/^mcp_context_context_resolve_/);
});

test.each([
  ['other', 'other.resolve'],
  ['context', 'civic.resolve'],
  ['context', 'resolve'],
  ['context', 'context._resolve'],
  ['context', 'context.a__b'],
  ['context', 'context.a.b'],
  ['context', 'context.é'],
])('the tool %s %s has a name like any other', (server, tool) => {
  expect([plainToolName(server, tool), otherToolNames(server, tool, sha256Hex)]).toEqual([undefined, []]);
});
