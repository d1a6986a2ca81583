/** `/mcp` is the default profile, `/mcp/<profile>` another; any other path is not the gateway's edge. */
export function mcpProfile(url: string): string | undefined {
  if (url === '/mcp') return 'default';
  const match = /^\/mcp(?:\/([^/?#]*))?\/?(?:[?#].*)?$/.exec(url);
  return match ? match[1] || 'default' : undefined;
}
