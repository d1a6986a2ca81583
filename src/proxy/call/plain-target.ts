import { readsOnly } from '../../gateway/catalogue/server-offer.ts';
import { judge } from '../../gateway/policy/decide.ts';
import { canBeAsked } from '../../wire/upstream.ts';
import type { Client, ClientRequest } from '../message/client.ts';
import { isSearchTool } from '../own-tools/own-tools.ts';
import { asksForTask } from '../tasks/tasks.ts';
import type { Gateway } from './gateway.ts';

/** The server of a call that needs no approval and no counting, from a client that cannot be asked; otherwise undefined. */
export function plainTarget(
  { views, ports }: Pick<Gateway, 'views' | 'ports'>,
  client: Client,
  request: ClientRequest,
): string | undefined {
  const name = request.params?.name;
  if (request.method !== 'tools/call' || typeof name !== 'string') return undefined;
  if (canBeAsked(client) || asksForTask(client, request)) return undefined;
  const view = views.viewFor(client);
  if (view !== views.view(client.profile) || isSearchTool(view, name)) return undefined;
  const entry = view.publicTool(name);
  if (entry?.offered.status !== 'active') return undefined;
  const layers = ports.policyLayers(client.profile);
  const { server, tool } = entry;
  const { decision, limits } = judge(layers, {
    server,
    tool,
    now: undefined,
    readOnly: readsOnly(entry.offered),
  }).decision;
  const isCounted = limits.rate_per_minute !== undefined || limits.max_concurrency !== undefined;
  return decision === 'allow' && !isCounted ? server : undefined;
}
