import { count, ms, percent } from '../data/format.ts';
import { boundTo } from '../data/live.ts';
import { href, withQuery } from '../data/router.ts';
import type { Costs, Summary } from '../data/types.ts';
import { Scroll } from '../parts/basics.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';

interface ProfileServersProps {
  readonly summary: Summary;
  readonly costs: Costs | undefined;
}

/** A key of a profile is not told the state of servers: only which have tools for it, and the calls that its profile sent to them. */
export function ProfileServers({ summary: { servers: called, since }, costs }: ProfileServersProps) {
  const figures = new Map(called.map((one) => [one.server, one]));
  const tools = new Map((costs?.servers ?? []).map((one) => [one.server, one.tools]));
  const names = [...new Set([...tools.keys(), ...figures.keys()])].sort();
  return (
    <section class="grow">
      <h2>{t.pages.servers}</h2>
      <p class="faint">
        <Line text={t.signIn.boundServers(boundTo.value?.join(', ') ?? '')} />
      </p>
      {names.length > 0 && (
        <Scroll>
          <table>
            <thead>
              <tr>
                <th>{t.servers.name}</th>
                <th class="number">{t.servers.tools}</th>
                <th class="number">{t.overview.calls}</th>
                <th class="number">{t.overview.p95}</th>
                <th class="number">{t.overview.errors}</th>
              </tr>
            </thead>
            <tbody>
              {names.map((server) => {
                const own = figures.get(server);
                return (
                  <tr key={server}>
                    <td class="mono">
                      <a href={withQuery(href('audit'), { server, since })}>{server}</a>
                    </td>
                    <td class="number">{count(tools.get(server) ?? 0)}</td>
                    <td class="number">{count(own?.calls ?? 0)}</td>
                    <td class="number">{ms(own?.p95_us)}</td>
                    <td class="number">{own ? percent(own.failed, own.calls) : '–'}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}
