/** The event names; the data of an event equals the answer of the matching route. */
export const EVENT_NAMES = [
  'server.changed',
  'tools.changed',
  'approval.created',
  'approval.decided',
  'policy.changed',
  'audit.appended',
] as const;

export type EventName = (typeof EVENT_NAMES)[number];

/** The events that a client subscribes to. */
export interface EventsWanted {
  /** The last event that it has seen: it gets the later ones. */
  readonly lastEventId?: string | undefined;
  /** Default: all. */
  readonly names?: readonly EventName[] | undefined;
}
