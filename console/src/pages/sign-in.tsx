import { useState } from 'preact/hooks';
import { isUnauthorized, keepToken, Problem, typedToken } from '../data/api.ts';
import { hasEnded, isSignInNeeded, mayChange, restart, session, signOut } from '../data/live.ts';
import { go, href, route } from '../data/router.ts';
import { ActionButton, Badge, Failure, PageTitle } from '../parts/basics.tsx';
import { WithCode } from '../parts/shown.tsx';
import { t } from '../texts.ts';

/** Signs in with the link that the gateway printed, its admin token, or a key; a read-only key can change nothing. */
export function SignInPage(_props: { readonly path: readonly string[] }) {
  const [text, setText] = useState('');
  const [error, setError] = useState<unknown>();
  const run = async () => {
    setError(undefined);
    const given = text.trim();
    const link = linkOf(given);
    if (link !== undefined) {
      location.assign(link);
      return;
    }
    const opened = await openLink(given);
    if (opened !== undefined) {
      location.assign(opened);
      return;
    }
    keepToken(given);
    await session.refresh();
    const refused = await refusal();
    if (refused !== undefined) {
      keepToken('');
      void session.refresh();
      throw refused;
    }
    restart();
    if (route.value.path[0] === 'sign-in') go(href('overview'));
  };
  return (
    <>
      <PageTitle title={t.signIn.title} />
      <section class="reading">
        {!hasEnded.value && (mayChange.value || typedToken.value !== '') && (
          <p>
            <Badge tone="ok">{mayChange.value ? t.signIn.signedIn : t.signIn.readsOnly}</Badge>{' '}
            <button type="button" onClick={signOut}>
              {t.signIn.signOut}
            </button>
          </p>
        )}
        {!mayChange.value && (
          <>
            <p>
              <WithCode text={`${whatReadingNeeds()}${t.signIn.text}`} />
            </p>
            <form
              onSubmit={(event) => {
                event.preventDefault();
                run().catch(setError);
              }}
            >
              <label>
                {t.signIn.field}
                <input
                  type="password"
                  autoComplete="off"
                  value={text}
                  onInput={(event) => setText(event.currentTarget.value)}
                />
              </label>
              <div class="actions">
                <ActionButton
                  kind="primary"
                  label={t.signIn.go}
                  disabled={text.trim() === ''}
                  run={run}
                  onError={setError}
                />
              </div>
            </form>
            {error !== undefined && <Failure error={error} />}
            <p class="faint">{t.signIn.where}</p>
          </>
        )}
      </section>
    </>
  );
}

/**
 * Why the typed credential is not valid; undefined: it is. If reading needs no credential, the gateway also answers a wrong one: then
 * the answer must name a caller.
 */
async function refusal(): Promise<unknown> {
  const { value, error } = session.state.value;
  const wrong = new Problem(401, { title: t.signIn.wrong, next: t.signIn.wrongNext, code: 'TOKEN_REFUSED' });
  if (error !== undefined) return isUnauthorized(error) ? wrong : error;
  if (value?.role === 'admin' || value?.caller != null) return undefined;
  const { ok: isOpen } = await fetch('/v1/session', { credentials: 'omit', cache: 'no-store' });
  return isOpen ? wrong : undefined;
}

/** Whether this browser may read without a credential, as far as it is known. */
function whatReadingNeeds(): string {
  if (hasEnded.value) return `${t.signIn.ended} `;
  if (isSignInNeeded.value) return `${t.signIn.needed} `;
  return session.value && typedToken.value === '' ? `${t.signIn.open} ` : '';
}

/** A pasted sign-in link of this gateway. */
function linkOf(text: string): string | undefined {
  const url = URL.parse(text);
  const code = url?.origin === location.origin ? url.searchParams.get('sign_in') : null;
  return code ? `/?sign_in=${encodeURIComponent(code)}` : undefined;
}

/** Exchanges the admin token for a sign-in link that works once, so that the page need not store the token. */
async function openLink(token: string): Promise<string | undefined> {
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Problem(400, { title: t.signIn.notToken });
  const response = await fetch('/console/link', { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) return undefined;
  const { url } = (await response.json()) as { url: string };
  return `/${new URL(url).search}`;
}
