import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { useLoaded } from '../data/loaded.ts';
import { route } from '../data/router.ts';
import { Badge, Empty, LoadedView, Scroll } from '../parts/basics.tsx';
import { Line, WithCode } from '../parts/shown.tsx';
import { t } from '../texts.ts';

interface Setting {
  readonly key: string;
  readonly value: unknown;
  readonly source: keyof typeof t.settings.from;
  readonly file: string | null;
  readonly set_by: keyof typeof t.settings.setBy;
  readonly default: unknown;
  readonly flag: string | null;
  readonly summary: string;
  readonly notes: readonly string[];
}

/** The settings in force, all or those of a section, and the source of each value; the gateway masks secrets. */
export function EffectiveSettings({ section }: { readonly section?: string }) {
  const loaded = useLoaded(
    () => api<{ settings: Setting[] }>('/v1/config/settings', { query: { key: section } }),
    [section],
  );
  const [text, setText] = useState(section === undefined ? (route.value.query.get('key') ?? '') : '');
  const [isSetOnly, setSetOnly] = useState(false);
  const isShown = ({ key, summary, source }: Setting) =>
    (!isSetOnly || source !== 'default') && `${key} ${summary}`.toLowerCase().includes(text.toLowerCase());
  return (
    <LoadedView of={loaded} retry={loaded.refresh} rows={12}>
      {({ settings }) => {
        const shown = settings.filter(isShown).toSorted((a, b) => (a.key < b.key ? -1 : 1));
        return (
          <>
            <div class="filters">
              <label class="grow">
                <span>{t.settings.filter}</span>
                <input value={text} onInput={(event) => setText(event.currentTarget.value)} />
              </label>
              <label class="inline">
                <input
                  type="checkbox"
                  checked={isSetOnly}
                  onChange={(event) => setSetOnly(event.currentTarget.checked)}
                />
                <span>{t.settings.setOnly}</span>
              </label>
            </div>
            {shown.length === 0 ? <Empty text={t.settings.noSetting} /> : <SettingTable settings={shown} />}
          </>
        );
      }}
    </LoadedView>
  );
}

function SettingTable({ settings }: { readonly settings: readonly Setting[] }) {
  return (
    <Scroll>
      <table class="fold" style={{ '--fold': 'minmax(0, 1fr)' }}>
        <thead>
          <tr>
            <th>{t.settings.key}</th>
            <th class="below">{t.settings.value}</th>
            <th class="below">{t.settings.comesFrom}</th>
            <th class="below">{t.settings.maySet}</th>
          </tr>
        </thead>
        <tbody>
          {settings.map((setting) => (
            <tr key={setting.key}>
              <td>
                <code>{setting.key}</code>
                <div class="faint">
                  <WithCode text={setting.summary} />
                </div>
                {setting.notes.map((note) => (
                  <div key={note} class="failed-text">
                    <Line text={note} max={200} />
                  </div>
                ))}
              </td>
              <td class="mono wrap below" data-label={t.settings.value}>
                <Line text={shownValue(setting)} max={160} />
              </td>
              <td class="below" data-label={t.settings.comesFrom}>
                <Badge
                  tone={setting.source === 'default' ? 'off' : 'asks'}
                  icon={setting.source === 'default' ? 'off' : 'ok'}
                >
                  {t.settings.from[setting.source]}
                </Badge>
                {setting.file !== null && (
                  <div class="faint mono">
                    <Line text={setting.file} max={120} />
                  </div>
                )}
                {setting.source === 'flag' && setting.flag !== null && (
                  <div>
                    <code>{setting.flag}</code>
                  </div>
                )}
              </td>
              <td class="faint below" data-label={t.settings.maySet}>
                {t.settings.setBy[setting.set_by]}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** The value, or a description of the default if nothing is set. */
function shownValue({ value, default: unset }: Setting): string {
  if (value !== null) return JSON.stringify(value);
  return typeof unset === 'string' ? unset : '–';
}
