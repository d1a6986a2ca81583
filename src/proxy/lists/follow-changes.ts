import { encodeNotification } from '../../wire/messages.ts';
import type { Gateway } from '../call/gateway.ts';
import type { Client } from '../message/client.ts';
import {
  type ChangeFeed,
  type Hearer,
  heardNotice,
  type ListKind,
  SeenLists,
  type UpstreamNotice,
} from './change-feed.ts';
import { changedList } from './own-lists.ts';

/** Tells a 2025 client what it hears without asking: lists that changed, and what its servers say. Gives the way to stop. */
export function followChanges(
  { gateway, feed }: { readonly gateway: Gateway; readonly feed: ChangeFeed },
  client: Client,
  hearer: Hearer,
): () => void {
  const seen = new SeenLists(() => gateway.views.listsFor(client));
  const tellLists = (list?: ListKind) => {
    for (const kind of new Set([...seen.differing(), ...(list ? [list] : [])]))
      hearer.send(encodeNotification({ method: `notifications/${kind}/list_changed` }));
  };
  const onChanged = () => {
    if (!gateway.views.hasProfile(client.profile)) return hearer.end();
    tellLists();
  };
  const onNotice = (notice: UpstreamNotice) => {
    const list = notice.key === client.key ? changedList(notice.method) : undefined;
    if (list !== undefined) return tellLists(list);
    const heard = heardNotice(notice, client, gateway);
    if (heard) hearer.send(heard);
  };
  feed.on('changed', onChanged);
  feed.on('notice', onNotice);
  return () => {
    feed.off('changed', onChanged);
    feed.off('notice', onNotice);
  };
}
