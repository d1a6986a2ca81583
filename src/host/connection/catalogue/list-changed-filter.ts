import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { SubscriptionFilter } from '../../../wire/upstream.ts';

/** What to listen for, by what a server says it tells. */
export function listChangedFilter(capabilities: JsonObject): SubscriptionFilter {
  const tells = (capability: string) => {
    const declared = capabilities[capability];
    return isObject(declared) && declared.listChanged === true;
  };
  return {
    ...(tells('tools') ? { toolsListChanged: true } : {}),
    ...(tells('prompts') ? { promptsListChanged: true } : {}),
    ...(tells('resources') ? { resourcesListChanged: true } : {}),
  };
}
