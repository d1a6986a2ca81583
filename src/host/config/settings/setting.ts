import type { z } from 'zod';
import type { Narrow } from '../narrowing.ts';

/** What the config of a project may do to a setting. */
export type ProjectRule =
  /** Nothing. */
  | { readonly direction: 'global_only' }
  /** Take away from what the person's own config gives. */
  | { readonly direction: 'narrows'; readonly narrow: Narrow }
  /** Add something that has no effect before a person trusts it. */
  | { readonly direction: 'adds_untrusted' };

export const GLOBAL_ONLY: ProjectRule = { direction: 'global_only' };
export const UNTRUSTED: ProjectRule = { direction: 'adds_untrusted' };
export const narrows = (narrow: Narrow): ProjectRule => ({ direction: 'narrows', narrow });

/** One key of config.json: everything that the program and its documentation know of it. */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  /** As it stands in the schema of its section; it may hold the default. */
  readonly schema: Schema;
  /** One line of documentation. */
  readonly summary: string;
  readonly project: ProjectRule;
  /** The default, unless the schema has it. */
  readonly default?: unknown;
  /** The same in words, where no value says it. */
  readonly unset?: string;
  /** The flag of `bindery up` that takes its place. */
  readonly flag?: string;
  /** Its value is never shown. */
  readonly isSecret?: true;
}

/** The settings of one section, by their keys. */
export type Settings = Readonly<Record<string, Setting>>;

/** A setting with the names from the top of the file, with dots; `*` is any name. */
export interface ListedSetting extends Setting {
  readonly path: string;
}

/** The shape of the section's schema. */
export function shapeOf<S extends Settings>(settings: S): { readonly [K in keyof S]: S[K]['schema'] } {
  const members = Object.entries(settings).map(([key, { schema }]) => [key, schema]);
  // Each key has the schema of its own record.
  return Object.fromEntries(members) as { readonly [K in keyof S]: S[K]['schema'] };
}

export function listed(section: string, settings: Settings): ListedSetting[] {
  return Object.entries(settings).map(([key, setting]) => ({ path: `${section}.${key}`, ...setting }));
}

/** The default; undefined: none, or what `unset` says. */
export function defaultOf({ schema, default: written }: Setting): unknown {
  if (written !== undefined) return written;
  const parsed = schema.safeParse(undefined);
  return parsed.success ? parsed.data : undefined;
}
