// biome-ignore-all lint/suspicious/noTemplateCurlyInString: clients write such placeholders.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLIENTS, type ClientId, FORMATS } from '../../src/gateway/import/client-formats.ts';
import { Transcript } from '../support/transcript.ts';

test('connect to a gateway that wants a credential writes an entry that works once its key exists, and no secret', async () => {
  const person = new Transcript(false);
  const { url, stop } = await person.serve('--token', 'secret-of-mine');
  try {
    const asked = async (authorization?: string) =>
      (await fetch(`${url}/mcp`, { headers: authorization ? { authorization } : {} })).status;
    await person.type('connect', 'cursor');
    const { mcpServers } = JSON.parse(readFileSync(join(person.home, '.cursor/mcp.json'), 'utf8'));
    expect(mcpServers.bindery).toEqual({
      url: `${url}/mcp`,
      headers: { Authorization: 'Bearer ${env:BINDERY_KEY}' },
    });
    // The lines that connect prints are the way to the key.
    expect(person.text).toContain('  export BINDERY_KEY="$(bindery keys create cursor)"\n');
    await person.type('keys', 'create', 'cursor', '--json');
    const [, key = ''] = /"key":"([^"]+)"/.exec(person.text) ?? [];
    expect([await asked(), await asked(`Bearer ${key}`)]).toEqual([401, expect.not.toBeOneOf([401, 403])]);
    await person.type('connect', 'codex', '--print');
    expect(person.text).toContain('bearer_token_env_var = "BINDERY_KEY"');
    // A program of this machine that Claude Desktop starts signs in by itself.
    const before = person.text.length;
    await person.type('connect', 'claude-desktop', '--print');
    expect(person.text.slice(before)).not.toContain('BINDERY_KEY');
    person.write('.gemini/settings.json', '{"mcpServers":{"notes":{"command":"notes"}}}');
    await person.type('import', '--from', 'gemini', '--replace', '--yes');
    expect(readFileSync(join(person.home, '.gemini/settings.json'), 'utf8')).toContain('Bearer ${BINDERY_KEY}');
    expect(person.text).toContain('  export BINDERY_KEY="$(bindery keys create NAME)"\n');
    expect(person.text).not.toContain('secret-of-mine');
  } finally {
    await stop();
    rmSync(person.home, { recursive: true, force: true });
  }
});

test('each client that sends requests refers to the key as it can read it', () => {
  const address = { url: 'http://h/mcp', command: 'node', args: ['bindery.js', 'stdio'], keyVariable: 'K' };
  const shown = (client: ClientId) =>
    /\$\{(?:env:)?K\}|"bearer_token_env_var":"K"/.exec(JSON.stringify(FORMATS[client].ownEntry(address)))?.[0];
  expect(Object.fromEntries(CLIENTS.map((client) => [client, shown(client)]))).toEqual({
    'claude-desktop': undefined,
    'claude-code': '${K}',
    cursor: '${env:K}',
    vscode: '${env:K}',
    codex: '"bearer_token_env_var":"K"',
    gemini: '${K}',
    windsurf: '${env:K}',
  });
});
