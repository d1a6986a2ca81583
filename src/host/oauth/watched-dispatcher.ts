import type { Dispatcher } from 'undici';
import { OAUTH_LIMITS as LIMITS } from './limits.ts';

/** One request of a sign-in, and its response. */
export interface SeenRequest {
  readonly method: string;
  /** Without its query, which may hold a secret. */
  readonly url: string;
  /** Null: no response. */
  readonly status: number | null;
  /** The content type of the answer. */
  readonly type: string | null;
}

/** Wraps a dispatcher; reports each request once, when it is answered or has failed. */
export function watchedDispatcher(
  dispatcher: Dispatcher,
  onRequest: ((seen: SeenRequest) => void) | undefined,
): Dispatcher {
  if (!onRequest) return dispatcher;
  const dispatch: Dispatcher['dispatch'] = (options, handler) => {
    const { method, origin, path } = options;
    const url = `${origin ?? ''}${path.replace(/[?#].*$/s, '')}`;
    let isTold = false;
    const tell = (status: number | null, type: string | null) => {
      if (!isTold) onRequest({ method, url, status, type });
      isTold = true;
    };
    return dispatcher.dispatch(options, {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onResponseStart: (controller, status, headers, message) => {
        if (status >= 200) tell(status, contentType(headers['content-type']));
        handler.onResponseStart?.(controller, status, headers, message);
      },
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError: (controller, error) => {
        tell(null, null);
        handler.onResponseError?.(controller, error);
      },
    });
  };
  return { dispatch } as Dispatcher;
}

function contentType(header: string | string[] | undefined): string | null {
  const type = (Array.isArray(header) ? header[0] : header)?.split(';')[0]?.trim();
  return type === undefined || type === '' ? null : type.slice(0, LIMITS.shownTypeChars);
}
