import { EMPTY_CATALOGUE } from '../../src/host/connection/catalogue.ts';
import { connectServer } from '../../src/host/connection/connect-server.ts';
import { listCatalogue } from '../../src/host/connection/list-catalogue.ts';
import type { HttpSpec } from '../../src/host/connection/server-spec.ts';
import type { Upstream } from '../../src/host/connection/upstream.ts';
import { Guard } from '../../src/host/transports/guard.ts';
import { createHttpPool } from '../../src/host/transports/http-pool.ts';
import { isObject, type JsonObject } from '../../src/wire/json.ts';

/** The client that the conformance suite starts: uses everything that the scenario's server offers, as a host would. */
const url = process.argv.at(-1) as string;
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context: JsonObject = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const version = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? '2025-11-25';

const spec: HttpSpec = { id: 'conformance', transport: 'http', url, requestTimeoutMs: 10_000 };

const upstream = await connectServer(
  spec,
  {
    client: {
      info: { name: 'bindery-conformance', version: '0.1.0' },
      callbacks: {
        elicitation: { form: async () => ({ action: 'accept', content: {} }) },
        roots: async () => ({ roots: [] }),
      },
    },
    dispatcher: createHttpPool(),
    environment: {},
    guard: new Guard(),
    redact: (text) => text,
    authorizerFor: () => undefined,
  },
  { remembered: version >= '2026' ? '2026' : '2025' },
);

await use(upstream);
await upstream.close();
process.exit(0);

async function use(server: Upstream): Promise<void> {
  const { catalogue } = await listCatalogue(server, EMPTY_CATALOGUE, Date.now());
  const calls = Array.isArray(context.toolCalls)
    ? context.toolCalls.filter(isObject)
    : catalogue.tools.map((tool) => ({ name: tool.name, arguments: exampleOf(tool.inputSchema) }));
  for (const call of calls) await server.request({ method: 'tools/call', params: call });
  for (const { uri } of catalogue.resources) await server.request({ method: 'resources/read', params: { uri } });
  for (const { name } of catalogue.prompts) await server.request({ method: 'prompts/get', params: { name } });
  // Two calls of one multi-round tool at once must not mix their states.
  if (scenario.includes('request-state')) {
    await Promise.all(calls.map((call) => server.request({ method: 'tools/call', params: call })));
  }
}

/** Arguments that fit a simple schema. */
function exampleOf(schema: unknown): JsonObject {
  if (!isObject(schema) || !isObject(schema.properties)) return {};
  const examples: Record<string, unknown> = { string: 'example', integer: 7, number: 7, boolean: true };
  return Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => [
      name,
      isObject(property) ? (examples[String(property.type)] ?? {}) : {},
    ]),
  );
}
