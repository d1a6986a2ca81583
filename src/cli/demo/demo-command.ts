import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import type { Command } from 'commander';
import { z } from 'zod';
import { VERSION } from '../../runtime/version.ts';
import type { Terminal } from '../terminal.ts';
import { portOf } from '../up-settings.ts';
import { DemoIssuer } from './demo-issuer.ts';

/** `bindery demo oauth`: a server that requires a sign-in, and an issuer for it, on this machine. */
export function addDemoCommand(program: Command, terminal: Terminal): void {
  program
    .command('demo')
    .description('Servers to try things with.')
    .command('oauth')
    .description('Run an MCP server that needs a sign-in, and its authorization server, on this machine until Ctrl-C.')
    .option('--port <number>', 'port to listen on; 0 picks a free one', '7719')
    .action(async ({ port }: { readonly port: string }) => serveOAuthDemo(portOf(port), terminal));
}

async function serveOAuthDemo(port: number, terminal: Terminal): Promise<void> {
  let url = '';
  const issuer = new DemoIssuer(() => url, Date.now);
  const metadata = () => ({ resource: `${url}/mcp`, authorization_servers: [url], scopes_supported: ['demo'] });
  issuer.app.get('/.well-known/oauth-protected-resource/*', (context) => context.json(metadata()));
  issuer.app.all('/mcp', async (context): Promise<Response> => {
    const person = issuer.personOf(context.req.header('authorization'), `${url}/mcp`);
    if (person !== undefined) return createMcpHandler(() => demoServer(person)).fetch(context.req.raw);
    const challenge = `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource/mcp", scope="demo"`;
    return context.json({ error: 'invalid_token' }, 401, { 'www-authenticate': challenge });
  });
  const server = createAdaptorServer({ fetch: issuer.app.fetch });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await terminal.out(nextSteps(url));
  if (!terminal.signal.aborted) await once(terminal.signal, 'abort');
  server.close();
  if ('closeAllConnections' in server) server.closeAllConnections();
}

function demoServer(person: string): McpServer {
  const server = new McpServer({ name: 'demo', version: VERSION });
  const description = 'Say who is signed in to the demo server.';
  server.registerTool(
    'whoami',
    { description, inputSchema: z.object({}), annotations: { readOnlyHint: true } },
    async () => ({
      content: [{ type: 'text', text: `You are ${person}.` }],
    }),
  );
  return server;
}

function nextSteps(url: string): string {
  return `A demo server that wants a sign-in runs at ${url}/mcp

In a second terminal:
  bindery mcp add demo ${url}/mcp --scope global
  bindery mcp auth login demo      choose a person in the browser
  bindery mcp test demo
  bindery mcp auth clear demo      signs out
  bindery mcp remove demo --scope global

Tokens last five minutes and are renewed by themselves. Stop: Ctrl-C
`;
}
