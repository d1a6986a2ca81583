import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callTool, untilListed } from '../support/call-tool.ts';
import { openCommandHome } from '../support/command-home.ts';
import { requestModern } from '../support/raw-client.ts';
import { root } from '../support/repository.ts';
import { startBindery } from '../support/running-bindery.ts';
import { startCollector } from '../support/span-collector.ts';

/** Where each secret was planted. */
const SECRETS = {
  environment: 'env-planted-secret-1111',
  argument: 'arg-planted-secret-2222',
  header: 'header-planted-secret-3333',
  urlPassword: 'url-planted-password-4444',
  urlQuery: 'url-planted-query-5555',
  callArgument: 'call-planted-secret-6666',
  callBearer: 'call-planted-bearer-7777',
  callUrl: 'call-planted-url-8888',
  callHeader: 'callheader-planted-secret-9999',
  stderr: 'stderr-bearer-secret-4242',
  policyless: 'denied-planted-secret-1212',
  uri: 'uri-planted-secret-3434',
  query: 'query-planted-secret-5656',
  collector: 'collector-planted-secret-7878',
};

test('secrets in arguments, headers, URLs, environment and server output appear in nothing that is written or shown [gateway:U8] [gateway:E1]', async () => {
  const home = openCommandHome();
  const echoing = createServer((request, response) => {
    response.writeHead(500).end(`no: ${JSON.stringify(request.headers)} ${request.url}`);
  }).listen(0, '127.0.0.1');
  await once(echoing, 'listening');
  const { port } = echoing.address() as AddressInfo;
  const leaky = {
    transport: 'stdio',
    command: process.execPath,
    args: [join(root, 'test/fixtures/servers/leaky-server.ts'), '--token', SECRETS.argument],
    env: { LEAKY_API_KEY: SECRETS.environment },
  };
  const web = {
    transport: 'http',
    url: `http://user:${SECRETS.urlPassword}@127.0.0.1:${port}/mcp?api_key=${SECRETS.urlQuery}`,
    headers: { 'X-Auth-Token': SECRETS.header },
  };
  home.write(
    '.bindery/config.json',
    JSON.stringify({ version: 1, mcp: { servers: { leaky, web } }, gateway: { approval: { wait_ms: 300 } } }),
  );
  home.write(
    'project_mcp.json',
    JSON.stringify({
      allowlist: {
        servers: ['leaky', 'web'],
        tools: { leaky: ['say', 'refuse', 'die'] },
        operations: { refuse: { approval_required: true } },
      },
    }),
  );
  const collector = await startCollector();
  const bindery = await startBindery({
    ...home,
    env: {
      ...home.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${SECRETS.collector}`,
    },
  });
  const shown: unknown[] = [];
  const events = collectEvents(bindery.url);
  try {
    await untilListed(bindery.url, 'leaky__say', {});
    const args = {
      password: SECRETS.callArgument,
      note: `Authorization: Bearer ${SECRETS.callBearer}`,
      link: `https://me:${SECRETS.callUrl}@example.com/?token=${SECRETS.callUrl}`,
      nested: [{ 'api-key': SECRETS.callArgument, text: `known ${SECRETS.environment}` }],
      inner: JSON.stringify({ client_secret: SECRETS.callArgument }),
    };
    const headers = { authorization: `Bearer ${SECRETS.callHeader}`, cookie: `session=${SECRETS.callHeader}` };
    // What a server answers is the caller's, and passes; what the gateway says of a failure is not.
    await callTool(bindery.url, 'leaky__say', args, { headers });
    shown.push(await callTool(bindery.url, 'leaky__die', args, { headers }));
    shown.push(await callTool(bindery.url, 'leaky__gone', { password: SECRETS.policyless }, { headers }));
    await callTool(bindery.url, `leaky__gone?token=${SECRETS.policyless}`, {}, { headers });
    await callTool(bindery.url, 'find_tools', { query: `Bearer ${SECRETS.query}` }, { headers });
    const uri = `https://me:${SECRETS.uri}@example.com/?api_key=${SECRETS.uri}`;
    await requestModern(`${bindery.url}/mcp`, 'resources/read', { uri }, { headers });
    const asked = callTool(bindery.url, 'leaky__refuse', args, {
      headers,
      capabilities: { elicitation: { form: {} } },
    });
    shown.push(await asked);
    for (const path of [
      '/v1/servers',
      '/v1/servers/leaky',
      '/v1/servers/web',
      '/v1/tools',
      '/v1/approvals',
      '/v1/audit',
      '/v1/audit/export',
      '/v1/policy',
      '/metrics',
      '/readyz',
      '/nothing',
    ]) {
      shown.push(await (await fetch(`${bindery.url}${path}`)).text());
    }
    shown.push((await bindery.api('POST', '/v1/servers/web/reconnect', {})).body);
    for (const command of [
      ['audit', 'tail'],
      ['audit', 'export'],
      ['approvals', 'list', '--json'],
      ['mcp', 'status', '--json'],
      ['mcp', 'list', '--json'],
      ['mcp', 'logs', 'leaky'],
    ]) {
      const { stdout, stderr } = await home.run(...command);
      shown.push(stdout, stderr);
    }
  } finally {
    await bindery.stop();
    echoing.close();
    echoing.closeAllConnections();
    collector.close();
  }
  expect(collector.received[0]?.headers.authorization).toBe(`Bearer ${SECRETS.collector}`);
  const everything = [
    bindery.stderr(),
    JSON.stringify(shown),
    await events,
    JSON.stringify(collector.spans()),
    ...filesOf(home.dataDir)
      .filter((file) => !file.endsWith('config.json'))
      .map((file) => readFileSync(file, 'latin1')),
  ].join('\n');
  const found = Object.entries(SECRETS).filter(
    ([, secret]) => everything.includes(secret) || everything.includes(encodeURIComponent(secret)),
  );
  expect(found).toEqual([]);
  // The search above has something to search in: each part was really written.
  expect([
    everything.includes('approval_required'),
    everything.includes('***'),
    everything.includes('leaky__die'),
    everything.includes('unknown_resource'),
    collector.spans().length > 5,
  ]).toEqual([true, true, true, true, true]);
});

async function collectEvents(url: string): Promise<string> {
  let text = '';
  try {
    const response = await fetch(`${url}/v1/events`);
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array, { stream: true });
  } catch {
    // The stream ends with the gateway.
  }
  return text;
}

function filesOf(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    return statSync(path).isDirectory() ? filesOf(path) : [path];
  });
}
