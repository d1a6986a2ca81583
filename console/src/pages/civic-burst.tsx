import { api } from '../data/api.ts';
import { ActionButton } from '../parts/basics.tsx';
import { Line, Shown } from '../parts/shown.tsx';
import { t } from '../texts.ts';

/** A page of the concerns of a burst. */
export interface BurstPage {
  readonly concerns: number;
  readonly from: number;
  readonly through: number;
  readonly reports: readonly { readonly submission_id: string; readonly kind?: string; readonly report?: string }[];
}

interface BurstProps {
  readonly queueId: string;
  readonly pages: readonly BurstPage[];
  readonly onRead: (page: BurstPage) => unknown;
}

/** The page of concerns in the content of a burst item. */
export function burstIn(content: unknown): BurstPage | undefined {
  const page = content as Partial<BurstPage> | null;
  return typeof page?.through === 'number' && Array.isArray(page.reports) ? (page as BurstPage) : undefined;
}

/** The concerns of a burst, a page at a time: only loaded concerns can be released. */
export function Burst({ queueId, pages, onRead }: BurstProps) {
  const last = pages.at(-1);
  if (!last) return null;
  const readOn = async () => {
    const path = `/api/review/${encodeURIComponent(queueId)}?from=${last.through + 1}`;
    const page = burstIn((await api<{ readonly content: unknown }>(path)).content);
    if (page) onRead(page);
  };
  return (
    <>
      <h3>{t.civic.burst(last.through, last.concerns)}</h3>
      <ol>
        {pages.flatMap(({ reports }) =>
          reports.map(({ submission_id, kind, report, ...others }) => (
            <li key={submission_id}>
              <Line text={kind ?? ''} /> <Shown text={report ?? ''} fold={800} />
              {saidBeside(others).map((text) => (
                <Shown key={text} text={text} fold={300} />
              ))}
            </li>
          )),
        )}
      </ol>
      {last.through < last.concerns && <ActionButton label={t.civic.burstMore} run={readOn} />}
    </>
  );
}

const TARGET: ReadonlySet<string> = new Set(['target_type', 'target_id']);

function saidBeside(others: object): string[] {
  return Object.entries(others).flatMap(([name, value]) => (TARGET.has(name) ? [] : [`${name}: ${value}`]));
}
