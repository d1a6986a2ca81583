import { EventEmitter } from 'node:events';
import type { JsonObject } from '../../contract/json.ts';
import type { Log } from '../../contract/ports.ts';
import { encodeNotification } from '../../wire/messages.ts';
import { PROXY_LIMITS } from '../limits.ts';
import type { Client } from '../message/client.ts';
import type { ProfileLists } from './profile-view.ts';
import type { ResourceWatches } from './resource-watches.ts';

export type ListKind = 'tools' | 'prompts' | 'resources';

/** A server's notification outside any request: for one client's own connection, or for all clients of a shared one. */
export interface UpstreamNotice {
  readonly server: string;
  /** Key of the client whose own connection received it; undefined: a shared connection. */
  readonly key: string | undefined;
  /** The caller whose clients share the connection; absent: all clients share it. */
  readonly owner?: string;
  readonly method: string;
  readonly params: JsonObject | undefined;
}

export const RESOURCE_UPDATED = 'notifications/resources/updated';

interface FeedEvents {
  changed: [];
  notice: [UpstreamNotice];
  /** The random part of the session id. */
  'session-ended': [string];
  /** A person accepted that a policy file was removed. */
  'policy-accepted': [];
}

/** Notifies streams of changed lists and of servers' notifications. */
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
    if (now >= this.#quietUntil) this.#notify();
    else this.#trailing = setTimeout(() => this.#notify(), this.#quietUntil - now).unref();
  }

  /** Sends pending notifications now. */
  notifyNow(): void {
    if (this.#trailing !== undefined) this.#notify();
  }

  #notify(): void {
    clearTimeout(this.#trailing);
    this.#trailing = undefined;
    for (const listener of this.rawListeners('changed')) this.#notifyOne(listener as () => void);
    this.#quietUntil = performance.now() + PROXY_LIMITS.changesGatherMs;
  }

  /** Isolates listeners: one that throws affects neither the others nor the caller. */
  #notifyOne(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#log.error('clients could not be notified of changed lists', { error });
    }
  }
}

/** Receives notifications that belong to no request. */
export interface Subscriber {
  send(message: Uint8Array): void;
  end(): void;
}

/** The public URIs of resources, and the subscriptions of clients. */
export interface NoticeViews {
  readonly ports: { readonly watches: Pick<ResourceWatches, 'subscribedUri'> };
  readonly views: { viewFor(client: Client): { publicUri(server: string, uri: string): string } };
}

/**
 * The notification for one session: log lines and pages that were visited from its own connections, and updates of resources. Others are
 * for the gateway, or could pass for those of another server.
 */
export function noticeFor(
  notice: UpstreamNotice,
  client: Client,
  { ports, views }: NoticeViews,
): Uint8Array | undefined {
  const { server, method, params } = notice;
  const { key } = client;
  if (notice.key === key) {
    if (FROM_OWN.has(method)) return encodeNotification(params ? { method, params } : { method });
    if (method !== RESOURCE_UPDATED || typeof params?.uri !== 'string') return undefined;
    return encodeNotification({ method, params: { uri: views.viewFor(client).publicUri(server, params.uri) } });
  }
  if (notice.key !== undefined || method !== RESOURCE_UPDATED || typeof params?.uri !== 'string') return undefined;
  const uri = ports.watches.subscribedUri(key, { server, uri: params.uri, owner: notice.owner });
  return uri === undefined ? undefined : encodeNotification({ method, params: { uri } });
}

const FROM_OWN: ReadonlySet<string> = new Set(['notifications/message', 'notifications/elicitation/complete']);

/** The lists that a client saw last, to find the changed ones. */
export class SeenLists {
  readonly #lists: () => ProfileLists;
  #seen: ProfileLists;

  constructor(lists: () => ProfileLists) {
    this.#lists = lists;
    this.#seen = lists();
  }

  /** The kinds of list that changed since the last call. */
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
