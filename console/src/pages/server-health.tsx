import { span } from '../data/format.ts';
import { now } from '../data/live.ts';
import type { ServerMoment } from '../data/types.ts';
import { Ago, Badge } from '../parts/basics.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';

const DAY_MS = 86_400_000;
const SHOWN = 8;
const TONES = { ready: 'ok', error: 'failed', auth_required: 'asks', connecting: 'off', disabled: 'off' } as const;

/** The states of the last 24 hours, drawn to scale, and the last changes in words. */
export function ServerHealth({ history }: { readonly history: readonly ServerMoment[] }) {
  if (history.length === 0) return null;
  const until = now.value;
  // A gateway that started less than a day ago has a shorter history.
  const since = Math.max(until - DAY_MS, Date.parse(history[0]?.time ?? ''));
  const length = Math.max(1, until - since);
  const parts = history.map((moment, index) => {
    const from = Math.max(since, Date.parse(moment.time));
    const to = Math.min(until, Date.parse(history[index + 1]?.time ?? new Date(until).toISOString()));
    return { ...moment, left: (100 * (from - since)) / length, width: (100 * Math.max(0, to - from)) / length };
  });
  return (
    <>
      <h2>{t.servers.health}</h2>
      <div class="health-strip" role="img" aria-label={t.servers.healthStrip(history.length)}>
        {parts.map(({ time, state, left, width }) => (
          <span key={time} class={TONES[state]} style={{ left: `${left}%`, width: `${width}%` }} />
        ))}
      </div>
      <p class="axis faint">
        <span>{t.common.ago(span(length))}</span>
        <span>{t.servers.now}</span>
      </p>
      <ul class="moments">
        {history
          .slice(-SHOWN)
          .toReversed()
          .map(({ time, state, reason }) => (
            <li key={time}>
              <Badge tone={TONES[state]}>{t.servers.moments[state]}</Badge>
              <span class="faint">
                <Ago time={time} />
              </span>
              {reason !== null && <Line text={reason} max={160} />}
            </li>
          ))}
      </ul>
    </>
  );
}
