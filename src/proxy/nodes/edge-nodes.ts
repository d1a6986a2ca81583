import type { PassableRequest } from '../http/http-edge.ts';
import type { Client } from '../message/client.ts';
import type { ClientRequest, ClientResponse } from '../message/client-message.ts';
import type { Session } from '../sessions/session-table.ts';

/** What the HTTP edge does because there are other nodes. Each fails with `STORE_UNAVAILABLE` where it cannot be done now. */
export interface EdgeNodes {
  /** Learns what other nodes know of a session, before this one serves it for the first time. */
  meet(sessionId: unknown): Promise<void>;
  /** A session began here. */
  begun(session: Session): Promise<void>;
  /** A session ends, at every node. */
  end(session: Session): Promise<void>;
  /** Passes a request on that another node has to serve; false where it is to be served here. */
  passOn(edge: PassableRequest, client: Client, request: ClientRequest): Promise<boolean>;
  /** A client's answer to a question that was not asked here. */
  answer(session: string, response: ClientResponse): Promise<undefined>;
  /** A client cancels a request that does not run here. */
  cancel(session: string, requestId: unknown): Promise<undefined>;
}
