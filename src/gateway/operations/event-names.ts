/** The events; their data equals the answer of the matching route. */
export const EVENT_NAMES = [
  'server.changed',
  'tools.changed',
  'approval.created',
  'approval.decided',
  'policy.changed',
  'audit.appended',
] as const;

export type EventName = (typeof EVENT_NAMES)[number];

/** Which events a reader wants. */
export interface EventsWanted {
  /** The last event that it has seen: it gets those after it. */
  readonly lastEventId?: string | undefined;
  /** All where none are given. */
  readonly names?: readonly EventName[] | undefined;
}
