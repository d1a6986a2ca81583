import { describe, expect, test } from 'vitest';
import { readYaml } from './read-yaml.ts';

const code = (text: string) => {
  const result = readYaml(text);
  return result.ok ? 'ok' : result.code;
};

describe('[civic:K2] front matter is YAML 1.2 core, within limits', () => {
  const laughs = Array.from(
    { length: 12 },
    (_, level) => `l${level}: &l${level} [${`*l${level - 1},`.repeat(level ? 9 : 0)}]`,
  );
  test.each([
    ['a thing that repeats itself a billion times', laughs.join('\n'), 'yaml_limits'],
    [
      'two aliases that double 25 times',
      `a0: &a0 [1, 1]\n${Array.from({ length: 24 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`).join('\n')}`,
      'yaml_limits',
    ],
    ['51 aliases', `a: &a x\nlist: [${'*a, '.repeat(50)}*a]`, 'yaml_limits'],
    ['50 aliases', `a: &a x\nlist: [${'*a, '.repeat(49)}*a]`, 'ok'],
    ['11 levels', `a: ${'['.repeat(10)}${']'.repeat(10)}`, 'yaml_limits'],
    ['10 levels', `a: ${'['.repeat(9)}${']'.repeat(9)}`, 'ok'],
    ['100,000 open brackets', `a: ${'['.repeat(100_000)}`, 'frontmatter_invalid'],
    ['depth by way of aliases', `a: &a {b: {c: {d: {e: {f: [1]}}}}}\nx: {x: {x: {x: {x: *a}}}}`, 'yaml_limits'],
    ['a tag of JavaScript', 'a: !!js/function "function () {}"', 'frontmatter_invalid'],
    ['a tag of its own', 'a: !thing x', 'frontmatter_invalid'],
    ['a directive', '%YAML 1.1\n---\na: yes', 'frontmatter_invalid'],
    ['two documents', 'a: 1\n---\nb: 2', 'frontmatter_invalid'],
    ['a key twice', 'a: 1\nb: 2\na: 3', 'frontmatter_invalid'],
    ['a merge key', 'a: &a {x: 1}\nb: {<<: *a}', 'frontmatter_invalid'],
    ['a number that is none', 'a: .nan', 'frontmatter_invalid'],
    ['20,000 keys', Array.from({ length: 20_000 }, (_, i) => `"k${i}": 1`).join('\n'), 'ok'],
    ['50,000 anchors', '&a '.repeat(50_000), 'frontmatter_invalid'],
  ])('%s', (_name, text, expected) => {
    expect(code(text)).toBe(expected);
  });

  test('dates, versions and yes are texts', () => {
    expect(readYaml('a: 2026-10-01\nb: 1.0.0\nc: yes\nd: "\\u0041"')).toEqual({
      ok: true,
      value: { a: '2026-10-01', b: '1.0.0', c: 'yes', d: 'A' },
    });
  });
});
