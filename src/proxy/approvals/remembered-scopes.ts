import { visibleLine } from '../../contract/visible-text.ts';
import type { Approval } from '../../gateway/approval/approval.ts';
import type { Judgement } from '../../gateway/policy/decide.ts';
import type { Client } from '../message/client.ts';

/** A remembered approval counts as far as the current policy allows. */
export function rememberedScopes({ session, caller, profile, info }: Client, { remember }: Judgement): string[] {
  if (remember === 'never') return [];
  const own = sessionScope({ session: session ?? null, caller, profile, client: info ?? null });
  return remember === 'always' ? [own, 'always'] : [own];
}

/** What "this session" means: the session itself, or for a client without one, who it says it is. */
export function sessionScope({
  session,
  caller,
  profile,
  client,
}: Pick<Approval, 'session' | 'caller' | 'profile' | 'client'>): string {
  // An approval has the name as it is shown.
  return session ?? `${caller}/${profile}/${visibleLine(client?.name ?? '')}`;
}
