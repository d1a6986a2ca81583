import type { ClientId } from './client-formats.ts';

export interface Machine {
  /** Node's name of the platform: `linux`, `darwin`, `win32`. */
  readonly platform: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The file with a client's user-level servers. Not a project's file: that came with the project, and the global config would trust its
 * servers. `--from file` accepts one.
 */
export function clientPlace(client: ClientId, machine: Machine): string {
  const { home, env } = machine;
  switch (client) {
    case 'claude-desktop':
      return `${applicationData(machine)}/Claude/claude_desktop_config.json`;
    case 'claude-code':
      return env.CLAUDE_CONFIG_DIR ? `${env.CLAUDE_CONFIG_DIR}/.claude.json` : `${home}/.claude.json`;
    case 'cursor':
      return `${home}/.cursor/mcp.json`;
    case 'vscode':
      return `${applicationData(machine)}/Code/User/mcp.json`;
    case 'codex':
      return `${env.CODEX_HOME || `${home}/.codex`}/config.toml`;
    case 'gemini':
      return `${home}/.gemini/settings.json`;
    case 'windsurf':
      return `${home}/.codeium/windsurf/mcp_config.json`;
  }
}

function applicationData({ platform, home, env }: Machine): string {
  if (platform === 'darwin') return `${home}/Library/Application Support`;
  if (platform === 'win32') return env.APPDATA || `${home}/AppData/Roaming`;
  return env.XDG_CONFIG_HOME || `${home}/.config`;
}
