import { z } from 'zod';
import type { AnyOperation } from '../../src/contract/operation.ts';

/** Text as somebody writes it who wants to drive a terminal, or to have a line taken for one of the program's own. */
export const HOSTILE =
  'evil\tcolumn\nfalse line\r\u001b[2J\u001b]0;t\u0007\u009b31m\u202edesrever\u200b\u{e0041}\u2028end';

/** The same number of columns and lines, and nothing that is hidden. */
export const SEVERAL_LINES = 'kind\tcolumn\nsecond line';

/** What a terminal must not get; tabs and line feeds are how lists are laid out. */
export const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{E0000}-\u{E0FFF}]/u;

interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** An output of the shape that the operation declares, with every text written by `text`, which is told the name of the member. */
export function outputOf({ output }: AnyOperation, text: (member: string | undefined) => string): unknown {
  const root = z.toJSONSchema(output, { unrepresentable: 'any' }) as Schema;
  const make = (schema: Schema, member: string | undefined, depth: number): unknown => {
    if (depth > 8) return text(member);
    if (schema.$ref !== undefined) return make(defined(root, schema.$ref), member, depth + 1);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return schema.enum[0];
    const choice = (schema.anyOf ?? schema.oneOf)?.find(({ type }) => type !== 'null');
    if (choice) return make(choice, member, depth + 1);
    if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => make(part, member, depth + 1)));
    switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
      case 'integer':
      case 'number':
        return 1;
      case 'boolean':
        return false;
      case 'array':
        return schema.prefixItems
          ? schema.prefixItems.map((item) => make(item, member, depth + 1))
          : [schema.items, schema.items].map((item) => make(item ?? {}, member, depth + 1));
      case 'object':
        return members(schema, member, depth);
      default:
        return text(member);
    }
  };
  const members = (schema: Schema, member: string | undefined, depth: number): object => {
    const own = Object.entries(schema.properties ?? {}).map(([name, one]) => [name, make(one, name, depth + 1)]);
    const others = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
    const more = others && [[text(undefined), make(others, member, depth + 1)]];
    return Object.fromEntries([...own, ...(more ?? [])]);
  };
  return make(root, undefined, 0);
}

function defined(root: Schema, reference: string): Schema {
  return reference === '#' ? root : (root.$defs?.[reference.slice('#/$defs/'.length)] ?? {});
}

/** How a text is laid out: its lines, each by its number of columns. */
export function layoutOf(text: string): number[] {
  return text.split('\n').map((line) => line.split('\t').length);
}
