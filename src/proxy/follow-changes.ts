import { encodeNotification } from '../wire/messages.ts';
import { type ChangeFeed, heardNotice, SeenLists, type UpstreamNotice } from './change-feed.ts';
import type { Client } from './client.ts';
import type { Gateway } from './gateway.ts';

/** Tells a 2025 client what it hears without asking: lists that changed, and what its servers say. Gives the way to stop. */
export function followChanges(
  { gateway, feed }: { readonly gateway: Gateway; readonly feed: ChangeFeed },
  client: Client,
  send: (message: Uint8Array) => void,
): () => void {
  const seen = new SeenLists(() => gateway.listsFor(client));
  const onChanged = () => {
    for (const kind of seen.differing()) send(encodeNotification({ method: `notifications/${kind}/list_changed` }));
  };
  const onNotice = (notice: UpstreamNotice) => {
    const heard = heardNotice(notice, client, gateway.ports.watches);
    if (heard) send(heard);
  };
  feed.on('changed', onChanged);
  feed.on('notice', onNotice);
  return () => {
    feed.off('changed', onChanged);
    feed.off('notice', onNotice);
  };
}
