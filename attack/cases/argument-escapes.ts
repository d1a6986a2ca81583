import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { openSession } from '../../test/support/raw-client.ts';
import { untilKnown } from '../../test/support/running-bindery.ts';
import type { AttackCase, AttackTarget } from '../attack-case.ts';

/** Texts that some program opens outside of the folder `docs` of its working directory. */
const PATH_ESCAPES = [
  ...['secret.txt', '.env', '.', '', 'docs/../secret.txt', 'docs/../../x', 'docs-private/x', 'DOCS/../x'],
  ...['/etc/passwd', ' /etc/passwd', '\t/etc/passwd', '\u00a0/etc/passwd', '//etc/passwd', 'docs/a.md /etc/passwd'],
  ...['~', '~/x', '~root/x', '$HOME/x', '$9/etc/passwd', 'docs/$HOME', '%USERPROFILE%\\x'],
  ...[
    'docs/`id`',
    'docs/*/passwd',
    'docs/?ut/passwd',
    'docs/[o]ut/passwd',
    'docs/{out,x}/passwd',
    'docs/@(out)/passwd',
  ],
  ...['docs/%2a/x', 'docs/<(id)', 'docs/%USERPROFILE:~0,3%', 'docs/!HOME!', '{docs,/etc}/passwd'],
  ...['docs\\..\\..\\x', '..\\x', 'C:\\Windows\\x', '\\\\host\\share\\x', 'docs/.. /secret.txt'],
  ...['docs/%2e%2e/secret.txt', 'docs/%252e%252e/secret.txt', '%2fetc%2fpasswd', 'docs/a.md\0.png', 'docs/%00'],
  ...['file:///etc/passwd', 'FILE:/etc/passwd', 'file:etc/passwd', ' file:///etc/passwd', 'fi\tle:///etc/passwd'],
  ...['file://localhost/etc/passwd', 'file://host/etc/passwd', 'sqlite:////etc/x.db'],
  ...['docs/out/passwd', 'docs/out/../passwd', 'docs/dangling', 'docs/dangling/x', '/proc/self/cwd/docs/a.md'],
  ...['cat /etc/passwd', '--file=/etc/passwd', '@/etc/passwd', 'docs:/etc', 'read "~/x"'],
];

/** Texts in which some program reads another host than a.example. */
const URL_ESCAPES = [
  ...['https://evil.example', 'HTTPS://evil.example', 'https:evil.example', 'https:/evil.example', '//evil.example/x'],
  ...[
    'https:\\\\evil.example',
    '\\\\evil.example\\x',
    'ht\ntps://evil.example',
    ' https://evil.example',
    'wss:evil.example',
  ],
  ...['https://a.example@evil.example', 'https://a.example\\@evil.example', 'https://evil.example\\@a.example'],
  ...['https://evil.example#@a.example', 'https://a.example%2eevil.example', 'https://a.example".evil.example/'],
  ...['https://a\u3002example', 'https://\uff41.example', 'https://a.example.evil.example', 'https://a.example..'],
  ...['127.1', '0x7f.1', '0177.0.0.1', '::1', '[::1]:80', 'metadata:80', 'localhost', 'nc 10.0.0.1 22'],
  ...['http://[::1]/', 'http://2130706433/', 'http://0x7f.1/', 'http://[::ffff:127.0.0.1]/', 'http:///'],
  ...['evil.example/x', 'evil.example:80/x', 'localhost:8080/x', 'git@evil.example:x', 'see https://evil.example/x'],
  ...['jdbc:postgresql://evil.example/x', '<a href="//evil.example">', 'file:///etc/passwd', 'gopher://evil.example'],
];

/** Calls `write` with each text, as an argument and nested in one; none may reach the server. */
async function sendAll(
  { up, home, write, recordingServer }: AttackTarget,
  rules: object,
  texts: readonly string[],
  good: string,
) {
  const server = recordingServer();
  await home.writeConfig({ version: 1, mcp: { servers: { notes: { ...server.entry, cwd: home.cwd } } } });
  const allowlist = { servers: ['notes'], operations: { write: rules } };
  const policy = await write('policy.json', JSON.stringify({ version: '1.0', allowlist }));
  const bindery = await up('--policy', policy);
  await untilKnown(bindery, 'notes');
  const session = await openSession(bindery.mcpUrl);
  const call = async (args: object) =>
    JSON.stringify(await session.request('tools/call', { name: 'notes__write', arguments: args }));
  for (const text of texts) {
    for (const args of [{ text }, { list: [{ text: [text] }] }])
      assert.match(await call(args), /POLICY_DENIED/, JSON.stringify(args));
  }
  assert.deepEqual(await server.calls(), []);
  assert.doesNotMatch(await call({ text: good }), /POLICY_DENIED/);
  assert.equal((await server.calls()).length, 1);
}

export const attacks: readonly AttackCase[] = [
  {
    id: 'path-escapes',
    title: 'no text that some program opens outside of allowed_roots reaches the server',
    async run(target) {
      const { cwd } = target.home;
      await mkdir(join(cwd, 'docs'), { recursive: true });
      await symlink('/etc', join(cwd, 'docs', 'out'));
      await symlink('../../nowhere', join(cwd, 'docs', 'dangling'));
      await sendAll(target, { allowed_roots: ['./docs'] }, PATH_ESCAPES, 'docs/a.md');
    },
  },
  {
    id: 'url-escapes',
    title: 'no text in which some program reads a host outside of allowed_domains reaches the server',
    async run(target) {
      await sendAll(target, { allowed_domains: ['a.example'] }, URL_ESCAPES, 'https://a.example/x');
    },
  },
];
