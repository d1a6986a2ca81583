import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../../src/contract/json.ts';
import { EMPTY_CATALOGUE, type ToolDefinition } from '../../src/host/connection/catalogue/catalogue.ts';
import { listCatalogue } from '../../src/host/connection/catalogue/list-catalogue.ts';
import { Semaphore } from '../../src/host/connection/pool/semaphore.ts';
import { connectServer } from '../../src/host/connection/supervision/connect-server.ts';
import type { HttpSpec } from '../../src/host/connection/supervision/server-set.ts';
import { OAuthAuthorizer, type OAuthPorts } from '../../src/host/oauth/oauth-authorizer.ts';
import { TokenStore } from '../../src/host/oauth/token-store.ts';
import { HttpPool } from '../../src/host/transports/http-pool.ts';
import { ProcessSpawner } from '../../src/host/transports/process-spawner.ts';
import { type Upstream, UpstreamError } from '../../src/wire/upstream.ts';

/** The client that the conformance suite starts: uses everything that the scenario's server offers, as a host would. */
const url = process.argv.at(-1) as string;
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context: JsonObject = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const version = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? '2025-11-25';

// The suite ends the shell around this program, not the program: it must not outlive its scenario.
setTimeout(() => process.exit(1), 125_000).unref();

const registered =
  typeof context.client_id === 'string' && typeof context.client_secret === 'string'
    ? { clientId: context.client_id, clientSecret: context.client_secret }
    : {};
const spec: HttpSpec = { id: 'conformance', transport: 'http', url, requestTimeoutMs: 10_000, oauth: registered };
const pool = new HttpPool();
const folder = await mkdtemp(join(tmpdir(), 'bindery-conformance-'));
const oauth: OAuthPorts = {
  store: new TokenStore(join(folder, 'mcp-auth.json')),
  dispatcher: pool.entry(spec),
  now: Date.now,
  log: { debug() {}, info() {}, warn() {}, error() {} },
  turns: new Semaphore(1),
  registration: {
    clientName: 'Bindery conformance client',
    clientMetadataUrl: () => 'https://conformance-test.local/client-metadata.json',
  },
  person: {
    // The scenario's authorization page redirects at once: opening it is the whole sign-in.
    present: async ({ authorizationUrl }) => {
      await (await fetch(authorizationUrl)).text();
    },
  },
};

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
    dispatcherFor: (one) => pool.entry(one),
    environment: {},
    spawner: new ProcessSpawner(),
    redact: (text) => text,
    authorizerFor: (entry, address) => new OAuthAuthorizer(entry.id, address, entry.oauth || {}, oauth),
  },
  { remembered: version >= '2026' ? '2026' : '2025' },
);

await use(upstream);
await upstream.close();
await rm(folder, { recursive: true });
process.exit(0);

async function use(server: Upstream): Promise<void> {
  const { catalogue } = await listCatalogue(server, EMPTY_CATALOGUE, Date.now());
  const calls = Array.isArray(context.toolCalls)
    ? context.toolCalls.filter(isObject)
    : catalogue.tools.map((tool) => ({ name: tool.name, arguments: exampleOf(tool.inputSchema) }));
  for (const call of calls) await callTool(server, withSchemas(call, catalogue.tools));
  for (const { uri } of catalogue.resources) await server.request({ method: 'resources/read', params: { uri } });
  for (const { name } of catalogue.prompts) await server.request({ method: 'prompts/get', params: { name } });
  // Two calls of one multi-round tool at once must not mix their states.
  if (scenario.includes('request-state')) {
    await Promise.all(calls.map((call) => callTool(server, call)));
  }
}

/** A tool that the server lists and then does not know is the server's affair: the host goes on. */
async function callTool(server: Upstream, params: JsonObject): Promise<void> {
  try {
    await server.request({ method: 'tools/call', params });
  } catch (thrown) {
    if (!(thrown instanceof UpstreamError) || thrown.kind !== 'rpc') throw thrown;
  }
}

/** The tool that asks what schema arrived here is told. */
function withSchemas(call: JsonObject, tools: readonly ToolDefinition[]): JsonObject {
  const args = call.arguments;
  return isObject(args) && isObject(args.schema) ? { ...call, arguments: { schema: tools[0]?.inputSchema } } : call;
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
