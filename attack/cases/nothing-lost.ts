import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSession } from '../../test/support/raw-client.ts';
import { documentationSet } from '../../test/support/realistic/documentation-set.ts';
import { toolSet } from '../../test/support/realistic/tool-set.ts';
import { untilKnown } from '../../test/support/running-bindery.ts';
import type { AttackCase } from '../attack-case.ts';

interface Listed {
  readonly id: string;
  readonly version: string;
  readonly file: string;
}

/** The number of documents in the manifest of a cache, and those whose file does not have them. */
async function lostDocuments(cache: string): Promise<{ listed: number; lost: string[] }> {
  const { documents } = JSON.parse(await readFile(join(cache, 'manifest.json'), 'utf8')) as { documents: Listed[] };
  const lost: string[] = [];
  for (const { id, version, file } of documents) {
    const text = await readFile(join(cache, file), 'utf8').catch(() => '{}');
    const { content = '' } = JSON.parse(text) as { content?: string };
    const isKept = text !== '{}' && version === `sha256:${createHash('sha256').update(content).digest('hex')}`;
    if (!isKept) lost.push(id);
  }
  return { listed: documents.length, lost };
}

export const attacks: readonly AttackCase[] = [
  {
    id: 'build-loses-documents',
    title: 'a build of pages of real sizes keeps every one of them',
    async run({ command, write, home }) {
      const pages = documentationSet(21, 300);
      for (const { path, content } of pages) await write(`pages/${path}`, content);
      const cache = join(home.dir, 'cache');
      const built = await command(['context', 'build', '--sources', join(home.dir, 'pages'), '--cache', cache]);
      assert.equal(built.exitCode, 0, built.stderr);
      assert.deepEqual(await lostDocuments(cache), { listed: pages.length, lost: [] });
      assert.equal((await readdir(join(cache, 'documents'))).length, pages.length);
      const verified = await command(['context', 'verify', '--cache', cache]);
      assert.equal(verified.exitCode, 0, verified.stdout);
    },
  },
  {
    id: 'patterns-mixed',
    title: 'call_tool judges each pattern of a schema by itself: what fits arrives, what does not is not sent',
    async run({ up, home, recordingServer }) {
      const tools = toolSet(22, 20);
      const server = recordingServer({ tools: tools.map(({ good: _, bad: __, ...definition }) => definition) });
      await home.writeConfig({ version: 1, mcp: { servers: { shop: server.entry } } });
      const bindery = await up();
      await untilKnown(bindery, 'shop');
      const session = await openSession(bindery.mcpUrl);
      const call = async (tool: string, args: object) =>
        JSON.stringify(
          await session.request('tools/call', {
            name: 'call_tool',
            arguments: { name: `shop__${tool}`, arguments: args },
          }),
        );
      for (const { name, good } of tools) {
        for (const args of good) assert.doesNotMatch(await call(name, args), /INVALID_ARGUMENTS/);
      }
      const arrived = (await server.calls()).length;
      assert.equal(arrived, tools.flatMap(({ good }) => good).length);
      for (const { name, bad } of tools) assert.match(await call(name, bad[0]?.arguments ?? {}), /INVALID_ARGUMENTS/);
      assert.equal((await server.calls()).length, arrived);
    },
  },
];
