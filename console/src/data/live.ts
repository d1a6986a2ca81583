import { computed, effect, untracked } from '@preact/signals';
import { api, forgetCredentials, isUnauthorized, listAll, Problem, refusals, SESSION, typedToken } from './api.ts';
import { followEvents, onEvent } from './events.ts';
import { sourcePerSession } from './loaded.ts';
import { go, href } from './router.ts';
import { forgetSession, perBrowser, perSession } from './stores.ts';
import type { Approval, Call, PolicyState, Server, Session, Tool, ToolChange } from './types.ts';

/** A key of a profile gets no list that belongs to no profile. */
function unlessBound<T>(list: Promise<T[]>): Promise<T[]> {
  return list.catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'PROFILE_BOUND') return [];
    throw error;
  });
}

/** Data that several pages show; the event stream keeps it current. */
export const session = sourcePerSession<Session>(() => api(SESSION));
export const servers = sourcePerSession<Server[]>(() => unlessBound(listAll('/v1/servers')));
export const tools = sourcePerSession<Tool[]>(() => listAll('/v1/tools'));
export const changes = sourcePerSession<ToolChange[]>(() => unlessBound(listAll('/v1/tools/changes')));
export const pending = sourcePerSession<Approval[]>(() => listAll('/v1/approvals', { status: 'pending' }));
/** Ids of waiting approvals whose client has left; loaded while the inbox is open. */
export const leftApprovals = sourcePerSession<ReadonlySet<string>>(async () => {
  const { items } = await api<{ readonly items: readonly { readonly id: string }[] }>('/v1/left-approvals');
  return new Set(items.map(({ id }) => id));
});
export const policy = sourcePerSession<PolicyState>(() => api('/v1/policy'));

/** Calls as they end, newest first, while a page follows them. */
export const tail = perSession<readonly Call[]>([]);
/** Approvals that were decided lately, by id: they stay visible for a moment. */
export const decided = perSession<ReadonlyMap<string, Approval>>(new Map());
/** The current time, updated each second, for relative times. */
export const now = perBrowser(Date.now());

const TAIL_MAX = 500;
const DECIDED_STAYS_MS = 2_500;

/** Approvals that have not expired; the gateway reports an expiry a moment later. */
export const waiting = computed(() =>
  (pending.value ?? []).filter(({ expires_at }) => Date.parse(expires_at) > now.value),
);

/** The gateway answers nothing to this browser until someone signs in. */
export const isSignInNeeded = computed(() => isUnauthorized(session.state.value.error));

/** The last identity that signed in here; empty: none; undefined: the gateway has not answered yet. */
const identity = perBrowser<string | undefined>(undefined);

function identityOf({ role, caller, profiles }: Session): string {
  return role === 'admin' || caller !== null ? JSON.stringify([role, caller, profiles]) : '';
}

// What one identity has read is nothing for the next.
effect(() => {
  const { value } = session;
  if (!value) return;
  const [before, now] = [identity.peek(), identityOf(value)];
  // A sign-in that has ended is not another identity: after the next sign-in the page continues.
  if (before === now || (before && now === '')) return;
  identity.value = now;
  if (before === undefined) return;
  untracked(() => {
    forgetSession();
    session.set(value);
    restart();
  });
});

/** The credential with which this browser signed in works no longer. */
export const hasEnded = computed(
  () =>
    Boolean(identity.value) &&
    (isSignInNeeded.value || (session.value !== undefined && identityOf(session.value) === '')),
);

// A refused request may be the first sign of that.
effect(() => {
  if (refusals.value > 0) untracked(() => void session.refresh());
});

/** Whether buttons that change something are offered; the server decides in any case. */
export const mayChange = computed(() => session.value?.role === 'admin');

/** Whether that includes what a key may not: keys, servers of the config, policy files. */
export const isOwner = computed(() => session.value?.owner === true);

/** The profiles that the credential is bound to; undefined: it is bound to none. */
export const boundTo = computed(() => session.value?.profiles ?? undefined);

/** Who is signed in: the name of a key or user, or the role; undefined: no one. */
export const signedInAs = computed(() => {
  const { role, caller, name } = session.value ?? {};
  if (role === undefined || hasEnded.value || (role === 'reader' && typedToken.value === '')) return undefined;
  return name ?? caller ?? role;
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
  restartSources();
  followEvents();
}

/** Removes the credentials and what they let this browser read. */
export function signOut(): void {
  forgetCredentials();
  identity.value = undefined;
  forgetSession();
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
