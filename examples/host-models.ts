// Gives the tools of a server to models: the forms of OpenAI, Anthropic and the AI SDK, and the way back for results.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aiSdkTools, anthropicResult, anthropicTools, createHost, openAiResult, openAiTools } from 'mcp-bindery/host';

const memory = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js');
const folder = await mkdtemp(join(tmpdir(), 'bindery-example-'));
const env = { MEMORY_FILE_PATH: join(folder, 'memory.json') };

const host = createHost({
  servers: { memory: { transport: 'stdio', command: process.execPath, args: [memory], env } },
  mode: 'full-access',
});

try {
  await host.connect();
  const tools = host.tools();

  // What goes into the request to the model.
  const openAi = openAiTools(tools);
  const anthropic = anthropicTools(tools);
  assert.ok(
    openAi.every(({ function: { name, parameters } }) => /^\w{1,63}$/.test(name) && parameters.type === 'object'),
  );
  assert.deepEqual(
    anthropic.map(({ name }) => name),
    openAi.map((tool) => tool.function.name),
  );

  // What the model asks for, and what goes back.
  const create = tools.find((tool) => tool.origin?.tool === 'create_entities');
  assert.ok(create);
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }];
  const result = await create.execute({ entities });
  assert.equal(anthropicResult('toolu_1', result).is_error, false);
  assert.match(openAiResult('call_1', result).content, /Ada/);

  // The AI SDK calls by itself.
  const read = tools.find((tool) => tool.origin?.tool === 'read_graph');
  const graph = await aiSdkTools(tools)[read?.name ?? '']?.execute({}, {});
  assert.match(graph?.text ?? '', /wrote the first program/);

  console.log(`ok: ${openAi.length} tools`);
} finally {
  await host.close();
  await rm(folder, { recursive: true });
}
