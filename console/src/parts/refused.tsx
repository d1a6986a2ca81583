import { boundTo, session } from '../data/live.ts';
import { href } from '../data/router.ts';
import { t } from '../texts.ts';
import { Empty } from './basics.tsx';

/** A page that shows more than one profile, to a key that is bound to profiles. */
export function BeyondProfile() {
  return (
    <Empty text={t.signIn.bound(boundTo.value?.join(', ') ?? '')}>
      <a class="button" href={href('overview')}>
        {t.common.toOverview}
      </a>
    </Empty>
  );
}

/** Whether the gateway refuses this browser what it tells no key. */
export function isRefusedToKeys(): boolean {
  return session.value?.caller != null;
}

/** A page that the gateway tells no key. */
export function NotForKeys({ what }: { readonly what: string }) {
  return <Empty text={t.signIn.notAKey(what)} />;
}
