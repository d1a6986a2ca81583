import { EventEmitter } from 'node:events';
import type { JsonObject } from '../../contract/json.ts';
import type { Log } from '../../contract/ports.ts';
import { encodeNotification } from '../../wire/messages.ts';
import { PROXY_LIMITS } from '../limits.ts';
import type { Client } from '../message/client.ts';
import type { ProfileLists } from './profile-view.ts';
import type { ResourceWatches } from './resource-watches.ts';

export type ListKind = 'tools' | 'prompts' | 'resources';

/** A notification of a server that belongs to no request: to one client's own connection, or to all that share one. */
export interface UpstreamNotice {
  readonly server: string;
  /** Key of the client whose own connection brought it; undefined: a shared one. */
  readonly key: string | undefined;
  /** The caller whose clients share the connection; absent: everybody's do. */
  readonly owner?: string;
  readonly method: string;
  readonly params: JsonObject | undefined;
}

export const RESOURCE_UPDATED = 'notifications/resources/updated';

interface FeedEvents {
  changed: [];
  notice: [UpstreamNotice];
  /** The random part of a session's id. */
  'session-ended': [string];
  /** A person accepted that a file of policy is gone. */
  'policy-accepted': [];
}

/** Tells streams that lists may have changed, and what servers said by themselves. */
export class ChangeFeed extends EventEmitter<FeedEvents> {
  #quietUntil = 0;
  #trailing: NodeJS.Timeout | undefined;
  readonly #log: Log;

  constructor(log: Log) {
    super();
    this.#log = log;
    this.setMaxListeners(0);
  }

  /** Lists may have changed: notified at once, then throttled to one notification per interval. */
  changed(): void {
    const now = performance.now();
    if (this.#trailing !== undefined) return;
    if (now >= this.#quietUntil) this.#tell();
    else this.#trailing = setTimeout(() => this.#tell(), this.#quietUntil - now).unref();
  }

  /** Sends pending notifications now. */
  tellNow(): void {
    if (this.#trailing !== undefined) this.#tell();
  }

  #tell(): void {
    clearTimeout(this.#trailing);
    this.#trailing = undefined;
    for (const hear of this.rawListeners('changed')) this.#tellOne(hear as () => void);
    this.#quietUntil = performance.now() + PROXY_LIMITS.changesGatherMs;
  }

  /** A listener that throws affects neither the others nor the caller. */
  #tellOne(hear: () => void): void {
    try {
      hear();
    } catch (error) {
      this.#log.error('clients could not be notified of changed lists', { error });
    }
  }
}

/** Receives notifications that belong to no request. */
export interface Subscriber {
  send(message: Uint8Array): void;
  /** The subscription is over. */
  end(): void;
}

/** How clients see the resources of servers, and which of them they watch. */
export interface NoticeViews {
  readonly ports: { readonly watches: Pick<ResourceWatches, 'subscribedUri'> };
  readonly views: { viewFor(client: Client): { publicUri(server: string, uri: string): string } };
}

/** What of a notice a session gets: all that its own connections bring, and of shared ones what it subscribed to. */
export function noticeFor(
  notice: UpstreamNotice,
  client: Client,
  { ports, views }: NoticeViews,
): Uint8Array | undefined {
  const { server, method, params } = notice;
  const { key } = client;
  if (notice.key === key) {
    if (method !== RESOURCE_UPDATED || typeof params?.uri !== 'string')
      return encodeNotification(params ? { method, params } : { method });
    return encodeNotification({ method, params: { uri: views.viewFor(client).publicUri(server, params.uri) } });
  }
  if (notice.key !== undefined || method !== RESOURCE_UPDATED || typeof params?.uri !== 'string') return undefined;
  const uri = ports.watches.subscribedUri(key, { server, uri: params.uri, owner: notice.owner });
  return uri === undefined ? undefined : encodeNotification({ method, params: { uri } });
}

/** Remembers the lists that a client saw last, and which of them differ now. */
export class SeenLists {
  readonly #lists: () => ProfileLists;
  #seen: ProfileLists;

  constructor(lists: () => ProfileLists) {
    this.#lists = lists;
    this.#seen = lists();
  }

  /** The kinds of list that differ from what was seen, which is then seen. */
  differing(): ListKind[] {
    const now = this.#lists();
    const before = this.#seen;
    this.#seen = now;
    const kinds: ListKind[] = [];
    if (now.tools !== before.tools) kinds.push('tools');
    if (now.prompts !== before.prompts) kinds.push('prompts');
    if (now.resources !== before.resources || now.resourceTemplates !== before.resourceTemplates)
      kinds.push('resources');
    return kinds;
  }
}
