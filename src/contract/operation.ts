import type { z } from 'zod';
import type { BinderyError, ErrorCode } from './errors.ts';

/** The face that a call came through. */
export type Face = 'http' | 'mcp' | 'cli' | 'library';

/** How long the credential of a caller is valid. */
export interface Holding {
  /** When it expires, in milliseconds since 1970; undefined: never. */
  readonly until?: number;
  /** Aborted when the credential is revoked before it expires. */
  readonly over?: AbortSignal;
}

/** A browser that signed in as the admin. */
export interface SignIn {
  /** It can still change something; a sign-in reads longer than that. */
  readonly mayChange: boolean;
  /** A value that only this browser may send, for a short time, to confirm `what`. */
  confirmation(what: string): { readonly value: string; readonly untilMs: number };
  hasConfirmed(what: string, value: string): boolean;
}

/** The context of a call, as an operation sees it. */
export interface Call {
  readonly face: Face;
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** A header of the HTTP request that carries the call; undefined on faces without headers. */
  header(name: string): string | undefined;
  /** Address of the peer's socket, if there is one. */
  readonly peerAddress: string | undefined;
  /**
   * Sets a header of the HTTP answer, whether it is an output or a problem; absent on faces without headers. A function
   * supplies the value when the answer is sent, if nothing else has set it by then.
   */
  readonly setHeader?: (name: string, value: string | (() => string)) => void;
  /** Set by authentication if the answer may outlive the credential: the stream ends with it. */
  holding?: Holding | undefined;
  /** The authenticated caller; set by authentication. Undefined: the admin, or an anonymous caller. */
  caller?: string | undefined;
  /** Profiles that the credential is bound to; set by authentication. Undefined: all. */
  profiles?: readonly string[] | undefined;
  /** Set by authentication if the call comes from a signed-in browser. */
  signIn?: SignIn | undefined;
  /** Reports progress of long work. */
  progress(done: number, total?: number, message?: string): void;
}

/** Safety hints: the MCP annotations, and whether a credential is needed to change something. */
export interface Hints {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

export const READ_ONLY: Hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };

/** The parts of an HTTP request from which an operation's input is read. */
export interface HttpParts {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The parsed JSON body; undefined if the method has none. */
  readonly body: unknown;
  header(name: string): string | undefined;
}

/** Status and headers of an HTTP answer. */
export interface HttpMeta {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpFace<In, Out> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/v1/caches/{name}`: names in braces are members of the input. */
  readonly path: string;
  /** Reads the raw input; by default path parameters, query and body are merged, and texts are coerced by the schema. */
  readonly read?: (parts: HttpParts) => unknown;
  /** The member of the input that gets the whole body; by default the body has members of the input. */
  readonly body?: string;
  /** Members of the input that come in headers, with the headers' names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Status and headers that follow from the output. */
  readonly meta?: (output: Out, input: In) => HttpMeta;
  /** Entity tag with its quotes: an equal `If-None-Match` is answered with 304. Undefined: this output has none. */
  readonly etag?: (output: Out) => string | undefined;
  /** It is limited to `Call.profiles`. Absent: a credential that is bound to profiles is refused. */
  readonly perProfile?: true;
  /** It shows what callers did or requested: the shared token may not use it. */
  readonly showsCallers?: true;
  /** Any web page may read it (CORS): for public directories and documents. */
  readonly crossOrigin?: true;
  /**
   * `open`: needs no credential although it changes something under /v1. `named`: needs a credential on loopback too, because it is
   * costly and limited per caller.
   */
  readonly access?: 'open' | 'named';
  /**
   * For an operation whose answer depends only on the URL, these headers and the version of its dependencies: answers
   * are cached by URL until the version changes. Problems are not cached.
   */
  readonly keep?: { readonly headers: readonly string[]; version(deps: unknown): unknown };
  /** The output is a stream of bytes, sent as they arrive until the caller leaves; `encode` is not used. */
  readonly streams?: true;
  /** Default: application/json. */
  readonly contentType?: string;
  /** Default: LIMITS.httpBodyBytesMax. */
  readonly bodyBytesMax?: number;
  /** The body may have any number of members. Only for operations that need a credential. */
  readonly hasManyMembers?: true;
}

export interface McpFace<Out> {
  readonly tool: string;
  /** Default true: the output is also in `structuredContent`. */
  readonly structured?: boolean;
  /** Whether this output reports a failure; default never. */
  readonly isError?: (output: Out) => boolean;
  readonly meta?: (output: Out) => Readonly<Record<string, unknown>>;
}

export interface CliFace<In, Out> {
  /** Words of the command: `context resolve`. */
  readonly command: string;
  /** Members of the input that are positional arguments, in order. */
  readonly positional?: readonly string[];
  /** Members whose flag has another name; the name of the member stays an alias. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Letters that stand for a flag as well: `{ env: 'e' }`. */
  readonly letters?: Readonly<Record<string, string>>;
  /** Members whose argument is the path of a JSON file with the value; `-` is stdin. */
  readonly files?: readonly string[];
  /**
   * The text for a person, newline included; without it (and with --json) the encoded output. Values arrive with hidden characters, tabs
   * and line feeds escaped, so that they cannot imitate a column or a line.
   */
  readonly print?: (output: Out, input: In) => string;
  /** Members whose text keeps its line breaks. */
  readonly manyLines?: readonly string[];
  /** Members of the output whose texts are already escaped: they are not escaped twice. */
  readonly visibleBefore?: readonly string[];
  /** JSON formatted for a person, in place of the encoded output. */
  readonly document?: (output: Out) => string;
  /** Further texts of the output, chosen with `--format`. */
  readonly formats?: Readonly<Record<string, (output: Out) => string>>;
  /** A line about the run for stderr, newline included. */
  readonly note?: (output: Out) => string;
  /** What to do next, newline included: for a person at a terminal, not for a script. */
  readonly hint?: (output: Out) => string;
  /** Exit code of a run without error; default 0. */
  readonly exit?: (output: Out) => number;
}

export interface InputIssue {
  /** JSON pointer to the member. */
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
}

/** How a room's failures look; one per room. */
export interface Failures {
  /** The code for unexpected errors. */
  readonly internal: ErrorCode;
  invalidInput(issues: readonly InputIssue[]): BinderyError;
  /** The text of a failed tool call; by default the problem object, also as `structuredContent`. */
  readonly toolText?: (error: BinderyError) => string;
  /** `_meta` of a failed tool call. */
  readonly toolMeta?: (error: BinderyError) => Readonly<Record<string, unknown>>;
  /** Members of the problem object that replace or extend the usual ones. */
  readonly problem?: (error: BinderyError) => Readonly<Record<string, unknown>>;
  /** Headers of the HTTP answer, beside or instead of `Cache-Control: no-store`. */
  readonly headers?: (error: BinderyError) => Readonly<Record<string, string>>;
}

/** A capability, written once; its faces are derived from this record. */
export interface Operation<In = unknown, Out = unknown, Deps = unknown> {
  /** `room.verb`, stable. */
  readonly id: string;
  /** One sentence. */
  readonly summary: string;
  /** More, for models and for the reference. */
  readonly description?: string;
  readonly input: z.ZodType<In>;
  readonly output: z.ZodType<Out>;
  readonly hints: Hints;
  readonly http: HttpFace<In, Out> | false;
  readonly mcp: McpFace<Out> | false;
  readonly cli: CliFace<In, Out> | false;
  readonly failures: Failures;
  /** The exact text that every face sends; default `JSON.stringify`. */
  readonly encode?: (output: Out) => string;
  /** Refuses a caller before the input is read (a rate limit), by throwing. */
  admit?(deps: Deps, call: Call): void;
  run(input: In, deps: Deps, call: Call): Out | Promise<Out>;
}

// biome-ignore lint/suspicious/noExplicitAny: a list holds operations of many types; each is checked where it is defined.
export type AnyOperation<Deps = any> = Operation<any, any, Deps>;

/** Checks an operation's types against each other and returns it. */
export function defineOperation<S extends z.ZodType, Out, Deps>(
  operation: Operation<z.output<S>, Out, Deps> & { readonly input: S },
): Operation<z.output<S>, Out, Deps> {
  return operation;
}

/** A room: operations with the same dependencies. */
export interface Room<Deps> {
  readonly name: string;
  /** One line for the start page and the reference. */
  readonly summary: string;
  readonly operations: readonly AnyOperation<Deps>[];
  /** Returns the part of its tools' arguments that the audit log may store; absent: all but secrets. */
  readonly auditedArguments?: (args: unknown) => unknown;
}

/** A room with its dependencies. */
export interface BoundRoom {
  readonly room: Room<unknown>;
  readonly deps: unknown;
}

export function bindRoom<Deps>(room: Room<Deps>, deps: Deps): BoundRoom {
  return { room: room as Room<unknown>, deps };
}
