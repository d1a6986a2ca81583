import { z } from 'zod';

/** A lower-case host name, without a scheme. */
const Host = z
  .string()
  .max(253)
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/);

/** One row of `catalogue/hosts.yaml`: the hosts on which a jurisdiction publishes. */
export const JurisdictionHosts = z.looseObject({
  jurisdiction: z.string().min(1).max(100),
  /** Categories of skills that belong to it; absent: its hosts serve every artefact. */
  categories: z.array(z.string().min(1).max(200)).max(200).optional(),
  /** Each includes its subdomains. */
  hosts: z.array(Host).max(2000),
});
export type JurisdictionHosts = z.infer<typeof JurisdictionHosts>;

/** Decides which rows apply to an artefact. */
export interface Jurisdiction {
  readonly category?: string | undefined;
  readonly jurisdiction?: string | undefined;
}

/** The hosts that an artefact may link to without review. */
export function hostsFor(rows: readonly JurisdictionHosts[], { category, jurisdiction }: Jurisdiction): string[] {
  return rows
    .filter((row) => {
      if (jurisdiction !== undefined) return row.jurisdiction === jurisdiction || row.categories === undefined;
      return category === undefined || row.categories === undefined || row.categories.includes(category);
    })
    .flatMap(({ hosts }) => hosts);
}

/** Whether a host or a parent of it is listed. A host with a port is never listed. */
export function isListedHost(host: string, listed: readonly string[]): boolean {
  return listed.some((known) => host === known || host.endsWith(`.${known}`));
}
