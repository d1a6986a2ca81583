import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readClientFile, replaceServers } from '../../src/gateway/import/client-file.ts';
import { FORMATS } from '../../src/gateway/import/client-formats.ts';

describe('editing', () => {
  const json = (text: string) => replaceServers(FORMATS.cursor, text, 'bindery', { url: 'u' });
  const toml = (text: string) => replaceServers(FORMATS.codex, text, 'bindery', { url: 'u' });

  test('keeps comments, order, indentation and line ends around the servers [gateway:I3]', () => {
    expect(
      json(
        '{\n\t// a\n\t"x": 1,\n\t"mcpServers": {\n\t\t// first\n\t\t"a": {"command": "x"}, // of a\n\t\t/* b */\n\t\t"b": {"command": "y"}\n\t\t// end\n\t},\n\t"z": [1, 2] // z\n}',
      ),
    ).toBe(
      '{\n\t// a\n\t"x": 1,\n\t"mcpServers": {\n\t\t// first\n\t\t"bindery": {\n\t\t\t"url": "u"\n\t\t}\n\t\t// of a\n\t\t/* b */\n\t\t// end\n\t},\n\t"z": [1, 2] // z\n}',
    );
    expect(json('{"a":1,"mcpServers":{"a":{"command":"x"},"b":{}},"c":2}')).toBe(
      '{"a":1,"mcpServers":{"bindery":{"url":"u"}},"c":2}',
    );
    expect(json('{\r\n  "a": 1\r\n}\r\n')).toBe(
      '{\r\n  "a": 1,\r\n  "mcpServers": {\r\n    "bindery": {\r\n      "url": "u"\r\n    }\r\n  }\r\n}\r\n',
    );
  });

  test('of TOML touches the tables of servers alone, and refuses what it does not understand [gateway:I3]', () => {
    expect(
      toml(
        '# top\na = 1\n\n# about x\n[mcp_servers.x]\ncommand = "x"\nargs = [\n  "[mcp_servers.y]", # not a table\n]\n\n[mcp_servers."y z".env]\nA = "1"\n\n# other\n[other]\nb = """\n[mcp_servers.q]\n"""\n',
      ),
    ).toBe(
      '# top\na = 1\n\n# about x\n[mcp_servers.bindery]\nurl = "u"\n\n# other\n[other]\nb = """\n[mcp_servers.q]\n"""\n',
    );
    expect(toml('a = 1')).toBe('a = 1\n\n[mcp_servers.bindery]\nurl = "u"\n');
    for (const text of [
      'mcp_servers.x.command = "y"\n',
      '[mcp_servers.x\n',
      '[[mcp_servers]]\n',
      'a = [1\n',
      'a\n',
      '= 1\n',
    ]) {
      expect(() => [readClientFile(FORMATS.codex, text), toml(text)]).toThrow(
        expect.objectContaining({ code: 'IMPORT_UNREADABLE' }),
      );
    }
    for (const value of ['"""\nx\n"""', '1979-05-27', "'''x'''"]) {
      expect(() => readClientFile(FORMATS.codex, `[mcp_servers.x]\ncommand = ${value}\n`)).toThrow(
        expect.objectContaining({ code: 'IMPORT_UNREADABLE' }),
      );
    }
  });

  test('leaves everything else as it was, for any file: the naive reader finds the same members outside the servers [gateway:I3]', () => {
    const name = fc.string({ maxLength: 8 });
    const files = fc.record({
      before: fc.dictionary(
        name.filter((key) => key !== 'mcpServers' && key !== '__proto__'),
        fc.jsonValue({ maxDepth: 2 }),
        { maxKeys: 3 },
      ),
      servers: fc.option(
        fc.dictionary(
          name.filter((key) => key !== '__proto__'),
          fc.record({ command: fc.string() }),
          { maxKeys: 4 },
        ),
        { nil: undefined },
      ),
      indent: fc.constantFrom('', '\t', '  ', '    '),
      eol: fc.constantFrom('\n', '\r\n'),
      bom: fc.boolean(),
    });
    fc.assert(
      fc.property(files, ({ before, servers, indent, eol, bom }) => {
        // Through JSON, which has no -0.
        const value = JSON.parse(JSON.stringify({ ...before, ...(servers ? { mcpServers: servers } : {}) }));
        const text = `${bom ? '\uFEFF' : ''}${JSON.stringify(value, null, indent).replaceAll('\n', eol)}`;
        const after = json(text);
        expect(JSON.parse(after.replace('\uFEFF', ''))).toEqual({ ...value, mcpServers: { bindery: { url: 'u' } } });
        expect(after.startsWith('\uFEFF')).toBe(bom);
      }),
      { numRuns: 500 },
    );
  });
});
