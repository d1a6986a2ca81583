import { escapeHtml, htmlPage } from '../../http/html.ts';
import type { ServedRoom } from '../up-settings.ts';
import { VERSION } from '../version.ts';

/** The page at `/`: what runs here, and what to try. */
export function startPage(served: readonly ServedRoom[], url: string): string {
  const rooms = served.map(
    ({ bound }) => `<tr><td><b>${escapeHtml(bound.room.name)}</b></td><td>${escapeHtml(bound.room.summary)}</td></tr>`,
  );
  const tries = served.flatMap((room) => room.tryNext());
  const snippet = JSON.stringify({ mcpServers: { bindery: { type: 'http', url: `${url}/mcp` } } }, null, 2);
  return htmlPage(
    'Bindery',
    `<h1>Bindery</h1>
<p class="faint">The one MCP endpoint between an agent and everything it uses. Version ${escapeHtml(VERSION)}, serving ${escapeHtml(url)}.</p>
<h2>What runs</h2>
<table>${rooms.join('')}</table>
<h2>Try</h2>
<pre><code>${escapeHtml(tries.join('\n'))}</code></pre>
<h2>In an MCP client</h2>
<pre><code>${escapeHtml(snippet)}</code></pre>
<p><a href="/docs/">Documentation</a> · <a href="/reference">Reference</a> · <a href="/openapi.json">OpenAPI</a></p>`,
  );
}
