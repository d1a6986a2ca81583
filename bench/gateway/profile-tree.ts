interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

/** The output of the engine's profiler. */
export interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** A part of the program: its time, including its callees. */
export interface Branch {
  us: number;
  readonly below: Map<string, Branch>;
}

/** A CPU profile as a tree of the time in which code ran. Functions of one package are one branch; module loading is left out. */
export function profileTree({ nodes, samples, timeDeltas }: Profile): Branch {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const own = new Map<number, number>();
  samples.forEach((id, index) => {
    own.set(id, (own.get(id) ?? 0) + (timeDeltas[index] ?? 0));
  });

  /** Adds a node below a branch; its callees go below its package, so that the tree shows callers and callees. */
  const add = (id: number, above: Branch, caller: string): number => {
    const node = byId.get(id) as ProfileNode;
    const name = nameOf(node.callFrame);
    if (name === undefined) return 0;
    const isSame = name === '' || name === caller;
    const branch = isSame ? above : branchOf(above, name);
    let us = own.get(id) ?? 0;
    if (isSame && caller === '') branchOf(above, '(Node itself)').us += us;
    for (const child of node.children ?? []) us += add(child, branch, isSame ? caller : name);
    if (!isSame) branch.us += us;
    return us;
  };

  const root: Branch = { us: 0, below: new Map() };
  for (const child of nodes[0]?.children ?? []) root.us += add(child, root, '');
  return root;
}

/** A tree as lines, in shares of the whole, from the largest down to `leastPercent`. */
export function treeLines(root: Branch, leastPercent: number): string[] {
  return linesOf(root, 0, root.us, leastPercent);
}

function branchOf(above: Branch, name: string): Branch {
  const known = above.below.get(name);
  if (known) return known;
  const branch = { us: 0, below: new Map() };
  above.below.set(name, branch);
  return branch;
}

/** The part that a function belongs to; '' if its caller is the better name, undefined if it is left out. */
function nameOf({ functionName, url }: ProfileNode['callFrame']): string | undefined {
  if (functionName === '(idle)' || /node:internal\/(modules|main|bootstrap)/.test(url)) return undefined;
  if (/\/(bin|gpt-tokenizer)\//.test(url)) return undefined;
  const ours = /\/dist\/(.+)\.js$/.exec(url)?.[1];
  if (ours !== undefined) return ours;
  if (/node:_?http|node:internal\/http/.test(url)) return 'node:http';
  if (url.startsWith('node:')) return /crypto/.test(url) ? 'node:crypto' : '';
  if (/node_modules/.test(url)) return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (/^(writev|writeBuffer|writeUtf8String|writeLatin1String)$/.test(functionName)) return 'write to a socket';
  if (functionName === '(program)') return '(outside of JavaScript)';
  return functionName.startsWith('(') ? functionName : '';
}

function linesOf(branch: Branch, depth: number, wholeUs: number, leastPercent: number): string[] {
  return [...branch.below]
    .sort(([, a], [, b]) => b.us - a.us)
    .map(([name, below]) => ({ name, below, percent: (100 * below.us) / wholeUs }))
    .filter(({ percent }) => percent >= leastPercent)
    .flatMap(({ name, below, percent }) => [
      `${percent.toFixed(1).padStart(5)} % ${'  '.repeat(depth)}${name}`,
      ...linesOf(below, depth + 1, wholeUs, leastPercent),
    ]);
}
