import { BinderyError } from '../../contract/errors.ts';
import type { Log } from '../../contract/ports.ts';
import type { Redactor } from '../../contract/redact.ts';
import { shownArguments } from '../../contract/shown-arguments.ts';
import type { PermissionRule } from '../config/settings/permission-settings.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { isGlobFree } from './glob.ts';
import { type PermissionRules, ruleMatches } from './permission-rules.ts';
import { type Extent, type PermissionAnswer, readAnswer } from './read-answer.ts';

/** `minimal` asks about every call, `trusted` not about tools that are declared read-only, `full-access` about none. */
export type ApprovalMode = 'minimal' | 'trusted' | 'full-access';

export interface PermissionRequest {
  readonly server: string;
  /** The tool's original name. */
  readonly tool: string;
  /** As shown to a person: only secrets are masked, and hidden characters are made visible. */
  readonly arguments: unknown;
  /** Declared by the server; not verified. */
  readonly readOnly: boolean;
  readonly destructive: boolean;
  /** False: the server declares nothing, and the two members above are the protocol's defaults. */
  readonly declared: boolean;
}

/** Asks a person. Only a well-formed `allow` allows the call: any other answer, including a rejection, denies it. */
export type PermissionPrompt = (request: PermissionRequest, signal: AbortSignal) => Promise<PermissionAnswer>;

export interface PermissionOptions {
  rules(): PermissionRules;
  readonly mode: ApprovalMode;
  /** Undefined: there is no person to ask, so calls that would ask are denied. */
  readonly prompt: PermissionPrompt | undefined;
  /** Stores an answer "always" in the user's own config, for this project. */
  readonly remember: (rule: PermissionRule) => Promise<void>;
  /** Masks the secrets of one server. */
  readonly redactor: (server: string) => Pick<Redactor, 'known'>;
  readonly log: Pick<Log, 'warn'>;
}

export interface ToolCall {
  readonly server: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly declared: boolean;
}

const FORBIDDEN = 'a rule of the config forbids it';

export type Judgement = 'allow' | 'deny' | 'ask';

/** Applies deny rules, then allow rules, then ask rules, then the mode. */
export function judge(call: Omit<ToolCall, 'arguments'>, rules: PermissionRules, mode: ApprovalMode): Judgement {
  const target = `${call.server}/${call.tool}`;
  const matches = (rule: PermissionRule) => ruleMatches(rule, target, call.readOnly);
  if (rules.deny.some(matches)) return 'deny';
  if (rules.allow.some(matches)) return 'allow';
  if (rules.ask.some(matches)) return 'ask';
  // `server/*` does not match a tool name with a slash, so a deny rule may have missed it: the mode must not allow it.
  if (call.tool.includes('/')) return 'ask';
  if (mode === 'full-access' || (mode === 'trusted' && call.readOnly)) return 'allow';
  return 'ask';
}

/** Decides about calls, and remembers answers. */
export class Permissions {
  readonly #options: PermissionOptions;
  readonly #session: Grant[] = [];
  #asking: Promise<unknown> = Promise.resolve();

  constructor(options: PermissionOptions) {
    this.#options = options;
  }

  /** Resolves if the call is allowed; otherwise throws `PERMISSION_DENIED`. */
  async check(call: ToolCall, signal: AbortSignal): Promise<void> {
    const judgement = this.#judge(call);
    if (judgement === 'allow') return;
    if (judgement === 'deny') throw denied(call, FORBIDDEN);
    if (!this.#options.prompt) throw denied(call, 'nobody can be asked here, and no rule allows it');
    // One question at a time, because an answer may also answer the questions behind it.
    const asked = this.#asking.then(() => this.#ask(call, signal));
    this.#asking = asked.catch(() => {});
    await unlessAborted(asked, signal);
  }

  async #ask(call: ToolCall, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const judgement = this.#judge(call);
    if (judgement === 'allow') return;
    if (judgement === 'deny') throw denied(call, FORBIDDEN);
    const redactor = this.#options.redactor(call.server);
    const { value } = shownArguments(call.arguments, (text) => redactor.known(text));
    const answer = await this.#answerTo(call, { ...call, arguments: value }, signal);
    if (answer.decision === 'deny') throw denied(call, answer.reason ?? 'the person said no');
    // The rules may have changed during the prompt.
    if (this.#judge(call) === 'deny') throw denied(call, FORBIDDEN);
    if (answer.remember === 'once') return;
    this.#session.push(grantFor(call, answer.extent));
    // A name with glob characters would become a rule for other tools too.
    if (
      answer.remember === 'always' &&
      isGlobFree(call.server) &&
      (answer.extent !== 'tool' || isGlobFree(call.tool))
    ) {
      await this.#options.remember(ruleFor(call, answer.extent));
    }
  }

  /** Stops waiting for a prompt that ignores its signal, so that it neither blocks later questions nor allows a call later. */
  async #answerTo(call: ToolCall, request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer> {
    const prompt = this.#options.prompt as PermissionPrompt;
    let answer: PermissionAnswer | string;
    try {
      answer = readAnswer(await unlessAborted((async () => prompt(request, signal))(), signal));
    } catch (cause) {
      signal.throwIfAborted();
      // The error text is for the developer, not for a model.
      this.#options.log.warn('the permission prompt failed', { server: call.server, tool: call.tool, error: cause });
      throw denied(call, 'the prompt failed', cause);
    }
    signal.throwIfAborted();
    if (typeof answer === 'string') throw denied(call, answer);
    return answer;
  }

  #judge(call: ToolCall): Judgement {
    const judged = judge(call, this.#options.rules(), this.#options.mode);
    return judged === 'ask' && this.#session.some((grant) => grant(call)) ? 'allow' : judged;
  }
}

type Grant = (call: ToolCall) => boolean;

/** A session remembers exact names, so that a tool with glob characters in its name matches only itself. */
function grantFor({ server, tool }: ToolCall, extent: Extent): Grant {
  return (call) =>
    call.server === server && (extent === 'server' || (extent === 'tool' ? call.tool === tool : call.readOnly));
}

function ruleFor({ server, tool }: ToolCall, extent: Extent): PermissionRule {
  if (extent === 'tool') return `${server}/${tool}`;
  return extent === 'server' ? `${server}/*` : { match: `${server}/*`, read_only: true };
}

function denied({ server, tool }: ToolCall, reason: string, cause?: unknown): BinderyError {
  return new BinderyError('PERMISSION_DENIED', {
    detail: `Permission denied: ${reason}`,
    members: { server, tool, reason },
    cause,
  });
}
