import { z } from 'zod';

/** A host name in lower case, as it stands behind `https://`. */
const Host = z
  .string()
  .max(253)
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/);

/** One row of `catalogue/hosts.yaml`: where the offices of a jurisdiction publish. */
export const JurisdictionHosts = z.looseObject({
  jurisdiction: z.string().min(1).max(100),
  /** Skills of these categories belong to it; absent: its hosts serve every artefact. */
  categories: z.array(z.string().min(1).max(200)).max(200).optional(),
  /** Each stands for its subdomains too. */
  hosts: z.array(Host).max(2000),
});
export type JurisdictionHosts = z.infer<typeof JurisdictionHosts>;

/** What decides which rows an artefact may use. */
export interface Jurisdiction {
  readonly category?: string | undefined;
  readonly jurisdiction?: string | undefined;
}

/** The hosts that an artefact may link to without the maintainer. */
export function hostsFor(rows: readonly JurisdictionHosts[], { category, jurisdiction }: Jurisdiction): string[] {
  return rows
    .filter((row) => {
      if (jurisdiction !== undefined) return row.jurisdiction === jurisdiction || row.categories === undefined;
      return category === undefined || row.categories === undefined || row.categories.includes(category);
    })
    .flatMap(({ hosts }) => hosts);
}

/** Whether a host is one of these or below one. A port is another address, and so no listed host. */
export function isListedHost(host: string, listed: readonly string[]): boolean {
  return listed.some((known) => host === known || host.endsWith(`.${known}`));
}
