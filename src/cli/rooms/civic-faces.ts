import type { Context, Hono } from 'hono';
import { CIVIC_LIMITS } from '../../civic/config.ts';
import { civicFailures, withBaseUrl } from '../../civic/failures.ts';
import { BinderyError } from '../../contract/errors.ts';
import { type BoundRoom, bindRoom, type Room } from '../../contract/operation.ts';
import type { Log } from '../../contract/ports.ts';
import { problemResponse } from '../../http/app.ts';
import { createStatelessEndpoint } from '../../mcp/stateless-endpoint.ts';

const NOT_FOUND = 404;

export interface CivicFaces {
  readonly bound: BoundRoom;
  /** Adds the MCP endpoint, and the room's errors for unknown paths. */
  extend(app: Hono, peerAddress: (context: Context) => string | undefined): void;
}

interface FaceDeps {
  readonly log: Log;
  baseUrl(): string;
}

/** The room with its addresses and its own MCP endpoint. Uses web standards only, so it also runs at the edge. */
export function civicFaces<Deps extends FaceDeps>(
  room: Room<Deps>,
  deps: Deps,
  { version, newRequestId }: { version: string; newRequestId: () => string },
): CivicFaces {
  const baseUrl = () => deps.baseUrl();
  const bound = bindRoom({ ...room, operations: withBaseUrl(room.operations, baseUrl) }, deps);
  const endpoint = createStatelessEndpoint({
    name: 'bindery-civic',
    version,
    rooms: [bound],
    log: deps.log,
    newRequestId,
    bodyBytesMax: CIVIC_LIMITS.body_bytes_max,
  });
  const failures = civicFailures().at(baseUrl);
  return {
    bound,
    extend(app, peerAddress) {
      app.all('/civic/mcp', (context) => endpoint(context.req.raw, peerAddress(context)));
      for (const path of ['/api/*', '/agents/*', '/skills/*', '/civic/*']) {
        // A path that is served for other methods is not missing: only the app knows these methods [SU25].
        app.all(path, async (context) => {
          const refusal = await context.notFound();
          return refusal.status === NOT_FOUND
            ? problemResponse(new BinderyError('route_not_found'), newRequestId(), failures)
            : refusal;
        });
      }
    },
  };
}
