import fc from 'fast-check';
import { parse, stripComments } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { appendItem, removeMember, setMember } from './edit-config.ts';

const entry = { transport: 'http', url: 'https://a/' };

const WRITTEN = `{
    // Ours: do not sort.
    "version": 1, // one
    "zebra": {"kept": [1,2,   3]},
    "mcp": {
        "servers": {
            /* the old one */
            "old": { "transport": "http", "url": "https://old/" } // still needed
        }
    } // end of mcp
}
`;

describe('an edit', () => {
  test('[host:H2] makes a new file with two spaces and a newline at its end', () => {
    expect(setMember(undefined, ['mcp', 'servers', 'a'], entry)).toBe(
      '{\n  "version": 1,\n  "mcp": {\n    "servers": {\n      "a": {\n        "transport": "http",\n        "url": "https://a/"\n      }\n    }\n  }\n}\n',
    );
  });

  test('[host:H2] keeps order, indentation and comments, each at its member', () => {
    expect(setMember(WRITTEN, ['mcp', 'servers', 'a'], entry)).toBe(
      WRITTEN.replace(
        '} // still needed\n',
        '}, // still needed\n            "a": {\n                "transport": "http",\n                "url": "https://a/"\n            }\n',
      ),
    );
  });

  test('[host:H2] a member of an existing entry changes nothing else', () => {
    expect(setMember(WRITTEN, ['mcp', 'servers', 'old', 'enabled'], false)).toBe(
      WRITTEN.replace('"url": "https://old/" }', '"url": "https://old/", "enabled": false }'),
    );
  });

  test('[host:H2] a replaced entry keeps its position', () => {
    const text = setMember(WRITTEN, ['mcp', 'servers', 'old'], entry);
    expect(text).toContain('/* the old one */');
    expect(parse(text).mcp.servers).toEqual({ old: entry });
  });

  test('[host:H2] adding and then removing restores the bytes', () => {
    expect(removeMember(setMember(WRITTEN, ['mcp', 'servers', 'a'], entry), ['mcp', 'servers', 'a'])).toBe(WRITTEN);
  });

  test('[host:H2] removing the last server removes the empty objects around it', () => {
    expect(parse(removeMember('{"version":1,"mcp":{"servers":{"a":{}}},"b":2}', ['mcp', 'servers', 'a']))).toEqual({
      version: 1,
      b: 2,
    });
  });

  test('[host:H2] tabs, CRLF and a byte order mark stay', () => {
    const text = '\uFEFF{\r\n\t"version": 1\r\n}\r\n';
    expect(setMember(text, ['mcp', 'servers', 'a'], { transport: 'http' })).toBe(
      '\uFEFF{\r\n\t"version": 1,\r\n\t"mcp": {\r\n\t\t"servers": {\r\n\t\t\t"a": {\r\n\t\t\t\t"transport": "http"\r\n\t\t\t}\r\n\t\t}\r\n\t}\r\n}\r\n',
    );
  });

  test('[host:H2] a trailing comma is not doubled', () => {
    expect(parse(setMember('{\n  "version": 1,\n}\n', ['x'], 1))).toEqual({ version: 1, x: 1 });
    expect(setMember('{\n  "version": 1, // c\n}\n', ['x'], 1)).toBe('{\n  "version": 1, // c\n  "x": 1\n}\n');
  });

  test('[host:M7] [gateway:M7] remembered rules are appended to their list', () => {
    const once = appendItem(undefined, ['permissions', 'allow'], 'a/b');
    expect(parse(appendItem(once, ['permissions', 'allow'], { match: 'a/*', read_only: true })).permissions).toEqual({
      allow: ['a/b', { match: 'a/*', read_only: true }],
    });
    expect(() => appendItem('{"permissions":{"allow":1}}', ['permissions', 'allow'], 'x')).toThrow('is not a list');
  });

  test.each([
    ['{"version": 2}', 'CONFIG_VERSION'],
    ['{"version": "1"}', 'CONFIG_VERSION'],
    ['{"mcp": {"servers": {"a": {}, "a": {}}}}', 'CONFIG_INVALID'],
    ['{"mcp": ', 'CONFIG_INVALID'],
  ])('[host:S5] [host:H2] %s is not written: %s', (text, code) => {
    expect(() => setMember(text, ['mcp', 'servers', 'b'], entry)).toThrow(expect.objectContaining({ code }));
  });

  test('[host:H2] in any file, only the named member changes', () => {
    const key = fc.constantFrom('a', 'b', 'x y', '__proto__x', 'é"');
    const json = fc.jsonValue({ maxDepth: 3 });
    const indent = fc.constantFrom(0, 1, 2, 4, '\t');
    fc.assert(
      fc.property(
        fc.dictionary(key, json),
        fc.dictionary(key, json),
        key,
        json,
        indent,
        (other, servers, id, value, space) => {
          const before = { ...other, mcp: { servers, more: 1 } };
          const text = JSON.stringify(before, null, space);
          const set = setMember(text, ['mcp', 'servers', id], value);
          expect(JSON.parse(set)).toEqual(
            JSON.parse(JSON.stringify({ ...other, mcp: { servers: { ...servers, [id]: value }, more: 1 } })),
          );
          const { [id]: _, ...rest } = servers;
          const removed = JSON.parse(removeMember(set, ['mcp', 'servers', id]));
          expect(removed.mcp).toEqual(
            JSON.parse(JSON.stringify(Object.keys(rest).length === 0 ? { more: 1 } : { servers: rest, more: 1 })),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  test('[host:H2] comments stay in every position, and adding and removing a member leaves no trace', () => {
    const servers = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 });
    const comment = fc.constantFrom('', '', ' // why, and "how"', ' /* one, two */', '\n// {own: line}', '\n');
    const marks = fc.array(comment, { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(servers, marks, fc.constantFrom('\n', '\r\n'), fc.jsonValue(), (given, marked, eol, value) => {
        const lines = JSON.stringify({ version: 1, mcp: { servers: given }, last: [1] }, null, 2).split('\n');
        const text = `${lines.map((line, index) => `${line}${marked[index % 40]}`).join('\n')}\n`.replaceAll('\n', eol);
        const set = setMember(text, ['mcp', 'servers', 'new'], value);
        expect(JSON.parse(stripComments(set))).toEqual(
          JSON.parse(JSON.stringify({ version: 1, mcp: { servers: { ...given, new: value } }, last: [1] })),
        );
        expect(removeMember(set, ['mcp', 'servers', 'new'])).toBe(text);
        for (const id of Object.keys(given)) {
          const { [id]: _, ...rest } = given;
          const read = (edited: string) => JSON.parse(stripComments(edited)).mcp?.servers ?? {};
          expect(read(removeMember(text, ['mcp', 'servers', id]))).toEqual(JSON.parse(JSON.stringify(rest)));
          expect(read(setMember(text, ['mcp', 'servers', id], value))).toEqual(
            JSON.parse(JSON.stringify({ ...given, [id]: value })),
          );
        }
      }),
      { numRuns: 500 },
    );
  });
});
