import { parseAst } from 'rolldown/parseAst';

/** One small fault in a source file. */
export interface Mutant {
  readonly file: string;
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  /** The original text, and its replacement. */
  readonly from: string;
  readonly to: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

interface Fault {
  readonly operator: string;
  readonly at: Node;
  readonly to: string;
}

const SWAPPED: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
};
const SWAPPED_METHODS: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
};

/** Every fault that the operators can put into a file. */
export function findMutants(file: string, text: string): Mutant[] {
  const faults: Fault[] = [];
  walk(parseAst(text, { lang: 'ts' }) as unknown as Node, (node) => faults.push(...faultsOf(node, text)));
  return faults.map(({ operator, at: { start, end }, to }) => ({
    file,
    operator,
    start,
    end,
    line: text.slice(0, start).split('\n').length,
    from: text.slice(start, end),
    to,
  }));
}

export function applyMutant(text: string, { start, end, to }: Mutant): string {
  return text.slice(0, start) + to + text.slice(end);
}

function faultsOf(node: Node, text: string): Fault[] {
  const source = (part: unknown) => text.slice((part as Node).start, (part as Node).end);
  // The tree has no parentheses: a part that moves needs its own.
  const operand = (part: unknown) => (bindsLooser(part as Node, node) ? `(${source(part)})` : source(part));
  switch (node.type) {
    case 'BinaryExpression': {
      const to = SWAPPED[node.operator as string];
      if (!to || isText(node.left) || isText(node.right)) return [];
      return [{ operator: 'comparison', at: node, to: `${operand(node.left)} ${to} ${operand(node.right)}` }];
    }
    case 'LogicalExpression':
      return [
        { operator: 'left side only', at: node, to: operand(node.left) },
        { operator: 'right side only', at: node, to: operand(node.right) },
      ];
    case 'IfStatement':
    case 'ConditionalExpression': {
      const at = node.test as Node;
      return [
        { operator: 'always', at, to: 'true' },
        { operator: 'never', at, to: 'false' },
      ];
    }
    case 'UnaryExpression':
      return node.operator === '!' ? [{ operator: 'not', at: node, to: operand(node.argument) }] : [];
    case 'Literal':
      if (typeof node.value === 'boolean') return [{ operator: 'flag', at: node, to: String(!node.value) }];
      return typeof node.value === 'number' ? [{ operator: 'number', at: node, to: String(node.value + 1) }] : [];
    case 'ExpressionStatement':
      return isEffect(node.expression as Node) ? [{ operator: 'left out', at: node, to: ';' }] : [];
    case 'CallExpression':
      return [...swappedMethod(node), ...withoutFilter(node, source)];
    default:
      return [];
  }
}

function bindsLooser(part: Node, whole: Node): boolean {
  if (part.type === 'LogicalExpression') return part.operator !== whole.operator;
  return ['ConditionalExpression', 'AssignmentExpression', 'ArrowFunctionExpression'].includes(part.type);
}

function swappedMethod({ callee }: Node): Fault[] {
  const { type, property } = callee as Node;
  const name = type === 'MemberExpression' ? ((property as Node).name as string) : '';
  const to = Object.hasOwn(SWAPPED_METHODS, name) ? SWAPPED_METHODS[name] : undefined;
  return to ? [{ operator: 'method', at: property as Node, to }] : [];
}

/** The list without its filter. */
function withoutFilter(node: Node, source: (part: unknown) => string): Fault[] {
  const { type, property, object } = node.callee as Node;
  if (type !== 'MemberExpression' || (property as Node).name !== 'filter') return [];
  return [{ operator: 'no filter', at: node, to: source(object) }];
}

function isEffect(node: Node): boolean {
  const { type, argument } = node;
  if (type === 'AwaitExpression') return isEffect(argument as Node);
  return type === 'AssignmentExpression' || (type === 'CallExpression' && !isLogCall(node));
}

/** A concatenated text is usually a message, not a decision. */
function isText(node: unknown): boolean {
  const { type, value } = node as Node;
  return type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string' && value.length > 20);
}

const WITHOUT_BEHAVIOUR = /^(TS|Import|Export(All|Specifier))/;
/** Their subtrees decide nothing: types, thrown errors, and log lines. */
function isSkipped(node: Node): boolean {
  if (WITHOUT_BEHAVIOUR.test(node.type)) return !['TSAsExpression', 'TSNonNullExpression'].includes(node.type);
  return node.type === 'ThrowStatement' || isLogCall(node);
}

function isLogCall(node: Node): boolean {
  if (node.type !== 'CallExpression') return false;
  const { type, object } = node.callee as Node;
  if (type !== 'MemberExpression') return false;
  const holder = object as Node;
  const name = holder.type === 'MemberExpression' ? (holder.property as Node).name : holder.name;
  return name === 'log' || name === '#log';
}

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child !== null && typeof child === 'object' && typeof (child as Node).type === 'string') {
        if (!isSkipped(child as Node)) walk(child as Node, visit);
      }
    }
  }
}
