/**
 * The policy decision a second time, as plainly as it can be said: on parsed JSON, one layer, without places.
 * `undefined` stands for a file that is bad.
 */
export function naiveDecision(
  layers: readonly (Record<string, unknown> | undefined)[],
  server: string,
  tool: string,
): { decision: string; rule: string } {
  const verdicts = layers.map((layer) => naiveLayer(layer, server, tool));
  for (const wanted of ['deny', 'approval']) {
    const found = verdicts.find(({ decision }) => decision === wanted);
    if (found) return found;
  }
  return verdicts[verdicts.length - 1] ?? { decision: 'allow', rule: 'no_policy' };
}

function naiveLayer(file: Record<string, unknown> | undefined, server: string, tool: string) {
  if (file === undefined) return { decision: 'deny', rule: 'policy_invalid' };
  const list = file.allowlist as {
    servers: string[];
    tools?: Record<string, string[]>;
    forbidden?: string[];
    operations?: Record<string, { approval_required?: boolean }>;
  };
  const own = <T>(object: Record<string, T> | undefined, key: string): T | undefined =>
    object !== undefined && Object.keys(object).includes(key) ? object[key] : undefined;
  const full = `${server}/${tool}`;
  if ((list.forbidden ?? []).some((entry) => entry === tool || entry === full))
    return { decision: 'deny', rule: 'forbidden' };
  if (!list.servers.some((entry) => entry === server || entry === '*'))
    return { decision: 'deny', rule: 'server_not_listed' };
  const tools = own(list.tools, server);
  if (tools !== undefined && !tools.some((entry) => entry === tool || entry === '*'))
    return { decision: 'deny', rule: 'tool_not_listed' };
  const asks = [full, tool].some((key) => own(list.operations, key)?.approval_required === true);
  if (asks) return { decision: 'approval', rule: 'approval_required' };
  return { decision: 'allow', rule: tools === undefined ? 'server_listed' : 'tool_listed' };
}
