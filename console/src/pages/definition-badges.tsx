import type { ToolChange } from '../data/types.ts';
import { Badge } from '../parts/basics.tsx';
import { t } from '../texts.ts';

function flagText(flag: string): string {
  return (t.servers.flags as Readonly<Record<string, string>>)[flag] ?? flag.replaceAll('_', ' ');
}

/** Whether a definition is new, and what was found in it. */
export function DefinitionBadges({ change }: { readonly change: ToolChange }) {
  return (
    <>
      <Badge tone={change.status === 'active' ? 'off' : 'warning'}>
        {change.accepted_sha256 === null ? t.servers.newDefinition : t.servers.changedDefinition}
      </Badge>
      {change.flags.map((flag) => (
        <Badge key={flag} tone="failed">
          {flagText(flag)}
        </Badge>
      ))}
    </>
  );
}

/** How many of some definitions have each flag. */
export function Flags({ of: all }: { readonly of: readonly ToolChange[] }) {
  const flags = [...new Set(all.flatMap((change) => change.flags))];
  if (flags.length === 0) return null;
  return (
    <ul class="flags">
      {flags.map((flag) => (
        <li key={flag}>
          <Badge tone="failed">
            {t.servers.flagged(all.filter((change) => change.flags.includes(flag)).length, all.length, flagText(flag))}
          </Badge>
        </li>
      ))}
    </ul>
  );
}
