import { computed, signal } from '@preact/signals';
import { api, forgetCredentials, isUnauthorized, listAll, typedToken } from './api.ts';
import { forgetKeys, keyName } from './callers.ts';
import { followEvents, onEvent } from './events.ts';
import { Source } from './loaded.ts';
import { go, href } from './router.ts';
import type { Approval, Call, PolicyState, Server, Session, Tool, ToolChange } from './types.ts';

/** Data that several pages show; the event stream keeps it current. */
export const session = new Source<Session>(() => api('/v1/session'));
export const servers = new Source<Server[]>(() => listAll('/v1/servers'));
export const tools = new Source<Tool[]>(() => listAll('/v1/tools'));
export const changes = new Source<ToolChange[]>(() => listAll('/v1/tools/changes'));
export const pending = new Source<Approval[]>(() => listAll('/v1/approvals', { status: 'pending' }));
/** Ids of waiting approvals whose client has left; loaded while the inbox is open. */
export const leftApprovals = new Source<ReadonlySet<string>>(async () => {
  const { items } = await api<{ readonly items: readonly { readonly id: string }[] }>('/v1/left-approvals');
  return new Set(items.map(({ id }) => id));
});
export const policy = new Source<PolicyState>(() => api('/v1/policy'));

/** Calls as they end, newest first, while a page follows them. */
export const tail = signal<readonly Call[]>([]);
/** Approvals that were decided lately, by id: they stay visible for a moment. */
export const decided = signal<ReadonlyMap<string, Approval>>(new Map());
/** The current time, updated each second, for relative times. */
export const now = signal(Date.now());

const TAIL_MAX = 500;
const DECIDED_STAYS_MS = 2_500;

/** Approvals that have not expired; the gateway reports an expiry a moment later. */
export const waiting = computed(() =>
  (pending.value ?? []).filter(({ expires_at }) => Date.parse(expires_at) > now.value),
);

/** The gateway answers nothing to this browser until someone signs in. */
export const isSignInNeeded = computed(() => isUnauthorized(session.state.value.error));

/** Whether buttons that change something are offered; the server decides in any case. */
export const mayChange = computed(() => session.value?.role === 'admin');

/** Who is signed in: the name of a key or user, or the role; undefined: no one. */
export const signedInAs = computed(() => {
  const { role, caller } = session.value ?? {};
  if (role === undefined || (role === 'reader' && typedToken.value === '')) return undefined;
  return keyName(caller ?? undefined) ?? caller ?? role;
});

export const failing = computed(() =>
  (servers.value ?? []).filter(({ state, breaker }) => state === 'error' || breaker.state === 'open'),
);
export const needsSignIn = computed(() => (servers.value ?? []).filter(({ state }) => state === 'auth_required'));
/** Definitions that are held until a person accepts them. */
export const waitingChanges = computed(() => (changes.value ?? []).filter(({ status }) => status !== 'active'));

export function serverCount(): number {
  return (
    failing.value.length + needsSignIn.value.length + new Set(waitingChanges.value.map(({ server }) => server)).size
  );
}

const all = [session, servers, changes, pending, policy] as const;

/** Tools are loaded by the pages that show them: there may be thousands. */
let wantsTools = false;
export function wantTools(): void {
  if (wantsTools) return;
  wantsTools = true;
  void tools.refresh();
}

export function start(): void {
  for (const source of all) void source.refresh();
  followEvents();
  setInterval(() => {
    now.value = Date.now();
  }, 1_000);
}

/** Reloads everything after a sign-in or sign-out. */
export function restart(): void {
  forgetKeys();
  for (const source of all) void source.refresh();
  if (wantsTools) void tools.refresh();
  followEvents();
}

/** Removes the credentials and what they let this browser read. */
export function signOut(): void {
  forgetCredentials();
  for (const source of [servers, tools, changes, pending, leftApprovals, policy]) source.clear();
  tail.value = [];
  decided.value = new Map();
  go(href('sign-in'));
  restart();
}

/** Moves an approval that was decided, here or elsewhere, out of the waiting ones. */
export function settle(approval: Approval): void {
  decided.value = new Map(decided.value).set(approval.id, approval);
  pending.set((pending.value ?? []).filter(({ id }) => id !== approval.id));
  setTimeout(() => {
    const rest = new Map(decided.value);
    rest.delete(approval.id);
    decided.value = rest;
  }, DECIDED_STAYS_MS);
}

onEvent(({ name, data }) => {
  switch (name) {
    case 'approval.created': {
      const approval = data as Approval;
      pending.set([...(pending.value ?? []).filter(({ id }) => id !== approval.id), approval]);
      return;
    }
    case 'approval.decided':
      settle(data as Approval);
      return;
    case 'server.changed': {
      const server = data as Server;
      const others = (servers.value ?? []).filter(({ id }) => id !== server.id);
      const isGone = server.reason === 'removed';
      servers.set((isGone ? others : [...others, server]).sort((a, b) => (a.id < b.id ? -1 : 1)));
      void changes.refresh();
      return;
    }
    case 'tools.changed':
      void changes.refresh();
      void servers.refresh();
      if (wantsTools) void tools.refresh();
      return;
    case 'policy.changed':
      void policy.refresh();
      if (wantsTools) void tools.refresh();
      return;
    case 'audit.appended': {
      const { items } = data as { items: Call[] };
      tail.value = [...items.toReversed(), ...tail.value].slice(0, TAIL_MAX);
      return;
    }
    // The stream has ended; a sign-in starts it again.
    case 'unauthorized':
      void session.refresh();
      return;
    case 'reset':
      restartSources();
  }
});

function restartSources(): void {
  for (const source of all) void source.refresh();
  if (wantsTools) void tools.refresh();
}
