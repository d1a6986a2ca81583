import type { Hono } from 'hono';
import {
  type OAuthSettings,
  profileOfMetadataPath,
  resourceMetadata,
} from '../../gateway/identity/protected-resource.ts';

/**
 * RFC 9728: the authorization server of `/mcp` and of each profile. Answers for every well-formed profile name, so that callers
 * without a token cannot learn which profiles exist.
 */
export function addMetadataRoutes(app: Hono, current: () => OAuthSettings | undefined): void {
  const serve = (path: string) => {
    const settings = current();
    const profile = settings && profileOfMetadataPath(settings, path);
    if (settings === undefined || profile === undefined) return undefined;
    return Response.json(resourceMetadata(settings, profile), { headers: { 'cache-control': 'max-age=300' } });
  };
  app.get('/.well-known/oauth-protected-resource', (context) => serve(context.req.path) ?? context.notFound());
  app.get('/.well-known/oauth-protected-resource/*', (context) => serve(context.req.path) ?? context.notFound());
}
