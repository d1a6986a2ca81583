import { BinderyError } from '../../contract/errors.ts';

export interface GatewayAnswer {
  readonly status: number;
  readonly isOk: boolean;
  readonly text: string;
}

/**
 * Sends a request to a running gateway, and reads its whole answer. Throws `GATEWAY_NOT_RUNNING` if nothing listens there, and
 * `INTERRUPTED` if the gateway ends before it has answered: nobody knows then whether it did what was asked.
 */
export async function askGateway(url: string, request: RequestInit): Promise<GatewayAnswer> {
  try {
    const response = await fetch(url, { ...request, redirect: 'error' });
    return { status: response.status, isOk: response.ok, text: await response.text() };
  } catch (cause) {
    throw gatewayFailure(cause, request.signal ?? undefined);
  }
}

/** The gateway ended before it answered a call. */
export function gatewayEnded(cause?: unknown): BinderyError {
  return new BinderyError('INTERRUPTED', {
    detail: 'the gateway ended before it answered; what was asked may have been done',
    next: 'See whether it was: `bindery audit tail`. Start the gateway again with `bindery up`.',
    cause,
  });
}

function gatewayFailure(cause: unknown, signal: AbortSignal | undefined): unknown {
  if ((cause as Error).name === 'TimeoutError') {
    return new BinderyError('TIMED_OUT', {
      detail: 'the gateway did not answer in time; what was asked may have been done',
      next: 'See whether it was: `bindery audit tail`. `bindery doctor` tells how the gateway is.',
      cause,
    });
  }
  if (signal?.aborted || !(cause instanceof TypeError)) return cause;
  const { code } = (cause.cause ?? {}) as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' ? new BinderyError('GATEWAY_NOT_RUNNING', { cause }) : gatewayEnded(cause);
}
