import { type Document, isAlias, isCollection, isMap, isNode, isScalar, parseDocument } from 'yaml';
import { CORPUS_LIMITS } from '../config.ts';
import { readPlainYaml } from './plain-yaml.ts';

export type YamlResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: 'yaml_limits' | 'frontmatter_invalid'; readonly message: string };

/** Parses one YAML 1.2 document (core schema) within limits: no tags, few aliases, little depth. */
export function readYaml(text: string): YamlResult {
  const plain = readPlainYaml(text);
  return plain === undefined ? readAnyYaml(text) : { ok: true, value: plain };
}

/** The full parser behind `readYaml`. */
export function readAnyYaml(text: string): YamlResult {
  try {
    const document = parseDocument(text, {
      schema: 'core',
      version: '1.2',
      // The parser's own check is quadratic; ours is below.
      uniqueKeys: false,
      stringKeys: true,
      prettyErrors: false,
      logLevel: 'error',
    });
    const fault = document.errors[0] ?? document.warnings[0];
    if (fault) return invalid(firstLine(fault.message));
    if (document.directives?.yaml.explicit) return invalid('directives are not allowed');
    return checkNodes(document) ?? toValue(document);
  } catch (thrown) {
    if (thrown instanceof RangeError || thrown instanceof ReferenceError) return limits('nests or repeats too much');
    throw thrown;
  }
}

function toValue(document: Document): YamlResult {
  // The parser counts the anchor itself as an alias.
  const value: unknown = document.toJS({ maxAliasCount: CORPUS_LIMITS.yamlAliasesMax + 1 });
  if (depthOf(value) > CORPUS_LIMITS.yamlDepthMax) return limits(`is deeper than ${CORPUS_LIMITS.yamlDepthMax} levels`);
  return { ok: true, value };
}

function checkNodes(document: Document): YamlResult | undefined {
  let aliases = 0;
  const pending: { node: unknown; depth: number }[] = [{ node: document.contents, depth: 1 }];
  for (let item = pending.pop(); item; item = pending.pop()) {
    const { node, depth } = item;
    if (!isNode(node)) continue;
    if (isAlias(node)) {
      aliases += 1;
      if (aliases > CORPUS_LIMITS.yamlAliasesMax)
        return limits(`has more than ${CORPUS_LIMITS.yamlAliasesMax} aliases`);
      continue;
    }
    if (isScalar(node) && typeof node.value === 'number' && !Number.isFinite(node.value)) {
      return invalid('a number is not finite');
    }
    if (!isCollection(node)) continue;
    if (depth > CORPUS_LIMITS.yamlDepthMax) return limits(`is deeper than ${CORPUS_LIMITS.yamlDepthMax} levels`);
    if (isMap(node)) {
      const keys = new Set<unknown>();
      for (const pair of node.items) {
        const key = isScalar(pair.key) ? pair.key.value : undefined;
        if (typeof key !== 'string' || key === '<<') return invalid('a key is not a plain text');
        if (keys.has(key)) return invalid(`the key "${key.slice(0, 60)}" is there twice`);
        keys.add(key);
        pending.push({ node: pair.value, depth: depth + 1 });
      }
    } else {
      for (const child of node.items) pending.push({ node: child, depth: depth + 1 });
    }
  }
  return undefined;
}

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > CORPUS_LIMITS.yamlDepthMax) return depth;
  return Math.max(depth + 1, ...Object.values(value).map((child) => depthOf(child, depth + 1)));
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0]?.slice(0, 200) ?? '';
}

function invalid(message: string): YamlResult {
  return { ok: false, code: 'frontmatter_invalid', message };
}

function limits(message: string): YamlResult {
  return { ok: false, code: 'yaml_limits', message };
}
