import { FORMATS, KEY_VARIABLE, OWN_ID, setKeyCommand } from '../../gateway/import/client-formats.ts';
import { escapeHtml, htmlPage } from '../../http/html.ts';
import type { ServedRoom } from '../up-settings.ts';
import { VERSION } from '../version.ts';

/** The page at `/`: what runs here, and what to try. */
export function startPage(served: readonly ServedRoom[], url: string, keyNeeded: boolean): string {
  const rooms = served.map(
    ({ bound }) => `<tr><td><b>${escapeHtml(bound.room.name)}</b></td><td>${escapeHtml(bound.room.summary)}</td></tr>`,
  );
  const header = keyNeeded ? `-H "Authorization: Bearer $${KEY_VARIABLE}" ` : '';
  const tries = served.flatMap((room) => room.tryNext()).map((line) => line.replace(/^curl /, () => `curl ${header}`));
  const address = { url: `${url}/mcp`, command: '', args: [], ...(keyNeeded ? { keyVariable: KEY_VARIABLE } : {}) };
  const snippet = JSON.stringify({ mcpServers: { [OWN_ID]: FORMATS['claude-code'].ownEntry(address) } }, null, 2);
  const key = `<h2>Make a key</h2>
<p>Callers need a key. Make one, and start your client from the same terminal.</p>
<pre><code>${escapeHtml(setKeyCommand('my-client', 'call,read'))}</code></pre>
`;
  return htmlPage(
    'Bindery',
    `<h1>Bindery</h1>
<p class="faint">The one MCP endpoint between an agent and everything it uses. Version ${escapeHtml(VERSION)}, serving ${escapeHtml(url)}.</p>
<h2>What runs</h2>
<table>${rooms.join('')}</table>
${keyNeeded ? key : ''}<h2>Try</h2>
<pre><code>${escapeHtml(tries.join('\n'))}</code></pre>
<h2>${keyNeeded ? 'In Claude Code' : 'In an MCP client'}</h2>
<pre><code>${escapeHtml(snippet)}</code></pre>
${keyNeeded ? '<p>For other clients: <code>bindery connect CLIENT --print</code></p>\n' : ''}<p><a href="/docs/">Documentation</a> · <a href="/reference">Reference</a> · <a href="/openapi.json">OpenAPI</a></p>`,
  );
}
