/** Policies to begin with, the most careful first. */
export const STARTING_POLICIES = ['read-only', 'ask-before-writes', 'open'] as const;
export type StartingPolicy = (typeof STARTING_POLICIES)[number];

const WRITES = { 'read-only': 'deny', 'ask-before-writes': 'ask', open: 'allow' } as const;

/** The file of a policy to begin with: every server, and what happens to calls that may change something. */
export function startingPolicy(policy: StartingPolicy): string {
  return `${JSON.stringify({ version: '1.0', allowlist: { servers: ['*'], writes: WRITES[policy] } }, null, 2)}\n`;
}
