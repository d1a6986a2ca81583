import { stillVisible, stillVisibleLine, visible, visibleLine } from '../../contract/visible-text.ts';
import type { HostTool } from '../../host/adapters/host-tool.ts';
import type { PermissionPrompt } from '../../host/permissions/permissions.ts';
import type { StatusItem } from '../../host/status-item.ts';
import type { ToolHost } from '../../host/tool-host.ts';
import { type InputPerson, inputCallbacks } from './ask-input.ts';
import { asksForWhole, parseAnswer, permissionQuestion } from './ask-permission.ts';
import { COMMANDS, completeLine } from './complete-line.ts';
import { LineReader, type LineReaderOptions } from './line-reader.ts';
import { parseLine, splitPairs, unquoted } from './parse-line.ts';
import { type PromptItem, promptLines, promptsOf } from './prompt-list.ts';
import { type SignInPerson, signInDialogue } from './sign-in-dialogue.ts';
import { table } from './table.ts';

const PROMPT = 'bindery> ';

export interface ShellStreams extends Pick<LineReaderOptions, 'input' | 'output' | 'terminal'> {
  /** For a person: commands run at once, even during a call or a question. A script's lines run one after the other. */
  readonly interactive?: boolean;
}

/** Lets a person or a script use the host without a model. */
export class Shell {
  readonly #streams: ShellStreams;
  readonly #reader: LineReader;
  #host: ToolHost | undefined;
  #running: AbortController | undefined;
  /** The running sign-in. */
  #signingIn: AbortController | undefined;
  #failed = false;
  #leaving = false;

  constructor(streams: ShellStreams) {
    this.#streams = streams;
    this.#reader = new LineReader({
      ...streams,
      complete: (line) => this.#complete(line),
      onInterrupt: () => this.interrupt(),
      intercept: (line) => this.#runAtOnce(line),
    });
  }

  /** Asks the person at this shell. */
  readonly askPermission: PermissionPrompt = async (request, signal) => {
    for (let whole = false; ; ) {
      this.#print(permissionQuestion(request, whole));
      const line = await this.#reader.next('allow? ', { signal });
      if (line === undefined) return { decision: 'deny', reason: 'the input ended' };
      whole = asksForWhole(line);
      const answer = parseAnswer(line);
      if (answer) return answer;
    }
  };

  /** Asks the person for one line, even during another question. Rejects when the signal aborts or the input ends. */
  async ask(question: string, signal: AbortSignal, accepts?: (line: string) => boolean): Promise<string> {
    const line = await this.#reader.next(stillVisibleLine(question), { signal, accepts });
    if (line === undefined) throw new Error('the input ended');
    return line;
  }

  /** Signs the person at this shell in; Ctrl-C cancels it. */
  signIn(open: SignInPerson['open']): ReturnType<typeof signInDialogue> {
    return signInDialogue({
      open,
      print: (text) => this.#print(text),
      ask: (question, signal, accepts) => this.#askToSignIn(question, signal, accepts),
    });
  }

  async #askToSignIn(question: string, signal: AbortSignal, accepts: (line: string) => boolean): Promise<string> {
    const givenUp = new AbortController();
    this.#signingIn = givenUp;
    try {
      return await this.ask(question, AbortSignal.any([signal, givenUp.signal]), accepts);
    } catch (thrown) {
      // A cancelled sign-in counts as no.
      if (givenUp.signal.aborted && !signal.aborted) return 'n';
      throw thrown;
    } finally {
      if (this.#signingIn === givenUp) this.#signingIn = undefined;
    }
  }

  /** The questions that servers may ask the person at this shell. */
  elicitation(open: InputPerson['open']): ReturnType<typeof inputCallbacks> {
    return inputCallbacks({
      print: (text) => this.#print(text),
      ask: (question, signal) => this.ask(question, signal),
      open,
    });
  }

  /** Runs lines until the input ends or `/quit`; false if a call failed. */
  async run(host: ToolHost): Promise<boolean> {
    this.#host = host;
    if (this.#streams.terminal) this.#print(greeting(host));
    try {
      while (!this.#leaving) {
        const line = await this.#reader.next(PROMPT);
        if (line === undefined) break;
        await this.#runLine(line, host);
      }
      return !this.#failed;
    } finally {
      this.#reader.close();
    }
  }

  /** Ctrl-C: cancels the running call, otherwise the sign-in, otherwise clears the unfinished line. */
  interrupt(): void {
    const ended = this.#running ?? this.#signingIn;
    if (ended) ended.abort();
    else if (this.#streams.terminal && this.#reader.halfLine === '') this.#print('(/quit or Ctrl-D leaves)\n');
    else this.#reader.clearLine();
  }

  /** Cancels the running call and ends the loop, even with lines left. */
  leave(): void {
    this.#leaving = true;
    this.#running?.abort();
    this.#reader.close();
  }

  /** Runs a person's command at once: it neither waits for the running call nor answers the open question. */
  #runAtOnce(line: string): boolean {
    const [word = '', what = ''] = line.trim().split(/\s+/);
    const host = this.#host;
    if (!this.#streams.interactive || host === undefined || !ALWAYS_COMMANDS.has(word)) return false;
    // Getting a prompt is a call, and only one call runs at a time.
    if (word === '/prompts' && what.includes('/')) return false;
    if (word === '/quit' || word === '/exit') this.leave();
    else void this.#runLine(line, host);
    return true;
  }

  async #runLine(line: string, host: ToolHost): Promise<void> {
    const parsed = parseLine(line, (name) => this.#toolNamed(name, host)?.parameters);
    if (parsed.kind === 'command') return this.#runCommand(parsed.name, parsed.words, host);
    if (parsed.kind === 'call') return this.#call(parsed.tool, parsed.args, host);
    if (parsed.kind === 'wrong') this.#fail(parsed.message);
  }

  async #runCommand(name: string, words: readonly string[], host: ToolHost): Promise<void> {
    switch (name) {
      case 'mcp':
        return this.#mcp(words, host);
      case 'tools':
        return this.#listTools(words[0], host);
      case 'prompts':
        return this.#prompts(words, host);
      case 'quit':
      case 'exit':
        this.#leaving = true;
        return;
      case 'help':
        return this.#print(HELP);
      default:
        this.#fail(`there is no command /${name}; commands: ${COMMANDS.join(' ')}`);
    }
  }

  async #mcp([first, second]: readonly string[], host: ToolHost): Promise<void> {
    if (first === undefined) return this.#print(this.#statusLines(host));
    if (second === undefined && first !== 'reload') {
      const status = host.statusOf(first);
      return status ? this.#print(detailLines(status)) : this.#fail(`there is no server "${first}"`);
    }
    try {
      if (first === 'reload') await host.reload();
      else if (first === 'reconnect') await host.reconnect(second as string);
      else if (first === 'logs') return this.#print(`${host.stderrOf(second as string) ?? '(nothing was written)'}\n`);
      else return this.#fail('/mcp takes a server id, or: logs ID, reconnect ID, reload');
      if (this.#leaving) return;
      this.#print(this.#statusLines(host));
    } catch (thrown) {
      this.#fail((thrown as Error).message);
    }
  }

  #listTools(server: string | undefined, host: ToolHost): void {
    const tools = host.tools().filter(({ origin }) => server === undefined || origin?.server === server);
    const rows = tools.map((tool) => [displayName(tool), tool.name, firstLine(tool.description)]);
    this.#print(rows.length === 0 ? 'no tools\n' : this.#table(rows));
  }

  /** `/prompts [ID]` lists them; `/prompts SERVER/NAME name=value` gets one. */
  async #prompts([first, ...rest]: readonly string[], host: ToolHost): Promise<void> {
    if (first === undefined || !first.includes('/')) {
      const prompts = promptsOf(host).filter(({ server }) => first === undefined || server === first);
      return this.#print(prompts.length === 0 ? 'no prompts\n' : promptLines(prompts, (rows) => this.#table(rows)));
    }
    const prompt = promptsOf(host).find((one) => promptName(one) === first);
    const pairs = splitPairs(rest.join(' '));
    const getting = this.#toolNamed('mcp_prompt_get', host);
    if (!prompt || !getting) return this.#fail(`there is no prompt "${first}"; /prompts lists them`);
    if (!pairs) return this.#fail('arguments of a prompt are written as name=value');
    const given = Object.fromEntries(pairs.map(([name, text]) => [name, unquoted(text)]));
    await this.#call(getting.name, { server: prompt.server, name: prompt.name, arguments: given }, host);
  }

  #table(rows: readonly (readonly unknown[])[]): string {
    return table(rows, this.#streams.terminal);
  }

  async #call(name: string, args: HostTool['parameters'], host: ToolHost): Promise<void> {
    const tool = this.#toolNamed(name, host);
    if (!tool) return this.#fail(`there is no tool "${name}"; /tools lists them`);
    const running = new AbortController();
    this.#running = running;
    try {
      const result = await tool.execute(args, {
        signal: running.signal,
        onProgress: ({ progress, total, message }) => {
          const of = total === undefined ? '' : `/${total}`;
          if (this.#streams.terminal) this.#print(visible`… ${progress}${of} ${message ?? ''}\n`);
        },
      });
      if (result.isError) this.#fail(result.text);
      else this.#print(`${result.text}\n`);
    } catch {
      this.#fail('cancelled');
    } finally {
      this.#running = undefined;
    }
  }

  #toolNamed(name: string, host: ToolHost): HostTool | undefined {
    return host.tools().find((tool) => tool.name === name || displayName(tool) === name);
  }

  #complete(line: string): [string[], string] {
    const tools = this.#host?.tools() ?? [];
    const [words, word] = completeLine(line, {
      serverIds: this.#host?.status().map(({ id }) => id) ?? [],
      tools: tools.map((tool) => ({ name: displayName(tool), schema: tool.parameters })),
      prompts: this.#host ? promptsOf(this.#host).map((one) => ({ name: promptName(one), args: one.args })) : [],
    });
    // Offer only completions without hidden characters.
    return [words.filter((one) => visibleLine(one) === one), word];
  }

  #statusLines(host: ToolHost): string {
    const errors = host.configErrors.map((error) => visible`${error}\n`).join('');
    const rows = host
      .status()
      .map(({ id, transport, source, enabled, state, tools, reason }) => [
        ...[id, transport ?? '-', source, enabled, state, tools, reason],
      ]);
    return errors + (rows.length === 0 ? 'no MCP servers configured\n' : this.#table([STATUS_COLUMNS, ...rows]));
  }

  #fail(message: string): void {
    this.#failed = true;
    this.#print(`error: ${message}\n`);
  }

  #print(text: string): void {
    this.#reader.print(stillVisible(text.replaceAll('\r\n', '\n')));
  }
}

const STATUS_COLUMNS = ['id', 'transport', 'source', 'enabled', 'state', 'tools', 'reason'];
/** Commands that work during any question. */
const ALWAYS_COMMANDS = new Set([...COMMANDS, '/exit']);

const HELP = `/mcp                        the servers and their states
/mcp ID                     one server in detail
/mcp logs|reconnect ID      what it wrote to stderr; connect anew
/mcp reload                 read the config again
/tools [ID]                 the tools
/prompts [ID]               the prompts; /prompts SERVER/NAME name=value … gets one
SERVER/TOOL name=value …    call a tool (or SERVER/TOOL {json}); Tab completes, Ctrl-C cancels
                            commands run at once, also during a call or at a question
/quit                       leave
`;

function greeting(host: ToolHost): string {
  const untrusted = host.untrusted();
  const lines = untrusted.map(({ id, launch }) => visible`not trusted yet: ${id}: ${launch}\n`).join('');
  const hint = 'to let one start: bindery mcp trust ID\n';
  return `/help shows what you can type\n${untrusted.length > 0 ? lines + hint : ''}`;
}

function detailLines(status: StatusItem): string {
  return Object.entries(status)
    .map(([key, value]) => visible`${key}: ${value ?? '-'}\n`)
    .join('');
}

function displayName({ name, origin }: HostTool): string {
  return origin ? `${origin.server}/${origin.tool}` : name;
}

function promptName({ server, name }: PromptItem): string {
  return `${server}/${name}`;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
