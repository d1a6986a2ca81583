import type { Hono } from 'hono';
import {
  type OAuthSettings,
  profileOfMetadataPath,
  resourceMetadata,
} from '../../gateway/identity/protected-resource.ts';

/**
 * RFC 9728: who authorizes for `/mcp` and for each profile. Every well-formed name of a profile is answered: whoever has no
 * token yet does not learn here which ones there are.
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
