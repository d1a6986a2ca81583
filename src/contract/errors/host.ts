import type { ErrorRow } from './error-row.ts';

/** Errors of the room `host`. */
export const hostErrors = {
  SERVER_EXISTS: {
    title: 'The server is configured already',
    http: 409,
    exit: 1,
    next: 'Choose another id, or overwrite the entry with --replace.',
  },
  SERVER_NOT_FOUND: {
    title: 'There is no such server',
    http: 404,
    exit: 1,
    next: '`bindery mcp list` shows what is configured.',
  },
  SERVER_INVALID: {
    title: 'The server entry is not valid',
    http: 422,
    exit: 1,
    next: 'Correct what the detail names. Nothing was written or started.',
  },
  SERVER_REQUIRED: {
    title: 'A required server is not ready',
    http: 503,
    exit: 1,
    next: 'Run `bindery mcp test <id>` to see why, or remove `required` from its entry.',
  },
  CONFIG_INVALID: {
    title: 'The config file cannot be used',
    http: 422,
    exit: 1,
    next: 'Correct the file at the place that the detail names. Nothing was written.',
  },
  CONFIG_VERSION: {
    title: 'The config file has an unknown version',
    http: 422,
    exit: 1,
    next: 'Use a newer Bindery, or set "version": 1.',
  },
  CONFIG_UNWRITABLE: {
    title: 'The file cannot be written',
    http: 500,
    exit: 1,
    next: 'Check that you can write the folder and the file, and that the disk has free space.',
  },
  CONFIG_BUSY: {
    title: 'Another process is writing the file',
    http: 503,
    exit: 1,
    next: 'Try again in a moment.',
  },
  GATEWAY_NOT_RUNNING: {
    title: 'No gateway is running with this data directory',
    http: 503,
    exit: 1,
    next: 'Start one with `bindery up`.',
  },
  GATEWAY_REFUSED: {
    title: 'The running gateway refused the request',
    http: 502,
    exit: 1,
    next: 'See the detail. `bindery mcp status` shows the servers that the gateway knows.',
  },
  IDENTITY_UNRESOLVED: {
    title: 'The ai:// name could not be resolved',
    http: 502,
    exit: 1,
    next: 'Check the name with `bindery bind explain`, or give the server a url.',
  },
  PERMISSION_DENIED: {
    title: 'Permission denied',
    http: 403,
    exit: 1,
    next: 'Allow the call when asked, or add a rule to `permissions.allow` of the config.',
  },
  OUTPUT_NOT_FOUND: {
    title: 'There is no stored output with this reference',
    http: 404,
    exit: 1,
    next: 'Use the reference exactly as in the tool result. Old outputs are deleted; call the tool again to get a new one.',
  },
  SERVER_UNREADY: {
    title: 'The server could not be connected',
    http: 502,
    exit: 1,
    next: 'See the detail. Check the command or the URL with `bindery mcp list`.',
  },
  TOKEN_STORE_UNAVAILABLE: {
    title: 'The stored tokens cannot be read or written',
    http: 503,
    exit: 1,
    next: 'See the detail. mcp.token_store in your config says where tokens are stored: "file" or "keychain".',
  },
  SIGN_IN_FAILED: {
    title: 'The sign-in failed',
    http: 502,
    exit: 1,
    next: 'See the detail. `bindery mcp test <id>` shows what the server answers without a sign-in.',
  },
  TERMINAL_NEEDED: {
    title: 'The shell needs a terminal',
    http: 400,
    exit: 1,
    next: 'Run it in a terminal, or use --headless with --allow for the tools that may run.',
  },
} as const satisfies Record<string, ErrorRow>;
