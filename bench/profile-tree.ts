import { readFileSync } from 'node:fs';

/**
 * A CPU profile as a tree of text: `node --cpu-prof bin/bindery.js up`, a load, SIGTERM, then
 * `node bench/profile-tree.ts FILE.cpuprofile [least share in percent]`. Time in which nothing ran and the loading of modules are
 * left out; functions of one package are one line.
 */
interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

interface Branch {
  us: number;
  readonly below: Map<string, Branch>;
}

const [file = '', least = '1'] = process.argv.slice(2);
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};
const byId = new Map(nodes.map((node) => [node.id, node]));
const own = new Map<number, number>();
samples.forEach((id, index) => {
  own.set(id, (own.get(id) ?? 0) + (timeDeltas[index] ?? 0));
});

const root: Branch = { us: 0, below: new Map() };
for (const child of byId.get(nodes[0]?.id ?? 0)?.children ?? []) add(child, root, '');
root.us = [...root.below.values()].reduce((sum, { us }) => sum + us, 0);
print(root, 0);

/** Adds a node below a branch; what it called goes below its package, so that the tree shows who works for whom. */
function add(id: number, above: Branch, caller: string): number {
  const node = byId.get(id) as ProfileNode;
  const name = nameOf(node.callFrame);
  if (name === undefined) return 0;
  const isSame = name === '' || name === caller;
  const branch = isSame ? above : (above.below.get(name) ?? { us: 0, below: new Map() });
  if (!isSame) above.below.set(name, branch);
  let us = own.get(id) ?? 0;
  for (const child of node.children ?? []) us += add(child, branch, isSame ? caller : name);
  if (!isSame) branch.us += us;
  return us;
}

/** The part that a function belongs to; '' where its caller is the better name, undefined where it is left out. */
function nameOf({ functionName, url }: ProfileNode['callFrame']): string | undefined {
  if (functionName === '(idle)' || /node:internal\/(modules|main|bootstrap)/.test(url)) return undefined;
  if (/\/(bin|gpt-tokenizer)\//.test(url)) return undefined;
  const ours = /\/dist\/(.+)\.js$/.exec(url)?.[1];
  if (ours !== undefined) return ours;
  if (/node:_?http|node:internal\/http/.test(url)) return 'node:http';
  if (url.startsWith('node:')) return /crypto/.test(url) ? 'node:crypto' : '';
  if (/node_modules/.test(url)) return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  return /^(writev|writeBuffer|writeUtf8String|writeLatin1String)$/.test(functionName)
    ? 'write to a socket'
    : functionName.startsWith('(g')
      ? functionName
      : '';
}

function print(branch: Branch, depth: number): void {
  for (const [name, below] of [...branch.below].sort(([, a], [, b]) => b.us - a.us)) {
    const share = (100 * below.us) / root.us;
    if (share < Number(least)) continue;
    console.log(`${share.toFixed(1).padStart(5)} % ${'  '.repeat(depth)}${name}`);
    print(below, depth + 1);
  }
}
