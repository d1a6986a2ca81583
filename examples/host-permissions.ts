// Lets a person decide what a file server may do: deny rules win, reading is allowed, the rest is asked about.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from 'mcp-bindery/host';

const filesystem = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
const folder = await realpath(await mkdtemp(join(tmpdir(), 'bindery-example-')));
const notes = join(folder, 'notes.txt');
await writeFile(notes, 'first line\n');

const asked: string[] = [];
const host = createHost({
  servers: { files: { transport: 'stdio', command: process.execPath, args: [filesystem, folder] } },
  permissions: { allow: ['files/read_*'], deny: ['files/move_file'] },
  prompt: async ({ server, tool, arguments: args }) => {
    asked.push(`${server}/${tool}`);
    const isNotes = (args as { path?: string }).path === notes;
    return isNotes ? { decision: 'allow', remember: 'once' } : { decision: 'deny', reason: 'only notes.txt' };
  },
});

try {
  await host.connect();
  const call = (name: string, args: Record<string, unknown>) =>
    host
      .tools()
      .find((tool) => tool.origin?.tool === name)
      ?.execute(args);

  assert.equal((await call('read_text_file', { path: notes }))?.text, 'first line\n');
  assert.equal((await call('write_file', { path: notes, content: 'second\n' }))?.isError, false);
  assert.equal(await readFile(notes, 'utf8'), 'second\n');

  const elsewhere = await call('write_file', { path: join(folder, 'other.txt'), content: '' });
  assert.deepEqual([elsewhere?.isError, elsewhere?.text], [true, 'Permission denied: only notes.txt']);

  const moved = await call('move_file', { source: notes, destination: join(folder, 'b.txt') });
  assert.equal(moved?.text, 'Permission denied: a rule of the config forbids it');
  assert.deepEqual(asked, ['files/write_file', 'files/write_file']);

  console.log(`ok: asked about ${asked.length} calls`);
} finally {
  await host.close();
  await rm(folder, { recursive: true });
}
