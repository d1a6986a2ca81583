import { BinderyError } from '../../contract/errors.ts';
import type { Log } from '../../contract/ports.ts';
import type { Redactor } from '../../contract/redact.ts';
import { shownArguments } from '../../contract/shown-arguments.ts';
import type { PermissionRule } from '../config/settings/permission-settings.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { isGlobFree } from './glob.ts';
import { type PermissionRules, ruleMatches } from './permission-rules.ts';
import { type Extent, type PermissionAnswer, readAnswer } from './read-answer.ts';

/** `minimal` asks about everything, `trusted` not about tools that say they only read, `full-access` about nothing. */
export type ApprovalMode = 'minimal' | 'trusted' | 'full-access';

export interface PermissionRequest {
  readonly server: string;
  /** The tool's original name. */
  readonly tool: string;
  /** As a person is shown them: secrets masked and nothing more, hidden characters made visible. */
  readonly arguments: unknown;
  /** What the server says about the tool; it is not verified. */
  readonly readOnly: boolean;
  readonly destructive: boolean;
  /** False: the server says nothing of the kind, and the two above are what the protocol assumes then. */
  readonly declared: boolean;
}

/** Asks a person. Only a well-formed `allow` allows: any other answer, a rejection included, refuses the call. */
export type PermissionPrompt = (request: PermissionRequest, signal: AbortSignal) => Promise<PermissionAnswer>;

export interface PermissionOptions {
  rules(): PermissionRules;
  readonly mode: ApprovalMode;
  /** Undefined: no person can be asked, so calls that need an answer are denied. */
  readonly prompt: PermissionPrompt | undefined;
  /** Writes an answer that holds for always into the person's own config, for this project. */
  readonly remember: (rule: PermissionRule) => Promise<void>;
  /** Masks with the secrets of one server. */
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

/** Deny rules, then allow rules, then ask rules, then the mode. */
export function judge(call: Omit<ToolCall, 'arguments'>, rules: PermissionRules, mode: ApprovalMode): Judgement {
  const target = `${call.server}/${call.tool}`;
  const matches = (rule: PermissionRule) => ruleMatches(rule, target, call.readOnly);
  if (rules.deny.some(matches)) return 'deny';
  if (rules.allow.some(matches)) return 'allow';
  if (rules.ask.some(matches)) return 'ask';
  // `server/*` cannot match a tool name with a slash, so a deny rule may have missed it: a mode must not wave it through.
  if (call.tool.includes('/')) return 'ask';
  if (mode === 'full-access' || (mode === 'trusted' && call.readOnly)) return 'allow';
  return 'ask';
}

/** Decides about calls, and remembers what a person said. */
export class Permissions {
  readonly #options: PermissionOptions;
  readonly #session: Grant[] = [];
  #asking: Promise<unknown> = Promise.resolve();

  constructor(options: PermissionOptions) {
    this.#options = options;
  }

  /** Resolves if the call may be made; otherwise throws `PERMISSION_DENIED`. */
  async check(call: ToolCall, signal: AbortSignal): Promise<void> {
    const judgement = this.#judge(call);
    if (judgement === 'allow') return;
    if (judgement === 'deny') throw denied(call, FORBIDDEN);
    if (!this.#options.prompt) throw denied(call, 'nobody can be asked here, and no rule allows it');
    // One question at a time; an answer may settle the questions that wait behind it.
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
    // The rules may have changed while the person thought.
    if (this.#judge(call) === 'deny') throw denied(call, FORBIDDEN);
    if (answer.remember === 'once') return;
    this.#session.push(grantFor(call, answer.extent));
    // A name with glob characters would be remembered as a rule for other tools too.
    if (
      answer.remember === 'always' &&
      isGlobFree(call.server) &&
      (answer.extent !== 'tool' || isGlobFree(call.tool))
    ) {
      await this.#options.remember(ruleFor(call, answer.extent));
    }
  }

  /** A prompt that ignores its signal neither holds up the questions behind it nor allows anything later. */
  async #answerTo(call: ToolCall, request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer> {
    const prompt = this.#options.prompt as PermissionPrompt;
    let answer: PermissionAnswer | string;
    try {
      answer = readAnswer(await unlessAborted((async () => prompt(request, signal))(), signal));
    } catch (cause) {
      signal.throwIfAborted();
      // Its text is for the developer, not for a model.
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

/** What a session remembers: the names themselves, so that no tool can be called like a glob. */
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
