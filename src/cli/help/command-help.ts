/** Help of a command besides that of its operation. */
export interface CommandHelp {
  /** Command lines that work as written, except for the names in them. */
  readonly examples: readonly string[];
  /** The column headings of the command's list. */
  readonly columns?: readonly string[];
}

/** The purpose of each group of commands. */
export const GROUPS: Readonly<Record<string, string>> = {
  bind: 'Names for MCP servers: resolve, check and publish ai:// names.',
  civic: 'A public corpus: build it, check it, review what was submitted.',
  config: 'Settings of config.json: what holds, where it comes from, who may set it.',
  mcp: 'MCP servers: add, list, test and remove them, and sign in to them.',
  'mcp auth': 'Tokens for HTTP servers: sign in, store, list and delete.',
  tools: 'Tools of all servers: find, call, list, and accept changed ones.',
  approvals: 'Calls that wait for a person: list, show, approve and deny.',
  policy: 'Rules on what may be called: check a call, check a file, reload.',
  audit: 'The audit log: what was called, by whom, and whether it is intact.',
  keys: 'API keys for clients of the gateway: create, list and revoke.',
  demo: 'Servers to try things with.',
  catalog: 'MCP servers to start from: find, look at and add well-known ones.',
  backup: 'Copies of the data directory: create and restore.',
};

const AUDIT_COLUMNS = ['TIME', 'OUTCOME', 'CALL', 'CALLER', 'TOOK', 'CALL ID'];
const TOOL_COLUMNS = ['NAME', 'SERVER', 'TOKENS', 'POLICY', 'STATUS'];

const HELP: Readonly<Record<string, CommandHelp>> = {
  up: { examples: ['bindery up', 'bindery up --port 8080 --policy policy.json'] },
  stop: { examples: ['bindery stop'] },
  stdio: { examples: ['bindery stdio', 'bindery stdio --profile work'] },
  completion: { examples: ['bindery completion bash', 'bindery completion zsh', 'bindery completion fish'] },
  console: { examples: ['bindery console', 'bindery console --no-open'] },
  'demo oauth': { examples: ['bindery demo oauth'] },
  shell: { examples: ['bindery shell'] },
  'context build': { examples: ['bindery context build --sources docs --cache caches/docs'] },
  'context resolve': {
    examples: ['bindery context resolve --cache caches/docs --query approvals --budget 400'],
  },
  'context inspect': { examples: ['bindery context inspect --cache caches/docs'] },
  'context verify': { examples: ['bindery context verify --cache caches/docs'] },
  'context search': {
    examples: ['bindery context search --cache caches/docs --query approvals --budget 400'],
  },
  'context serve': { examples: ['bindery context serve --root caches'] },
  'bind resolve': { examples: ['bindery bind resolve ai://sentinel --zones zones'] },
  'bind explain': { examples: ['bindery bind explain ai://sentinel --zones zones'] },
  'bind verify': { examples: ['bindery bind verify descriptor.json --key ed25519:KEY'] },
  'bind lint': { examples: ['bindery bind lint --zones zones'] },
  'bind put': { examples: ['bindery bind put zone.json --zones zones'] },
  'bind import': { examples: ['bindery bind import zone.json --zones zones'] },
  'bind export': { examples: ['bindery bind export sentinel --zones zones'] },
  'bind import-registry': { examples: ['bindery bind import-registry registry.json --zones zones'] },
  'civic check': { examples: ['bindery civic check corpus'] },
  'civic build': { examples: ['bindery civic build corpus'] },
  'civic export': { examples: ['bindery civic export corpus --to public'] },
  'civic site': { examples: ['bindery civic site corpus --out public'] },
  'civic form-check': { examples: ['bindery civic form-check --corpus corpus'] },
  'civic queue': { examples: ['bindery civic queue'] },
  'civic show': { examples: ['bindery civic show QUEUE_ID', 'bindery civic show SUBMISSION_ID'] },
  'civic claim': { examples: ['bindery civic claim QUEUE_ID --by Ann'] },
  'civic review': { examples: ['bindery civic review QUEUE_ID accept --reason "Thank you."'] },
  'civic decide': { examples: ['bindery civic decide reject QUEUE_ID QUEUE_ID --reason "Advertising."'] },
  'civic undo': { examples: ['bindery civic undo QUEUE_ID'] },
  'civic merges': { examples: ['bindery civic merges'] },
  'civic revert': { examples: ['bindery civic revert SUBMISSION_ID'] },
  'civic take-down': { examples: ['bindery civic take-down CONCERN_ID'] },
  'civic erase': { examples: ['bindery civic erase SUBMISSION_ID'] },
  'civic replay': { examples: ['bindery civic replay'] },
  'mcp add': {
    examples: [
      'bindery mcp add memory -- npx -y @modelcontextprotocol/server-memory',
      'bindery mcp add files -- npx -y @modelcontextprotocol/server-filesystem .',
      'bindery mcp add notes --env LOG=info -- node notes.js',
      'bindery mcp add docs https://example.com/mcp --header "X-Team: tools"',
    ],
  },
  'config explain': { examples: ['bindery config explain', 'bindery config explain gateway.exposure'] },
  'mcp list': { examples: ['bindery mcp list'], columns: ['ID', 'TRANSPORT', 'SOURCE', 'ENABLED', 'PROBLEM'] },
  'mcp remove': { examples: ['bindery mcp remove memory'] },
  'mcp enable': { examples: ['bindery mcp enable memory'] },
  'mcp disable': { examples: ['bindery mcp disable memory'] },
  'mcp test': { examples: ['bindery mcp test memory'] },
  'mcp status': {
    examples: ['bindery mcp status', 'bindery mcp status memory'],
    columns: ['ID', 'TRANSPORT', 'SOURCE', 'ENABLED', 'STATE', 'TOOLS', 'REASON'],
  },
  'mcp logs': { examples: ['bindery mcp logs memory'] },
  'mcp reconnect': { examples: ['bindery mcp reconnect memory'] },
  'mcp trust': {
    examples: ['bindery mcp trust --list', 'bindery mcp trust memory'],
    columns: ['ID', 'TRUST', 'STARTS'],
  },
  'mcp auth list': { examples: ['bindery mcp auth list'], columns: ['SERVER', 'REFRESH', 'EXPIRES'] },
  'mcp auth set': {
    examples: ['bindery mcp auth set docs', 'bindery mcp auth set docs --access-token-file token.txt'],
  },
  'mcp auth clear': { examples: ['bindery mcp auth clear docs'] },
  'mcp auth login': { examples: ['bindery mcp auth login docs'] },
  'tools name': { examples: ['bindery tools name memory read_graph'] },
  'tools list': { examples: ['bindery tools list', 'bindery tools list --server memory'], columns: TOOL_COLUMNS },
  'tools changes': { examples: ['bindery tools changes'] },
  'tools history': { examples: ['bindery tools history memory'] },
  'tools accept': { examples: ['bindery tools accept memory', 'bindery tools accept memory read_graph'] },
  'tools reject': { examples: ['bindery tools reject memory'] },
  'tools find': {
    examples: ['bindery tools find "write a text file"'],
    columns: ['NAME', 'SCORE', 'WHY', 'DESCRIPTION'],
  },
  'tools call': { examples: ['bindery tools call memory__search_nodes --args \'{"query":"Ada"}\''] },
  'tools cost': { examples: ['bindery tools cost'] },
  'tools semantic': { examples: ['bindery tools semantic on'] },
  'approvals list': {
    examples: ['bindery approvals list', 'bindery approvals list --status pending'],
    columns: ['ID', 'STATUS', 'CALL', 'CALLER', 'CREATED'],
  },
  'approvals show': { examples: ['bindery approvals show APPROVAL_ID'] },
  'approvals approve': { examples: ['bindery approvals approve APPROVAL_ID'] },
  'approvals deny': { examples: ['bindery approvals deny APPROVAL_ID --reason "not on a Friday"'] },
  'approvals remembered': {
    examples: ['bindery approvals remembered'],
    columns: ['ID', 'TOOL', 'CALLER', 'SCOPE', 'UNTIL'],
  },
  'approvals revoke': { examples: ['bindery approvals revoke REMEMBERED_ID'] },
  'approvals watch': { examples: ['bindery approvals watch'] },
  nodes: { examples: ['bindery nodes'] },
  'policy check': { examples: ['bindery policy check files write_file --args \'{"path":"notes.txt"}\''] },
  'policy lint': { examples: ['bindery policy lint', 'bindery policy lint policy.json'] },
  'policy reload': { examples: ['bindery policy reload'], columns: ['LAYER', 'STATUS', 'FILE'] },
  'audit search': { examples: ['bindery audit search --server files --limit 20'], columns: AUDIT_COLUMNS },
  'audit summary': { examples: ['bindery audit summary'] },
  'audit export': { examples: ['bindery audit export'] },
  'audit tail': { examples: ['bindery audit tail', 'bindery audit tail --follow'], columns: AUDIT_COLUMNS },
  'audit verify': { examples: ['bindery audit verify'] },
  'audit raw': { examples: ['bindery audit raw CALL_ID'] },
  'catalog search': {
    examples: ['bindery catalog search database', 'bindery catalog search --registry registry.json'],
    columns: ['NAME', 'TRANSPORT', 'LABELS', 'WHAT FOR'],
  },
  'catalog show': { examples: ['bindery catalog show filesystem'] },
  'catalog add': { examples: ['bindery catalog add memory', 'bindery catalog add filesystem --set folder=/srv/notes'] },
  init: {
    examples: ['bindery init', 'bindery init --yes --policy read-only --clients cursor --no-start'],
  },
  import: {
    examples: ['bindery import --dry-run', 'bindery import --from cursor --replace'],
    columns: ['', 'ACTION', 'SERVER', 'AS', 'REMARK'],
  },
  doctor: { examples: ['bindery doctor', 'bindery doctor --fix'] },
  connect: { examples: ['bindery connect cursor', 'bindery connect vscode --link', 'bindery connect codex --print'] },
  disconnect: { examples: ['bindery disconnect cursor'] },
  restore: { examples: ['bindery restore --dry-run', 'bindery restore'] },
  'keys create': { examples: ['bindery keys create laptop --expires 90d'] },
  'keys list': { examples: ['bindery keys list'], columns: ['ID', 'NAME', 'SCOPES', 'PROFILES', 'EXPIRES'] },
  'keys revoke': { examples: ['bindery keys revoke KEY_ID'] },
  'backup create': { examples: ['bindery backup create bindery.backup'] },
  'backup restore': { examples: ['bindery backup restore bindery.backup'] },
};

/** The help of a command; empty if none is written. */
export function helpOf(command: string): CommandHelp {
  return Object.hasOwn(HELP, command) ? (HELP[command] as CommandHelp) : { examples: [] };
}
