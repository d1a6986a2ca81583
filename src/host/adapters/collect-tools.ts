import type { ConfiguredServer } from '../config/configured-servers.ts';
import type { Catalogue } from '../connection/catalogue/catalogue.ts';
import type { HostTool } from './host-tool.ts';
import { ADAPTER_LIMITS } from './limits.ts';
import { type AdapterContext, serverTools } from './server-tools.ts';
import { standardTools } from './standard-tools.ts';

/** The tools of all servers and of the host, without duplicate public names. */
export function collectTools(
  servers: readonly ConfiguredServer[],
  catalogueOf: (server: string) => Catalogue,
  context: AdapterContext,
): { readonly tools: HostTool[]; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const named = new Map<string, HostTool>();
  for (const { id, entry } of servers) {
    const definitions = catalogueOf(id).tools.filter(({ name }) => {
      const isUsable = name !== '' && name.length <= ADAPTER_LIMITS.toolNameCharsMax && name.isWellFormed();
      if (!isUsable) warnings.push(`${id}: a tool is left out because its name is empty, too long or no text`);
      return isUsable;
    });
    const adapted = serverTools(id, definitions, entry ?? {}, context);
    warnings.push(...adapted.warnings);
    for (const tool of adapted.tools) {
      const other = named.get(tool.name);
      if (other) warnings.push(`${id}/${tool.origin?.tool}: its public name belongs to another tool`);
      if (!other || comesFirst(tool, other)) named.set(tool.name, tool);
    }
  }
  const ids = servers.map(({ id }) => id);
  const own = standardTools({ ...context, serverIds: () => ids, catalogueOf });
  return { tools: [...named.values(), ...own], warnings };
}

/** Of two tools with the same public name, the smaller (server, tool) pair keeps it. */
function comesFirst(tool: HostTool, other: HostTool): boolean {
  const key = ({ origin }: HostTool) => Buffer.from(`${origin?.server}\0${origin?.tool}`);
  return Buffer.compare(key(tool), key(other)) < 0;
}
