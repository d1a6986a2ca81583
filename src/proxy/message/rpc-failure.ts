/** A request that is answered with a JSON-RPC error. `httpStatus` is for the edge where the request itself is at fault. */
export class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;
  readonly httpStatus: number;
  /** `WWW-Authenticate` of the answer. */
  readonly challenge: string | undefined;
  /** The id of the request as it was written, where the failure is of one that could not be read otherwise. */
  readonly id: string | undefined;

  constructor(
    code: number,
    message: string,
    options: {
      data?: unknown;
      httpStatus?: number;
      challenge?: string | undefined;
      id?: string | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RpcFailure';
    this.code = code;
    this.data = options.data;
    this.httpStatus = options.httpStatus ?? 200;
    this.challenge = options.challenge;
    this.id = options.id;
  }
}
