/** The output of `bindery` alone: the few commands that a person needs first. */
export const SHORT_HELP = `Bindery: one MCP endpoint for all your MCP servers.

Start
  bindery init                   set up servers, policy, gateway and clients
  bindery import                 copy the servers of your MCP clients to Bindery
  bindery mcp add NAME -- CMD    add a server that a command starts
  bindery mcp add NAME URL       add a server at an address
  bindery connect CLIENT         add Bindery to claude-code, cursor, vscode, …
  bindery up                     start the gateway on http://127.0.0.1:7717
  bindery stop                   stop it, wherever it was started
  bindery restore                undo init, import and connect

Look
  bindery doctor                 what is wrong with this set-up, and the remedy
  bindery mcp status             the state of each server
  bindery tools find "a task"    the tools for a task
  bindery approvals list         the calls that wait for your approval
  bindery audit tail             the calls that were made

All commands: bindery --help     One command: bindery help mcp add
`;
