/** One module of the bundle; `lazyImports` are the targets of its dynamic imports. */
export interface BundledModule {
  readonly bytes: number;
  readonly imports: readonly string[];
  readonly lazyImports: readonly string[];
}

/** Modules that the roots load go to files named after the layer. Parts below `partBytes` are merged. */
export interface Layer {
  readonly name: string;
  readonly roots: readonly string[];
  readonly partBytes: number;
}

type Graph = ReadonlyMap<string, BundledModule>;
/** The modules that each root loads, itself included. */
type Loads = ReadonlyMap<string, ReadonlySet<string>>;

interface Part {
  readonly ids: string[];
  readonly roots: Set<string>;
  readonly needs: Set<Part>;
  bytes: number;
}

/**
 * Divides modules among the files of a bundle, so that every command loads few files and little that it does not need. Returns the name
 * of each module's part. A module goes to the first layer whose roots load it. Modules of no layer are missing, and so are entries,
 * because they run when they are loaded.
 *
 * A root is a module that is loaded by itself: an entry, or the target of a dynamic import. Modules that the same roots load form a
 * part. A module is loaded at least by the roots that load its importers, so these parts never import each other in a cycle. Small parts
 * are then merged, each with the part that costs other commands the fewest bytes.
 */
export function bundleParts(graph: Graph, entries: readonly string[], layers: readonly Layer[]): Map<string, string> {
  const roots = new Set([...entries, ...[...graph.values()].flatMap(({ lazyImports }) => lazyImports)]);
  const loads: Loads = new Map([...roots].map((root) => [root, closure(graph, root)]));
  const names = new Map<string, string>();
  for (const layer of layers) {
    const wanted = layer.roots.flatMap((root) => [...(loads.get(root) ?? [])]);
    const members = new Set(wanted.filter((id) => !names.has(id) && !entries.includes(id)));
    const parts = partsByRoots(graph, members, countedRoots(graph, entries, loads, layer), loads);
    mergeSmall(parts, layer.partBytes);
    for (const [index, { ids }] of [...parts].entries()) for (const id of ids) names.set(id, `${layer.name}-${index}`);
  }
  return names;
}

function moduleOf(graph: Graph, id: string): BundledModule {
  const found = graph.get(id);
  if (found === undefined) throw new Error(`${id} is not in the graph`);
  return found;
}

function closure(graph: Graph, root: string): ReadonlySet<string> {
  const found = new Set([root]);
  for (const id of found) for (const imported of moduleOf(graph, id).imports) found.add(imported);
  return found;
}

/** The roots that a process can load before a root of the layer. The others find the layer in memory, so its files cost them nothing. */
function countedRoots(graph: Graph, entries: readonly string[], loads: Loads, layer: Layer): readonly string[] {
  const found = new Set(entries.filter((entry) => !layer.roots.includes(entry)));
  for (const root of found) {
    for (const id of loads.get(root) ?? []) {
      for (const next of moduleOf(graph, id).lazyImports) if (!layer.roots.includes(next)) found.add(next);
    }
  }
  return [...layer.roots, ...found];
}

function partsByRoots(graph: Graph, members: ReadonlySet<string>, roots: readonly string[], loads: Loads): Set<Part> {
  const parts = new Map<string, Part>();
  const partOf = new Map<string, Part>();
  for (const id of members) {
    const loaders = roots.filter((root) => loads.get(root)?.has(id));
    const key = loaders.join('\n');
    const part = parts.get(key) ?? { ids: [], roots: new Set(loaders), needs: new Set(), bytes: 0 };
    part.ids.push(id);
    part.bytes += moduleOf(graph, id).bytes;
    parts.set(key, part);
    partOf.set(id, part);
  }
  for (const [id, part] of partOf) {
    for (const imported of moduleOf(graph, id).imports) {
      const needed = partOf.get(imported);
      if (needed !== undefined && needed !== part) part.needs.add(needed);
    }
  }
  return new Set(parts.values());
}

function mergeSmall(parts: Set<Part>, partBytes: number): void {
  const stuck = new Set<Part>();
  for (;;) {
    const small = [...parts].filter((part) => part.bytes < partBytes && !stuck.has(part));
    const [smallest] = small.sort((a, b) => a.bytes - b.bytes);
    if (smallest === undefined) return;
    const others = [...parts].filter((other) => other !== smallest && canMerge(smallest, other));
    const [best] = others.sort((a, b) => wastedBytes(smallest, a) - wastedBytes(smallest, b));
    if (best === undefined) stuck.add(smallest);
    else merge(parts, best, smallest);
  }
}

/** Bytes that roots would load needlessly if the two parts were one, summed over the roots. */
function wastedBytes(a: Part, b: Part): number {
  const missing = (from: Part, other: Part) => [...other.roots].filter((root) => !from.roots.has(root)).length;
  return a.bytes * missing(a, b) + b.bytes * missing(b, a);
}

/** Not if one needs the other through a third part: that part would need the merged one, and be needed by it. */
function canMerge(a: Part, b: Part): boolean {
  return !needsThroughOthers(a, b) && !needsThroughOthers(b, a);
}

function needsThroughOthers(from: Part, to: Part): boolean {
  const found = new Set([...from.needs].filter((part) => part !== to));
  for (const part of found) {
    if (part.needs.has(to)) return true;
    for (const next of part.needs) found.add(next);
  }
  return false;
}

function merge(parts: Set<Part>, into: Part, from: Part): void {
  parts.delete(from);
  into.ids.push(...from.ids);
  into.bytes += from.bytes;
  for (const root of from.roots) into.roots.add(root);
  for (const needed of from.needs) into.needs.add(needed);
  into.needs.delete(into);
  into.needs.delete(from);
  for (const part of parts) if (part !== into && part.needs.delete(from)) part.needs.add(into);
}
