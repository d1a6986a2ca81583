/** Initial policies, the strictest first. */
export const STARTING_POLICIES = ['read-only', 'ask-before-writes', 'open'] as const;
export type StartingPolicy = (typeof STARTING_POLICIES)[number];

const WRITES = { 'read-only': 'deny', 'ask-before-writes': 'ask', open: 'allow' } as const;

/** The file of an initial policy: allows every server, and sets how to treat calls that may change something. */
export function startingPolicy(policy: StartingPolicy): string {
  return `${JSON.stringify({ version: '1.0', allowlist: { servers: ['*'], writes: WRITES[policy] } }, null, 2)}\n`;
}
