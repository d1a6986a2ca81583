import type { CancelSignal } from '../../contract/cancellation.ts';
import type { LogLevels } from './log-levels.ts';
import type { OwnLists, OwnPlace } from './own-lists.ts';
import type { OwnSubscriptions } from './own-subscriptions.ts';
import type { ResourceWatches } from './resource-watches.ts';

/** What servers list, and what clients subscribed to. */
export interface ListPorts {
  readonly logLevels: LogLevels;
  readonly watches: ResourceWatches;
  /** What clients subscribed to on connections of their own. */
  readonly subscriptions: OwnSubscriptions;
  /** The lists of clients whose own connections list something else than the shared ones. */
  readonly ownLists: Pick<OwnLists<OwnPlace>, 'as' | 'has' | 'settled'>;
  /** Servers whose tools are not known yet. */
  undiscovered(): readonly string[];
  /**
   * Resolves when servers that connect for the first time have listed their tools, or when the signal ends. A call waits as long as
   * it has time for servers that it names, and only briefly for all.
   */
  untilDiscovered(signal?: CancelSignal, servers?: readonly string[]): Promise<void>;
  /** Servers that were not probed yet for tools that they show only to clients that can be asked; absent: all were. */
  looking?(): readonly string[];
  /** Resolves when the named servers, or briefly all, were probed for such tools, or when the signal ends. */
  untilLooked?(signal: CancelSignal, servers?: readonly string[]): Promise<void>;
  /** Notifies that a client's listing has changed. */
  listsChanged(): void;
}
