import { useState } from 'preact/hooks';
import { count } from '../data/format.ts';
import { watchWork } from '../data/work.ts';
import { ActionButton, Badge } from '../parts/basics.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { t } from '../texts.ts';

interface Progress {
  readonly done: number;
  readonly total: number;
}

interface Built {
  readonly cache_version: string;
  readonly document_count: number;
}

interface BuildCacheProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** Rebuilds a cache, or builds a new one; the old cache is served until the new one is complete. */
export function BuildCache({ name, onClose }: BuildCacheProps) {
  const [cache, setCache] = useState(name);
  const [sources, setSources] = useState('');
  const [progress, setProgress] = useState<Progress>();
  const [built, setBuilt] = useState<Built>();
  const build = async () => {
    setBuilt(undefined);
    setProgress({ done: 0, total: 0 });
    const path = `/v1/context/caches/${encodeURIComponent(cache)}/build`;
    try {
      setBuilt(await watchWork<Progress, Built>(path, { body: { sources } }, setProgress));
    } finally {
      setProgress(undefined);
    }
  };
  return (
    <Dialog title={t.context.build} onClose={onClose}>
      <label>
        {t.context.cache}
        <input class="mono" value={cache} onInput={(event) => setCache(event.currentTarget.value)} />
      </label>
      <label>
        {t.context.sources}
        <input
          class="mono"
          value={sources}
          placeholder={t.context.sourcesHint}
          spellcheck={false}
          onInput={(event) => setSources(event.currentTarget.value)}
        />
      </label>
      {progress && (
        <p aria-live="polite">
          <progress max={Math.max(1, progress.total)} value={progress.done} />{' '}
          {t.context.progress(count(progress.done), count(progress.total))}
        </p>
      )}
      {built && (
        <p>
          <Badge tone="ok">{t.context.built(count(built.document_count))}</Badge>{' '}
          <code>{built.cache_version.slice(0, 19)}</code>
        </p>
      )}
      <div class="actions">
        <ActionButton
          kind="primary"
          label={t.context.build}
          busyLabel={t.context.building}
          disabled={!/^[A-Za-z0-9][\w.-]{0,63}$/.test(cache) || sources.trim() === ''}
          run={build}
        />
        <button type="button" onClick={onClose}>
          {t.common.close}
        </button>
      </div>
    </Dialog>
  );
}
