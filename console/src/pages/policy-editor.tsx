import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { isOwner, policy, tools } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { needsAdmin } from '../data/needs-admin.ts';
import { route, setQuery } from '../data/router.ts';
import { perSession } from '../data/stores.ts';
import type { PolicyPreview, PolicySource } from '../data/types.ts';
import { ActionButton, Badge, Failure, LoadedView, VerdictBadge } from '../parts/basics.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Diff, diffLines } from '../parts/diff.tsx';
import { t } from '../texts.ts';

const EXAMPLE = '{\n  "allowlist": {\n    "servers": ["*"],\n    "tools": {},\n    "operations": {}\n  }\n}\n';
const LINT_AFTER_MS = 300;
const LINE_HEIGHT = 20;

/** Unsaved text, and the version of the file that it is based on. */
interface Draft {
  readonly text: string;
  readonly base: PolicySource;
}

/** By file: a draft survives navigation and a restart of the gateway. */
const drafts = perSession<ReadonlyMap<string, Draft>>(new Map());

function setDraft(file: string, draft: Draft | undefined): void {
  const next = new Map(drafts.value);
  if (draft) next.set(file, draft);
  else next.delete(file);
  drafts.value = next;
}

// Only a reload loses the drafts.
addEventListener('beforeunload', (event) => {
  if (drafts.value.size > 0) event.preventDefault();
});

export function PolicyEditor() {
  const loaded = useLoaded(() => api<{ files: PolicySource[] }>('/v1/policy/source'), []);
  const state = JSON.stringify(policy.value);
  // The page stays as it is until the new answer arrives, so an open review is not closed.
  useEffect(() => void loaded.refresh(), [state]);
  const asked = route.value.query.get('file');
  return (
    <LoadedView of={loaded} retry={loaded.refresh} rows={10}>
      {({ files }) => {
        const file = files.find((one) => one.file === asked) ?? files.find(({ text }) => text !== null) ?? files[0];
        if (!file) return null;
        return (
          <>
            {files.length > 1 && (
              <div class="segmented wrap" role="group" aria-label={t.policy.file}>
                {files.map((one) => (
                  <button
                    key={one.file}
                    type="button"
                    aria-pressed={one.file === file.file}
                    onClick={() => setQuery({ file: one.file, line: '' })}
                  >
                    {t.policy.layers[one.layer as keyof typeof t.policy.layers] ?? one.layer}
                    {one.text === null && ` (${t.policy.absent})`}
                  </button>
                ))}
              </div>
            )}
            <p class="faint mono wrap">{file.file}</p>
            <Editor key={file.file} source={file} onSaved={loaded.refresh} />
          </>
        );
      }}
    </LoadedView>
  );
}

function Editor({ source, onSaved }: { readonly source: PolicySource; readonly onSaved: () => void }) {
  const draft = drafts.value.get(source.file);
  const base = draft?.base ?? source;
  const text = draft?.text ?? source.text ?? EXAMPLE;
  const setText = (written: string) =>
    setDraft(source.file, written === (base.text ?? EXAMPLE) ? undefined : { text: written, base });
  const [isReviewing, setReviewing] = useState(false);
  const { preview, error } = usePreview(source.file, text);
  const isChanged = text !== (base.text ?? '');
  const isOld = base.sha256 !== source.sha256;
  const save = async () => {
    await api('/v1/policy/source', {
      method: 'PUT',
      body: { file: source.file, text, ...(base.sha256 === null ? {} : { base_sha256: base.sha256 }) },
    });
    setReviewing(false);
    setDraft(source.file, undefined);
    await Promise.all([policy.refresh(), tools.refresh()]);
    onSaved();
  };
  return (
    <>
      <CodeField text={text} onInput={setText} badLines={(preview?.findings ?? []).map(({ line }) => line)} />
      {error !== undefined && <Failure error={error} />}
      <Findings preview={preview} />
      {isOld && (
        <div class="actions" role="status">
          <Badge tone="warning">{t.policy.changedMeanwhile}</Badge>
          <button type="button" onClick={() => setDraft(source.file, { text, base: source })}>
            {t.policy.keepMine}
          </button>
        </div>
      )}
      <div class="actions">
        {isOwner.value && (
          <button
            type="button"
            class="primary"
            disabled={!isChanged || isOld || preview?.ok !== true}
            onClick={() => setReviewing(true)}
          >
            {t.policy.review}
          </button>
        )}
        {draft && source.text !== null && (
          <button type="button" onClick={() => setDraft(source.file, undefined)}>
            {t.policy.discard}
          </button>
        )}
        {!isOwner.value && <span class="faint">{needsAdmin(t.policy.toSave)}</span>}
      </div>
      {isReviewing && preview && (
        <Dialog title={t.policy.review} onClose={() => setReviewing(false)} className="wide">
          <Changes preview={preview} />
          <Diff text={diffLines(base.text ?? '', text)} />
          {isOld && <p class="failed-text">{t.policy.changedMeanwhile}</p>}
          <div class="actions">
            <ActionButton
              kind="primary"
              label={t.policy.save}
              busyLabel={t.policy.saving}
              disabled={isOld}
              run={save}
            />
            <button type="button" onClick={() => setReviewing(false)}>
              {t.common.cancel}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

/** Asks the server for a preview of the text, debounced. */
function usePreview(file: string, text: string) {
  const [state, setState] = useState<{ readonly preview?: PolicyPreview; readonly error?: unknown }>({});
  useEffect(() => {
    const ended = new AbortController();
    const timer = setTimeout(() => {
      api<PolicyPreview>('/v1/policy/preview', { method: 'POST', body: { file, text }, signal: ended.signal }).then(
        (preview) => setState({ preview }),
        (error: unknown) => {
          if (!ended.signal.aborted) setState({ error });
        },
      );
    }, LINT_AFTER_MS);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [file, text]);
  return { preview: state.preview, error: state.error };
}

interface CodeFieldProps {
  readonly text: string;
  readonly badLines: readonly number[];
  readonly onInput: (text: string) => void;
}

function CodeField({ text, badLines, onInput }: CodeFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const asked = Number(route.value.query.get('line') ?? '0');
  useEffect(() => {
    if (asked > 0 && field.current) field.current.scrollTop = Math.max(0, (asked - 4) * LINE_HEIGHT);
  }, [asked]);
  const bad = new Set(badLines);
  const lines = text.split('\n').length;
  return (
    <div class="code-field">
      <div class="gutter" ref={gutter} aria-hidden="true">
        {Array.from({ length: lines }, (_, index) => (
          <div key={index} class={`${bad.has(index + 1) ? 'bad' : ''} ${asked === index + 1 ? 'asked' : ''}`}>
            {index + 1}
          </div>
        ))}
      </div>
      <textarea
        ref={field}
        class="mono"
        aria-label={t.policy.text}
        value={text}
        rows={Math.min(28, Math.max(12, lines + 1))}
        wrap="off"
        spellcheck={false}
        onScroll={() => {
          if (gutter.current && field.current) gutter.current.scrollTop = field.current.scrollTop;
        }}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}

function Findings({ preview }: { readonly preview: PolicyPreview | undefined }) {
  if (!preview) return <p class="faint">{t.policy.linting}</p>;
  if (preview.findings.length === 0)
    return (
      <p role="status">
        <Badge tone="ok">{t.policy.noFindings}</Badge>
      </p>
    );
  return (
    <div role="status">
      <ul class="findings">
        {preview.findings.map(({ level, line, message, code }) => (
          <li key={`${line} ${code} ${message}`}>
            <Badge tone={level === 'error' ? 'failed' : 'warning'}>{t.policy.line(line)}</Badge> {message}{' '}
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Changes({ preview: { changes } }: { readonly preview: PolicyPreview }) {
  if (changes.length === 0) return <p>{t.policy.noChanges}</p>;
  return (
    <>
      <p>{t.policy.changes(changes.length)}</p>
      <ul class="policy-changes">
        {changes.slice(0, 50).map(({ server, tool, before, after }) => (
          <li key={`${server} ${tool}`}>
            <code>
              {server} / {tool}
            </code>{' '}
            <VerdictBadge verdict={before} /> → <VerdictBadge verdict={after} />
          </li>
        ))}
      </ul>
      {changes.length > 50 && <p class="faint">{t.policy.moreChanges(changes.length - 50)}</p>}
    </>
  );
}
