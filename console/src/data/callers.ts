import { listAll } from './api.ts';
import { sourcePerSession } from './loaded.ts';
import { whenForgotten } from './stores.ts';
import type { Key } from './types.ts';

const KEY_CALLER = 'key:';
const keys = sourcePerSession<Key[]>(() => listAll('/v1/keys'));
let isAsked = false;

/** The name of a caller's key; undefined: it has none, or this page may not read it. */
export function keyName(caller: string | undefined): string | undefined {
  if (caller === undefined || !caller.startsWith(KEY_CALLER)) return undefined;
  if (!isAsked) {
    isAsked = true;
    queueMicrotask(() => void keys.refresh());
  }
  return keys.value?.find(({ id }) => `${KEY_CALLER}${id}` === caller)?.name;
}

// The names are read again once a page shows a caller.
whenForgotten(() => {
  isAsked = false;
});

/** Whether a caller has its own credential: a key or a user. Others share a name. */
export function hasCredential(caller: string): boolean {
  return /^(key|user):/.test(caller);
}
