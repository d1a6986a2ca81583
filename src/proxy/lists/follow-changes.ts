import { encodeNotification } from '../../wire/messages.ts';
import type { Gateway } from '../call/gateway.ts';
import type { Client } from '../message/client.ts';
import {
  type ChangeFeed,
  type ListKind,
  noticeFor,
  SeenLists,
  type Subscriber,
  type UpstreamNotice,
} from './change-feed.ts';
import { changedList } from './own-lists.ts';

export interface Followed {
  readonly gateway: Gateway;
  readonly feed: ChangeFeed;
}

/** A client's handlers for the events of a feed. */
export interface Following {
  /** One of the client's lists has changed. */
  list(kind: ListKind): void;
  /** A server sent another notification outside any request. */
  notice(notice: UpstreamNotice): void;
  /** The client's profile was removed. */
  end(): void;
}

/** Follows a feed for one client. Returns a function that stops. */
export function followFeed({ gateway, feed }: Followed, client: Client, following: Following): () => void {
  const seen = new SeenLists(() => gateway.views.listsFor(client));
  const tellLists = (list?: ListKind) => {
    for (const kind of new Set([...seen.differing(), ...(list ? [list] : [])])) following.list(kind);
  };
  const onChanged = () => {
    if (!gateway.views.hasProfile(client.profile)) return following.end();
    tellLists();
  };
  const onNotice = (notice: UpstreamNotice) => {
    const list = notice.key === client.key ? changedList(notice.method) : undefined;
    if (list !== undefined) return tellLists(list);
    following.notice(notice);
  };
  feed.on('changed', onChanged);
  feed.on('notice', onNotice);
  return () => {
    feed.off('changed', onChanged);
    feed.off('notice', onNotice);
  };
}

/** Notifies a 2025 client of changed lists and forwards its servers' notifications. Returns a function that stops. */
export function followChanges(followed: Followed, client: Client, subscriber: Subscriber): () => void {
  return followFeed(followed, client, {
    list: (kind) => subscriber.send(encodeNotification({ method: `notifications/${kind}/list_changed` })),
    notice: (notice) => {
      const heard = noticeFor(notice, client, followed.gateway);
      if (heard) subscriber.send(heard);
    },
    end: () => subscriber.end(),
  });
}
