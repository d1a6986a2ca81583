import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { BinderyError } from '../../contract/errors.ts';
import { createHttpApp } from '../../http/app.ts';
import { isForeignPage } from '../../proxy/http/edge-exchange.ts';
import { oversizedBytes } from '../../proxy/message/argument-bounds.ts';
import { type GatewayApi, gatewayApi } from '../admin/gateway-api.ts';
import { addDocsRoutes } from '../docs/docs-routes.ts';
import { policyWarnings } from '../policy/policy-report.ts';
import type { ServedGateway } from '../serve-gateway.ts';
import type { ServedRoom, UpSettings } from '../up-settings.ts';
import { addMetadataRoutes } from '../users/metadata-routes.ts';
import { PACKAGE_DIR, VERSION } from '../version.ts';
import type { AccessControl } from './access-control.ts';
import { ConsoleFiles } from './console-files.ts';
import type { ConsoleSignIn } from './console-sign-in.ts';
import { adminToken } from './credentials.ts';
import { peerAddress } from './peer-address.ts';
import { addSignInRoutes } from './sign-in-routes.ts';
import { startPage } from './start-page.ts';

export interface HttpApiOptions extends AccessControl {
  readonly served: readonly ServedRoom[];
  readonly gateway: ServedGateway;
  readonly settings: UpSettings;
  readonly signIn: ConsoleSignIn;
}

export interface HttpApi {
  readonly gateway: GatewayApi;
  readonly listener: RequestListener;
}

/** The operations of all served rooms, the pages for people, and the endpoints for monitoring. */
export function createHttpApi(options: HttpApiOptions): HttpApi {
  const { gateway, settings, signIn, credentials, acceptsHost } = options;
  const rooms = options.served.map(({ bound }) => bound.room.name);
  const api = gatewayApi(gateway.runtime, settings, { rooms, keyNeeded: options.isRequired });
  const served: ServedRoom[] = [...options.served, { ...gateway, bound: api.bound }];
  const app = createHttpApp({
    rooms: [...served.map((room) => room.bound), api.keys, api.catalog, api.setUp],
    version: VERSION,
    log: settings.log,
    newRequestId: randomUUID,
    peerAddress,
    acceptsHost,
    checkBody: (bytes) => {
      const oversized = oversizedBytes(bytes, { start: 0, end: bytes.length });
      if (oversized) throw oversized;
    },
    crossOriginPaths: served.flatMap((room) => room.crossOriginPaths ?? []),
    authorize: (operation, call) => {
      call.signIn = signIn.visitor(operation, call);
      if (!call.signIn) return credentials.authorize(operation, call);
    },
  });
  const consoleFiles = new ConsoleFiles(join(PACKAGE_DIR, 'dist', 'console'));
  consoleFiles.serve(app);
  addSignInRoutes(app, {
    signIn,
    adminToken: adminToken(settings.dataDir),
    baseUrl: settings.baseUrl,
    startPage: () => startPage(served, settings.baseUrl(), options.isRequired()),
    consoleFiles,
  });
  addDocsRoutes(app, join(PACKAGE_DIR, 'docs'));
  addHealth(app, gateway, served);
  app.get('/metrics', async (context) => {
    if (isForeignPage((name) => context.req.header(name))) throw new BinderyError('FORBIDDEN_HOST');
    await credentials.admit(context.req.header('authorization'));
    const lines = served.flatMap((room) => room.metrics?.() ?? []);
    return new Response(lines.map((line) => `${line}\n`).join(''), {
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
    });
  });
  const { access } = gateway.runtime;
  addMetadataRoutes(app, () => access.verifier?.settings);
  access.callbacks.serve(app, (owner) => access.verifier?.userOf(owner) ?? owner);
  for (const room of served) room.extend?.(app);
  return { gateway: api, listener: getRequestListener(app.fetch) };
}

function addHealth(app: Hono, gateway: ServedGateway, served: readonly ServedRoom[]): void {
  app.get('/healthz', () => new Response('ok\n'));
  app.get('/readyz', async () => {
    const reasons = await gateway.unreadyReasons();
    const warnings = [...policyWarnings(gateway.policy()), ...served.flatMap((room) => room.warnings?.() ?? [])];
    return Response.json(
      {
        ready: reasons.length === 0,
        ...(reasons.length === 0 ? {} : { reasons }),
        ...(warnings.length === 0 ? {} : { warnings }),
      },
      { status: reasons.length === 0 ? 200 : 503 },
    );
  });
}
