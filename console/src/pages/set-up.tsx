import { api } from '../data/api.ts';
import { useLoaded } from '../data/loaded.ts';
import { Ago, Badge, CopyButton, LoadedView, Scroll } from '../parts/basics.tsx';
import { Line, WithCode } from '../parts/shown.tsx';
import { t } from '../texts.ts';

interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'error' | 'fixed';
  readonly message: string;
  readonly fix: string | null;
}

const TONES = { ok: 'ok', warning: 'warning', error: 'failed', fixed: 'ok' } as const;
const ORDER = ['error', 'warning', 'fixed', 'ok'] as const;

/** What `bindery doctor` finds, the worst first, each with its remedy. */
export function Findings() {
  const loaded = useLoaded(() => api<{ ok: boolean; findings: Finding[] }>('/v1/doctor'), []);
  return (
    <LoadedView of={loaded} retry={loaded.refresh} rows={8}>
      {({ findings }) => (
        <>
          <p class="faint">
            {t.settings.findingsText} <code>bindery doctor</code>
          </p>
          <Scroll>
            <table>
              <thead>
                <tr>
                  <th>{t.settings.state}</th>
                  <th>{t.settings.check}</th>
                  <th>{t.settings.found}</th>
                </tr>
              </thead>
              <tbody>
                {findings
                  .toSorted((a, b) => ORDER.indexOf(a.level) - ORDER.indexOf(b.level))
                  .map((finding, index) => (
                    <tr key={index}>
                      <td>
                        <Badge tone={TONES[finding.level]}>{finding.level}</Badge>
                      </td>
                      <td>
                        <Line text={finding.check} max={60} />
                      </td>
                      <td>
                        <WithCode text={finding.message} />
                        {finding.fix !== null && <Remedy text={finding.fix} />}
                      </td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </Scroll>
        </>
      )}
    </LoadedView>
  );
}

/** The remedy, with its command if it has one. */
function Remedy({ text }: { readonly text: string }) {
  const command = /`(bindery [^`]+)`/.exec(text)?.[1];
  return (
    <p>
      → <WithCode text={text} /> {command !== undefined && <CopyButton text={command} />}
    </p>
  );
}

interface Node {
  readonly name: string;
  readonly url: string | null;
  readonly present: boolean;
  readonly seen_at: string;
  readonly self: boolean;
}

export function Nodes() {
  const loaded = useLoaded(() => api<{ items: Node[] }>('/v1/nodes'), []);
  return (
    <LoadedView of={loaded} retry={loaded.refresh} rows={2}>
      {({ items }) => (
        <>
          {items.length === 1 && <p class="faint">{t.settings.oneNode}</p>}
          <Scroll>
            <table>
              <thead>
                <tr>
                  <th>{t.settings.state}</th>
                  <th>{t.settings.node}</th>
                  <th>{t.settings.reachedAt}</th>
                  <th>{t.settings.seen}</th>
                </tr>
              </thead>
              <tbody>
                {items.map(({ name, url, present, seen_at, self }) => (
                  <tr key={name}>
                    <td>
                      <Badge tone={present ? 'ok' : 'failed'}>{present ? t.settings.there : t.settings.away}</Badge>
                    </td>
                    <td class="mono">
                      <Line text={name} max={64} /> {self && <span class="faint">{t.settings.thisNode}</span>}
                    </td>
                    <td class="mono">
                      <Line text={url ?? '–'} max={120} />
                    </td>
                    <td class="nowrap">
                      <Ago time={seen_at} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </>
      )}
    </LoadedView>
  );
}
