import type { z } from 'zod';
import type { Narrow } from '../narrowing.ts';

/** What a project's config may do to a setting. */
export type ProjectRule =
  /** Nothing. */
  | { readonly direction: 'global_only' }
  /** Narrow the value of the user's own config. */
  | { readonly direction: 'narrows'; readonly narrow: Narrow }
  /** Add something that has no effect until a person trusts it. */
  | { readonly direction: 'adds_untrusted' };

export const GLOBAL_ONLY: ProjectRule = { direction: 'global_only' };
export const UNTRUSTED: ProjectRule = { direction: 'adds_untrusted' };
export const narrows = (narrow: Narrow): ProjectRule => ({ direction: 'narrows', narrow });

/** One key of config.json, with all its code and documentation metadata. */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  /** Its schema, possibly with the default. */
  readonly schema: Schema;
  /** One line of documentation. */
  readonly summary: string;
  readonly project: ProjectRule;
  /** The default, unless the schema has it. */
  readonly default?: unknown;
  /** Describes the default if it is not a value. */
  readonly unset?: string;
  /** The flag of `bindery up` that overrides it. */
  readonly flag?: string;
  /** Its value is never shown. */
  readonly isSecret?: true;
}

/** The settings of one section, by their keys. */
export type Settings = Readonly<Record<string, Setting>>;

/** A setting with its full path, separated by dots; `*` matches any name. */
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
