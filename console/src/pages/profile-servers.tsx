import { count, ms, percent } from '../data/format.ts';
import { boundTo } from '../data/live.ts';
import { href, withQuery } from '../data/router.ts';
import type { Summary } from '../data/types.ts';
import { Scroll } from '../parts/basics.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';

/** A key of a profile is not told the state of servers: only the calls that its profile sent to them. */
export function ProfileServers({ summary: { servers: called, since } }: { readonly summary: Summary }) {
  return (
    <section class="grow">
      <h2>{t.pages.servers}</h2>
      <p class="faint">
        <Line text={t.signIn.boundServers(boundTo.value?.join(', ') ?? '')} />
      </p>
      {called.length > 0 && (
        <Scroll>
          <table>
            <thead>
              <tr>
                <th>{t.servers.name}</th>
                <th class="number">{t.overview.calls}</th>
                <th class="number">{t.overview.p95}</th>
                <th class="number">{t.overview.errors}</th>
              </tr>
            </thead>
            <tbody>
              {called.map(({ server, calls, failed, p95_us }) => (
                <tr key={server}>
                  <td class="mono">
                    <a href={withQuery(href('audit'), { server, since })}>{server}</a>
                  </td>
                  <td class="number">{count(calls)}</td>
                  <td class="number">{ms(p95_us)}</td>
                  <td class="number">{percent(failed, calls)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}
