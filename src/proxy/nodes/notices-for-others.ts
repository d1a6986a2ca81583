import {
  type ChangeFeed,
  heardNotice,
  type NoticeViews,
  RESOURCE_UPDATED,
  type UpstreamNotice,
} from '../lists/change-feed.ts';
import type { Session, SessionTable } from '../sessions/session-table.ts';

export interface NoticesForOthersOptions {
  readonly feed: ChangeFeed;
  readonly sessions: SessionTable;
  readonly gateway: NoticeViews;
  tell(session: string, message: Uint8Array): void;
}

/**
 * What servers say to a session outside of any request is told to the other nodes where the session has no stream here: its
 * client may have opened one there. Returns how to stop.
 */
export function noticesForOthers({ feed, sessions, gateway, tell }: NoticesForOthersOptions): () => void {
  const onNotice = (notice: UpstreamNotice) => {
    for (const { claims, client, streams } of concerned(notice, sessions)) {
      const heard = streams.size === 0 ? heardNotice(notice, client, gateway) : undefined;
      if (heard) tell(claims.s, heard);
    }
  };
  feed.on('notice', onNotice);
  return () => feed.off('notice', onNotice);
}

function concerned({ key, method }: UpstreamNotice, sessions: SessionTable): Iterable<Session> {
  if (key === undefined) return method === RESOURCE_UPDATED ? sessions.all() : [];
  const session = sessions.known(key);
  return session ? [session] : [];
}
