import type { Status } from '../config.ts';
import { type Artefact, takesVotes } from './artefact.ts';
import { decideTransition } from './decide-transition.ts';
import type { LifecycleEvent } from './events.ts';

/**
 * The one step of the state machine: applies an event to an artefact. Server and replay both use it, so equal events give equal states
 * [L12].
 */
export function applyEvent(before: Artefact | undefined, event: LifecycleEvent): Artefact {
  if (event.kind === 'adopted') return adopt(before, event);
  if (!before) throw new Error(`event ${event.seq} is about an artefact that was never adopted`);
  switch (event.kind) {
    case 'vote':
      return event.counted && takesVotes(before.state) ? evaluate(castVote(before, event), event.at) : before;
    case 'flag':
      return event.counted && takesVotes(before.state) ? quarantine(before, event.at) : before;
    case 'evaluated':
      return evaluate(before, event.at);
    case 'decided':
      return decided(before, event.decision, event.at);
    case 'merged': {
      const merged = restart({ ...before, version: event.version });
      return before.state === 'stable' && !event.editorial ? { ...merged, state: 'beta', enteredAt: event.at } : merged;
    }
    case 'superseded':
      return enter(before, 'superseded', event.at);
    case 'window_renewed':
      return restart(before);
    case 'citations_checked':
      return evaluate({ ...before, hasDeadCitation: event.dead }, event.at);
    case 'traversed':
      return before;
  }
}

function adopt(before: Artefact | undefined, event: LifecycleEvent & { kind: 'adopted' }): Artefact {
  const { type, id, version, state, at } = event;
  if (before?.version === version && before.state === state) return before;
  return {
    type,
    id,
    version,
    state,
    enteredAt: before?.state === state ? before.enteredAt : at,
    priorState: undefined,
    epoch: before ? before.epoch + 1 : 0,
    votes: [],
    hasDeadCitation: before?.hasDeadCitation ?? false,
  };
}

/** Adds a counted vote; it replaces an earlier one of the same address [L2]. */
export function castVote(artefact: Artefact, event: LifecycleEvent & { kind: 'vote' }): Artefact {
  const kept = artefact.votes.filter((vote) => vote.seq !== event.replaces);
  return { ...artefact, votes: [...kept, { seq: event.seq, verdict: event.verdict, at: event.at }] };
}

/** At most one transition per evaluation [L1]. */
export function evaluate(artefact: Artefact, at: number): Artefact {
  const next = decideTransition(artefact, at);
  if (next === undefined) return artefact;
  // Votes carry over on promotion to beta; stable starts from zero, because its votes use a new salt [L2, PV3].
  const keepsVotes = artefact.state === 'alpha' && next === 'beta';
  return keepsVotes ? { ...artefact, state: next, enteredAt: at } : enter(artefact, next, at);
}

function quarantine(artefact: Artefact, at: number): Artefact {
  // Keep the time of entry: a dismissed flag must not cost an artefact its days [L7].
  return { ...enter(artefact, 'quarantined', at), enteredAt: artefact.enteredAt, priorState: artefact.state };
}

function decided(artefact: Artefact, decision: 'dismiss' | 'uphold' | 'accept', at: number): Artefact {
  if (decision === 'uphold') return enter(artefact, 'retracted', at);
  if (decision === 'accept') return enter(artefact, 'alpha', at);
  return { ...restart(artefact), state: artefact.priorState ?? artefact.state, priorState: undefined };
}

function enter(artefact: Artefact, state: Status, at: number): Artefact {
  return { ...restart(artefact), state, enteredAt: at, priorState: undefined };
}

function restart(artefact: Artefact): Artefact {
  return { ...artefact, epoch: artefact.epoch + 1, votes: [] };
}
