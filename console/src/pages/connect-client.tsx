import { useState } from 'preact/hooks';
import { session } from '../data/live.ts';
import { CopyButton } from '../parts/basics.tsx';
import { t } from '../texts.ts';

/** How each client is told of one endpoint. */
const CLIENTS: readonly { readonly name: string; readonly snippet: (url: string) => string }[] = [
  { name: 'Claude Code', snippet: (url) => `claude mcp add --transport http bindery ${url}` },
  {
    name: 'Claude Desktop',
    snippet: () => json({ mcpServers: { bindery: { command: 'npx', args: ['-y', 'mcp-bindery', 'stdio'] } } }),
  },
  { name: 'Cursor', snippet: (url) => json({ mcpServers: { bindery: { url } } }) },
  { name: 'VS Code', snippet: (url) => json({ servers: { bindery: { type: 'http', url } } }) },
  { name: 'Codex', snippet: (url) => `[mcp_servers.bindery]\nurl = "${url}"` },
  { name: 'Gemini CLI', snippet: (url) => json({ mcpServers: { bindery: { httpUrl: url } } }) },
];

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

export function ConnectClient() {
  const [at, setAt] = useState(0);
  const client = CLIENTS[at] ?? CLIENTS[0];
  const text = client?.snippet(`${session.value?.url ?? location.origin}/mcp`) ?? '';
  return (
    <section class="connect">
      <h2>{t.connect.title}</h2>
      <p class="faint">{t.connect.text}</p>
      <div class="segmented wrap" role="group" aria-label={t.connect.client}>
        {CLIENTS.map(({ name }, index) => (
          <button key={name} type="button" aria-pressed={index === at} onClick={() => setAt(index)}>
            {name}
          </button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre tabIndex={0} role="region" aria-label={client?.name}>
        {text}
      </pre>
      <CopyButton text={text} />
    </section>
  );
}
