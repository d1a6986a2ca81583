import type { CancelSignal } from '../../contract/cancellation.ts';
import type { BinderyError } from '../../contract/errors.ts';
import type { LogLevels } from './log-levels.ts';
import type { OwnLists, OwnPlace } from './own-lists.ts';
import type { OwnSubscriptions } from './own-subscriptions.ts';
import type { ResourceWatches } from './resource-watches.ts';

/** Servers' lists and clients' subscriptions. */
export interface ListPorts {
  readonly logLevels: LogLevels;
  readonly watches: ResourceWatches;
  /** Clients' subscriptions on connections of their own. */
  readonly subscriptions: OwnSubscriptions;
  /** The lists of clients whose own connections list something else than the shared ones. */
  readonly ownLists: Pick<OwnLists<OwnPlace>, 'as' | 'has' | 'settled'>;
  /** Servers whose tools are not known yet. */
  undiscovered(): readonly string[];
  /**
   * Resolves when servers that connect for the first time have listed their tools, or when the signal is aborted. A call waits for
   * named servers until its own deadline, and for all servers only briefly.
   */
  untilDiscovered(signal?: CancelSignal, servers?: readonly string[]): Promise<void>;
  /** Why a server offers nothing: an error whose texts callers may read; absent: `SERVER_UNAVAILABLE`. */
  whyAway?(server: string): BinderyError;
  /** Servers that still have to be probed for tools that they show only to clients that can be asked; absent: none. */
  unprobed?(): readonly string[];
  /** Resolves when the named servers were probed for such tools (without names: briefly for all), or when the signal is aborted. */
  untilProbed?(signal: CancelSignal, servers?: readonly string[]): Promise<void>;
  /** Notifies clients that their listing has changed. */
  listsChanged(): void;
}
