import { encodeNotification } from '../wire/messages.ts';
import { type ChangeFeed, type Hearer, heardNotice, SeenLists, type UpstreamNotice } from './change-feed.ts';
import type { Client } from './client.ts';
import type { Gateway } from './gateway.ts';

/** Tells a 2025 client what it hears without asking: lists that changed, and what its servers say. Gives the way to stop. */
export function followChanges(
  { gateway, feed }: { readonly gateway: Gateway; readonly feed: ChangeFeed },
  client: Client,
  hearer: Hearer,
): () => void {
  const seen = new SeenLists(() => gateway.listsFor(client));
  const onChanged = () => {
    if (!gateway.hasProfile(client.profile)) return hearer.end();
    for (const kind of seen.differing())
      hearer.send(encodeNotification({ method: `notifications/${kind}/list_changed` }));
  };
  const onNotice = (notice: UpstreamNotice) => {
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
