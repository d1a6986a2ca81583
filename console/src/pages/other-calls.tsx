import { waiting } from '../data/live.ts';
import { href } from '../data/router.ts';
import type { Approval } from '../data/types.ts';
import { Ago } from '../parts/basics.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { type Difference, differences } from './differences.ts';

const CALLS_SHOWN = 3;
const PLACES_SHOWN = 5;

/** Calls of the same tool that wait with other arguments, and where they differ from this one: two may look alike. */
export function OtherCalls({ approval }: { readonly approval: Approval }) {
  const { id, server, tool, arguments_sha256 } = approval;
  if (approval.status !== 'pending') return null;
  const others = waiting.value.filter(
    (one) => one.id !== id && one.server === server && one.tool === tool && one.arguments_sha256 !== arguments_sha256,
  );
  if (others.length === 0) return null;
  return (
    <div class="other-calls">
      <p>{t.approvals.others(others.length)}</p>
      <ul>
        {others.slice(0, CALLS_SHOWN).map((other) => (
          <li key={other.id}>
            <a href={href('approvals', other.id)}>
              <Ago time={other.created_at} />
            </a>
            {': '}
            <Places found={differences(approval.arguments ?? {}, other.arguments ?? {})} />
          </li>
        ))}
      </ul>
      {others.length > CALLS_SHOWN && <p class="faint">{t.approvals.moreOthers(others.length - CALLS_SHOWN)}</p>}
    </div>
  );
}

function Places({ found }: { readonly found: readonly Difference[] }) {
  if (found.length === 0) return <>{t.approvals.differsUnseen}</>;
  return (
    <>
      {t.approvals.differsAt}{' '}
      {found.slice(0, PLACES_SHOWN).map(({ path, from }, index) => (
        <span key={path}>
          {index > 0 && ', '}
          <code>
            <Line text={path} max={80} isEscaped />
          </code>
          {from !== undefined && from > 1 && ` ${t.approvals.fromCharacter(from)}`}
        </span>
      ))}
      {found.length > PLACES_SHOWN && ` ${t.approvals.morePlaces(found.length - PLACES_SHOWN)}`}
    </>
  );
}
