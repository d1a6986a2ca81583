import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NO_NAMES } from '../../src/host/connection/supervision/named-endpoint.ts';
import { GatewayAssembly } from '../../src/runtime/gateway-assembly.ts';
import { mcpEdge } from '../../src/runtime/http/mcp-edge.ts';

/** A gateway with one server, which reports its CPU time to the benchmark: `<home> <with audit> <port of the server>`. */
const [, , home = '', audits = 'true'] = process.argv;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const runtime = new GatewayAssembly({
  dataDir: home,
  registryFile: `${home}/registry.db`,
  configDir: home,
  configFile: `${home}/config.json`,
  projectDir: home,
  policyFile: undefined,
  trustProject: true,
  exposure: undefined,
  node: 'local',
  env: process.env,
  version: '0',
  clock: { now: Date.now },
  random: { bytes: (length) => randomBytes(length) },
  log: quiet,
  names: NO_NAMES,
  builtins: [],
});
await runtime.start();
if (audits === 'false') {
  // The rest is the cost of a call without records: no entry, no masking.
  const ports = runtime.gateway.ports as { audit: object; redactor: object };
  ports.audit = { append: () => Promise.resolve() };
  const plain = { text: (text: string) => text, value: (value: unknown) => value };
  ports.redactor = { ...plain, of: () => plain };
}
const edge = mcpEdge(runtime, { authenticate: () => ({ name: 'local' }), acceptsHost: () => true });
const server = createServer((request, response) => edge(request, response, 'default'));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send?.({ all: process.cpuUsage(), loop: process.threadCpuUsage() }));
process.on('disconnect', () => process.exit());
