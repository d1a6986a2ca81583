import { z } from 'zod';
import { CIVIC_LIMITS, ID_PATTERN, PROVIDERS_PER_CATEGORY_MIN } from '../config.ts';
import { hex } from '../reads/answer.ts';

const Id = z.string().max(CIVIC_LIMITS.text.id).regex(ID_PATTERN);
const Name = z.string().trim().min(1).max(CIVIC_LIMITS.text.name);
const LicenceDate = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

/** The public members of a provider, in the order in which they are served. */
const PublicProvider = z.looseObject({
  id: Id,
  name: Name,
  category: Id,
  api_spec_url: z
    .string()
    .max(2000)
    .regex(/^https:\/\/[^\s<>"]+$/),
  languages: z.array(z.string().min(2).max(35)).max(50).default([]),
  areas: z.array(z.string().min(1).max(100)).max(500).default([]),
  licence: z.object({ number: z.string().max(100).optional(), valid_until: LicenceDate }),
});

/** The provider directory file. `billing` is allowed in it, but never read. */
export const ProviderFile = z.object({
  categories: z
    .array(z.looseObject({ id: Id, title: Name }))
    .max(500)
    .default([]),
  providers: z
    .array(
      PublicProvider.extend({
        eligible: z.boolean().default(false),
        /** A local copy of the API description: used by the checks, never served. */
        api_spec_file: z
          .string()
          .max(200)
          .regex(/^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._/-]*$/)
          .optional(),
      }),
    )
    .max(10_000)
    .default([]),
});
export type ProviderFile = z.infer<typeof ProviderFile>;
export type ProviderEntry = ProviderFile['providers'][number];

export interface ProviderSource {
  /** Undefined if no directory is configured. */
  directory(): ProviderFile | undefined;
  /** Whether a maintainer removed this provider for cause. */
  isRemoved(id: string): boolean;
}

export interface ServedProvider {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly api_spec_url: string;
  readonly languages: readonly string[];
  readonly areas: readonly string[];
  readonly licence: object;
}

/** Every category, with the number of providers shown today. */
export function listCategories(source: ProviderSource, nowMs: number): { id: string; title: string; total: number }[] {
  const file = source.directory();
  return [...(file?.categories ?? [])]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, title }) => ({ id, title, total: shown(source, id, nowMs).length }));
}

/**
 * The eligible providers of a category, ordered by a hash of id and date, so that no provider can buy a place. Undefined: no such category.
 */
export async function listProviders(
  source: ProviderSource,
  category: string,
  nowMs: number,
): Promise<ServedProvider[] | undefined> {
  if (!hasCategory(source, category)) return undefined;
  const ranked = await Promise.all(
    shown(source, category, nowMs).map(async (entry) => {
      const text = new TextEncoder().encode(rankedText(entry, nowMs));
      return { entry, rank: hex(await crypto.subtle.digest('SHA-256', text)) };
    }),
  );
  return inOrder(ranked);
}

/** The same, synchronous, with a given SHA-256 function (hexadecimal): only Node has a synchronous one. */
export function listProvidersBy(
  sha256: (text: string) => string,
  source: ProviderSource,
  category: string,
  nowMs: number,
): ServedProvider[] | undefined {
  if (!hasCategory(source, category)) return undefined;
  return inOrder(shown(source, category, nowMs).map((entry) => ({ entry, rank: sha256(rankedText(entry, nowMs)) })));
}

function hasCategory(source: ProviderSource, category: string): boolean {
  return source.directory()?.categories.some(({ id }) => id === category) ?? false;
}

function inOrder(ranked: { readonly entry: ProviderEntry; readonly rank: string }[]): ServedProvider[] {
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ entry }) => toServed(entry));
}

/** All providers shown today as one text: it changes whenever a list changes. */
export function shownIds(source: ProviderSource, nowMs: number): string {
  const categories = source.directory()?.categories ?? [];
  return [
    utcDate(nowMs),
    ...categories.map(
      ({ id }) =>
        `${id}:${shown(source, id, nowMs)
          .map((entry) => JSON.stringify(entry))
          .join()}`,
    ),
  ].join('\n');
}

/** A list as text: name and API address, nothing that ranks. */
export function providerLines(providers: readonly ServedProvider[]): string {
  if (providers.length === 0) return '';
  return `\n${providers.map(({ name, api_spec_url }) => `- ${name.replaceAll(/[<>{}\r\n]/g, ' ')}: ${api_spec_url}\n`).join('')}`;
}

export function isEligible(entry: ProviderEntry, source: ProviderSource, nowMs: number): boolean {
  return entry.eligible && entry.licence.valid_until >= utcDate(nowMs) && !source.isRemoved(entry.id);
}

function shown(source: ProviderSource, category: string, nowMs: number): ProviderEntry[] {
  const eligible = (source.directory()?.providers ?? []).filter(
    (entry) => entry.category === category && isEligible(entry, source, nowMs),
  );
  return eligible.length < PROVIDERS_PER_CATEGORY_MIN ? [] : eligible;
}

function toServed({ id, name, category, api_spec_url, languages, areas, licence }: ProviderEntry): ServedProvider {
  return { id, name, category, api_spec_url, languages, areas, licence };
}

function rankedText({ id }: ProviderEntry, nowMs: number): string {
  return `${id}|${utcDate(nowMs)}`;
}

function utcDate(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}
