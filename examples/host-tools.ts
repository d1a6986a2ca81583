// Connects to a real MCP server and uses what it offers: tools, resources, prompts.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { createHost } from 'mcp-bindery/host';

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

const host = createHost({
  servers: { everything: { transport: 'stdio', command: process.execPath, args: [everything] } },
  permissions: { allow: ['everything/*'] },
});

try {
  await host.connect();
  const tools = new Map(host.tools().map((tool) => [tool.origin?.tool ?? tool.name, tool]));

  const echo = await tools.get('echo')?.execute({ message: 'hello' });
  assert.equal(echo?.text, 'Echo: hello');

  const image = await tools.get('get-tiny-image')?.execute({});
  assert.ok(image?.parts.some((part) => part.type === 'image' && part.mimeType === 'image/png'));

  const resources = await tools.get('mcp_resources_list')?.execute({ server: 'everything' });
  assert.match(resources?.text ?? '', /demo:\/\/resource/);

  const prompt = await tools.get('mcp_prompt_get')?.execute({ server: 'everything', name: 'simple-prompt' });
  assert.match(prompt?.text ?? '', /^user:\n/);

  console.log(`ok: ${host.statusOf('everything')?.tools} tools, ${echo?.text}`);
} finally {
  await host.close();
}
