/** A part of the code to sample: decisions that must not go wrong, and the tests of the whole program that cover them. */
export interface Area {
  readonly name: string;
  /** Files, or folders that end in a slash. */
  readonly sources: readonly string[];
  /** In addition to tests that import a source: tests that start the program as a process. */
  readonly tests: readonly string[];
}

export const AREAS: readonly Area[] = [
  {
    name: 'policy',
    sources: ['src/gateway/policy/', 'src/store/policy/'],
    tests: [
      'test/governance/paths.test.ts',
      'test/governance/addresses.test.ts',
      'test/governance/arguments.test.ts',
      'test/governance/policy.test.ts',
      'test/gateway/judged.test.ts',
    ],
  },
  {
    name: 'approvals',
    sources: ['src/gateway/approval/', 'src/proxy/approvals/approval-gate.ts', 'src/store/approvals/'],
    tests: ['src/proxy/approvals/self-approval.test.ts', 'test/governance/approvals.test.ts'],
  },
  {
    name: 'pipeline',
    sources: [
      'src/proxy/call/admission.ts',
      'src/proxy/call/authorize.ts',
      'src/proxy/call/forward.ts',
      'src/proxy/call/gateway.ts',
      'src/proxy/lists/client-views.ts',
      'src/proxy/call/pipeline.ts',
      'src/proxy/call/plain-target.ts',
      'src/proxy/call/send.ts',
      'src/proxy/call/server-limiter.ts',
    ],
    tests: [
      'src/proxy/approvals/self-approval.test.ts',
      'src/proxy/call/recorded-outcomes.test.ts',
      'src/proxy/sessions/server-questions.test.ts',
      'src/proxy/sessions/held-retries.test.ts',
      'src/proxy/lists/own-lists.test.ts',
      'src/proxy/own-tools/sign-in-gate.test.ts',
      'test/gateway/edge.test.ts',
      'test/gateway/crossing.test.ts',
      'test/governance/policy.test.ts',
    ],
  },
  {
    name: 'audit',
    sources: ['src/gateway/audit/', 'src/store/audit/'],
    tests: ['test/governance/audit.test.ts', 'test/governance/retention.test.ts'],
  },
  {
    name: 'oauth',
    sources: ['src/host/oauth/'],
    tests: ['test/host/wire-oauth.test.ts', 'test/host/wire-sign-in.test.ts', 'test/host/config-login.test.ts'],
  },
  {
    name: 'connections',
    sources: ['src/host/connection/'],
    tests: [
      'test/host/wire-http-edges.test.ts',
      'test/host/wire-http.test.ts',
      'test/host/wire-host.test.ts',
      'test/host/wire-stdio.test.ts',
    ],
  },
  {
    name: 'trust',
    sources: ['src/host/trust/', 'src/host/permissions/'],
    tests: ['test/host/config-commands.test.ts', 'test/host/config-gateway.test.ts'],
  },
  { name: 'scrub', sources: ['src/civic/scrub/'], tests: [] },
];
