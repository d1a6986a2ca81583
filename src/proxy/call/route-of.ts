import type { ResourceRoute } from '../../gateway/catalogue/resource-routes.ts';
import type { ProfileView } from '../lists/profile-view.ts';

/** Which server a URI belongs to; a profile of one server asks that one. */
export function routeOf(view: ProfileView, uri: string): ResourceRoute | undefined {
  const bareServer = view.isBare ? view.settings.servers?.[0] : undefined;
  return view.catalogue().resources.route(uri) ?? (bareServer === undefined ? undefined : { server: bareServer, uri });
}
