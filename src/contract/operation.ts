import type { z } from 'zod';
import type { BinderyError, ErrorCode } from './errors.ts';

/** Through which face a call came. */
export type Face = 'http' | 'mcp' | 'cli' | 'library';

/** How long the credential of a caller holds. */
export interface Holding {
  /** When it ends, in milliseconds since 1970; undefined: not by itself. */
  readonly until?: number;
  /** Aborted when the credential is revoked before it expires. */
  readonly over?: AbortSignal;
}

/** A browser that signed in as the admin. */
export interface SignIn {
  /** A value that this browser alone may send, for a short time, to confirm `what`. */
  confirmation(what: string): { readonly value: string; readonly untilMs: number };
  hasConfirmed(what: string, value: string): boolean;
}

/** What an operation knows of the call that runs it. */
export interface Call {
  readonly face: Face;
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** A header of the HTTP request that carries the call; undefined on faces without headers. */
  header(name: string): string | undefined;
  /** Address of the peer's socket, where there is one. */
  readonly peerAddress: string | undefined;
  /**
   * Sets a header of the HTTP answer, whether it is an output or a problem; absent on faces without headers. A function
   * gives the value when the answer leaves, if nothing else has set it by then.
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
  /** The parsed JSON body; undefined where the method has none. */
  readonly body: unknown;
  header(name: string): string | undefined;
}

/** What an HTTP answer says beside its body. */
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
  /** The member of the input that the body is; by default the body holds members of the input. */
  readonly body?: string;
  /** Members of the input that come in headers, with the headers' names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Status and headers that follow from the output. */
  readonly meta?: (output: Out, input: In) => HttpMeta;
  /** Entity tag with its quotes: an equal `If-None-Match` is answered with 304. Undefined: this output has none. */
  readonly etag?: (output: Out) => string | undefined;
  /** What it shows and changes is held to `Call.profiles`. Absent: a credential that is bound to profiles is refused. */
  readonly perProfile?: true;
  /** It shows what callers did or asked for: the token that all callers share does not open it. */
  readonly showsCallers?: true;
  /** Any web page may read it (CORS): for directories and documents that are there for everyone. */
  readonly crossOrigin?: true;
  /**
   * `open`: needs no credential although it changes something under /v1. `named`: needs a credential on loopback too, since it is costly
   * and counted by caller.
   */
  readonly access?: 'open' | 'named';
  /**
   * For an operation whose answer follows from the URL, these headers and the version of what it runs on, and from
   * nothing else: answers are kept by URL while the version stays. Problems are not kept.
   */
  readonly keep?: { readonly headers: readonly string[]; version(deps: unknown): unknown };
  /** The output is a stream of bytes, sent as they come and until the caller leaves; `encode` is not asked. */
  readonly streams?: true;
  /** Default: application/json. */
  readonly contentType?: string;
  /** Default: LIMITS.httpBodyBytesMax. */
  readonly bodyBytesMax?: number;
}

export interface McpFace<Out> {
  readonly tool: string;
  /** Default true: the output also stands in `structuredContent`. */
  readonly structured?: boolean;
  /** Whether this output tells of a failure; default never. */
  readonly isError?: (output: Out) => boolean;
  readonly meta?: (output: Out) => Readonly<Record<string, unknown>>;
}

export interface CliFace<In, Out> {
  /** Words of the command: `context resolve`. */
  readonly command: string;
  /** Members of the input that are positional arguments, in order. */
  readonly positional?: readonly string[];
  /** Members whose flag has another name. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Members whose argument is the path of a JSON file that holds the value; `-` is stdin. */
  readonly files?: readonly string[];
  /**
   * The text for a person, newline included; without it (and with --json) the encoded output. What others wrote comes with its hidden
   * characters, tabs and line feeds shown, so that it cannot pass for a column or a line.
   */
  readonly print?: (output: Out, input: In) => string;
  /** Members whose text is printed as the several lines that it is. */
  readonly manyLines?: readonly string[];
  /** Members of the output whose texts were made visible before: they are not escaped twice. */
  readonly visibleBefore?: readonly string[];
  /** JSON that is laid out for a person, in place of the encoded output. */
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
  /** Members of the problem object that replace or join the usual ones. */
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
  /** Refuses a caller before the input is looked at (a rate limit), by throwing. */
  admit?(deps: Deps, call: Call): void;
  run(input: In, deps: Deps, call: Call): Out | Promise<Out>;
}

// biome-ignore lint/suspicious/noExplicitAny: a list holds operations of many types; each is checked where it is defined.
export type AnyOperation<Deps = any> = Operation<any, any, Deps>;

/** Checks an operation's types against each other and gives it back. */
export function defineOperation<S extends z.ZodType, Out, Deps>(
  operation: Operation<z.output<S>, Out, Deps> & { readonly input: S },
): Operation<z.output<S>, Out, Deps> {
  return operation;
}

/** A room: operations that share what they need to run. */
export interface Room<Deps> {
  readonly name: string;
  /** One line for the start page and the reference. */
  readonly summary: string;
  readonly operations: readonly AnyOperation<Deps>[];
  /** What an audit log may keep of the arguments of its tools; absent: all but secrets. */
  readonly auditedArguments?: (args: unknown) => unknown;
}

/** A room together with what it runs on. */
export interface BoundRoom {
  readonly room: Room<unknown>;
  readonly deps: unknown;
}

export function bindRoom<Deps>(room: Room<Deps>, deps: Deps): BoundRoom {
  return { room: room as Room<unknown>, deps };
}
