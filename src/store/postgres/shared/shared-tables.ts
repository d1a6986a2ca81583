/** A registry table that nodes share. */
export interface SharedTable {
  readonly table: string;
  readonly key: readonly string[];
  /** Shared columns; the others are local to each node. */
  readonly columns: readonly string[];
  /** Initial values of local columns in a row that another node created. */
  readonly own?: Readonly<Record<string, string>>;
  /** If set, only rows with this owner are shared. */
  readonly owner?: '';
  /** The column with the server's name, if rows belong to one registration of that name (`registration`). */
  readonly ofServer?: string;
  /** Whether a node changes its replica first and ships the change; other tables are changed in PostgreSQL first. */
  readonly isShipped: boolean;
}

const APPROVAL = ['status', 'caller', 'profile', 'server', 'tool', 'arguments_sha256', 'created_at', 'expires_at'];
const TOOL = ['server_name', 'description', 'parameters_schema', 'read_only', 'approval_required', 'original_name'];
const DEFINITION = [
  'title',
  'output_schema',
  'annotations',
  'tokens',
  'definition_sha256',
  'accepted_sha256',
  'status',
  'registration',
];

/**
 * Not shared: whether a server runs, which each node sees for itself, and tools offered to a single user, which belong to the node with the
 * user's credential.
 */
export const SHARED_TABLES: readonly SharedTable[] = [
  { table: 'approvals', key: ['id'], columns: [...APPROVAL, 'party', 'body', 'rounds', 'sealed'], isShipped: false },
  {
    table: 'remembered_approvals',
    key: ['caller', 'profile', 'server', 'tool', 'scope'],
    columns: ['expires_at', 'via', 'approval_id', 'decided_by', 'decided_at'],
    isShipped: false,
  },
  {
    table: 'api_keys',
    key: ['id'],
    columns: ['name', 'sha256', 'scopes', 'profiles', 'surfaces', 'created_at', 'expires_at', 'revoked_at'],
    isShipped: true,
  },
  {
    table: 'registered_servers',
    key: ['name'],
    columns: ['manifest', 'enabled', 'registered_by', 'registered_at'],
    isShipped: true,
  },
  {
    table: 'mcp_servers',
    key: ['name'],
    columns: ['container_name', 'endpoint', 'transport', 'capabilities', 'metadata', 'offer', 'registration'],
    own: { status: 'stopped' },
    ofServer: 'name',
    isShipped: true,
  },
  {
    table: 'tool_registry',
    key: ['tool_name', 'owner'],
    columns: [...TOOL, ...DEFINITION],
    owner: '',
    ofServer: 'server_name',
    isShipped: true,
  },
  {
    table: 'definitions_in_use',
    key: ['server', 'tool', 'owner'],
    columns: ['sha256', 'definition', 'registration'],
    owner: '',
    ofServer: 'server',
    isShipped: true,
  },
  {
    table: 'acceptances',
    key: ['server', 'registration', 'endpoint', 'tool', 'sha256'],
    columns: ['accepted_at'],
    ofServer: 'server',
    isShipped: true,
  },
];
