import { tabLines } from '../../contract/paging.ts';
import { visible, visibleLine, visibleLines } from '../../contract/visible-text.ts';
import type { HostTool } from '../../host/adapters/host-tool.ts';
import type { PermissionPrompt } from '../../host/permissions/permissions.ts';
import type { StatusItem } from '../../host/status-item.ts';
import type { ToolHost } from '../../host/tool-host.ts';
import { type InputPerson, inputCallbacks } from './ask-input.ts';
import { asksForWhole, parseAnswer, permissionQuestion } from './ask-permission.ts';
import { COMMANDS, completeLine } from './complete-line.ts';
import { LineReader, type LineReaderOptions } from './line-reader.ts';
import { parseLine } from './parse-line.ts';

const PROMPT = 'bindery> ';

export type ShellStreams = Pick<LineReaderOptions, 'input' | 'output' | 'terminal'>;

/** A person (or a script) who drives the host without a model. */
export class Shell {
  readonly #streams: ShellStreams;
  readonly #reader: LineReader;
  #host: ToolHost | undefined;
  #running: AbortController | undefined;
  #failed = false;
  #leaving = false;

  constructor(streams: ShellStreams) {
    this.#streams = streams;
    this.#reader = new LineReader({
      ...streams,
      complete: (line) => this.#complete(line),
      onInterrupt: () => this.interrupt(),
    });
  }

  /** Asks the person at this shell. */
  readonly askPermission: PermissionPrompt = async (request, signal) => {
    for (let whole = false; ; ) {
      this.#print(permissionQuestion(request, whole));
      const line = await this.#reader.next('allow? ', signal);
      if (line === undefined) return { decision: 'deny', reason: 'the input ended' };
      whole = asksForWhole(line);
      const answer = parseAnswer(line);
      if (answer) return answer;
    }
  };

  /** Asks the person for one line, whatever else they are asked; rejects when the signal aborts or the input ends. */
  async ask(question: string, signal: AbortSignal): Promise<string> {
    const line = await this.#reader.next(visibleLine(question), signal);
    if (line === undefined) throw new Error('the input ended');
    return line;
  }

  /** What servers may ask of the person at this shell. */
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

  /** Ctrl-C: cancels the running call; without one, forgets the half-written line. */
  interrupt(): void {
    if (this.#running) this.#running.abort();
    else this.#reader.clearLine();
  }

  /** Cancels what runs and ends the loop, whatever lines are left. */
  leave(): void {
    this.#leaving = true;
    this.#running?.abort();
    this.#reader.close();
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
    if (first === undefined) return this.#print(statusLines(host));
    if (second === undefined && first !== 'reload') {
      const status = host.statusOf(first);
      return status ? this.#print(detailLines(status)) : this.#fail(`there is no server "${first}"`);
    }
    try {
      if (first === 'reload') await host.reload();
      else if (first === 'reconnect') await host.reconnect(second as string);
      else if (first === 'logs') return this.#print(`${host.stderrOf(second as string) ?? '(nothing was written)'}\n`);
      else return this.#fail('/mcp takes a server id, or: logs ID, reconnect ID, reload');
      this.#print(statusLines(host));
    } catch (thrown) {
      this.#fail((thrown as Error).message);
    }
  }

  #listTools(server: string | undefined, host: ToolHost): void {
    const tools = host.tools().filter(({ origin }) => server === undefined || origin?.server === server);
    const rows = tools.map((tool) => [displayName(tool), tool.name, firstLine(tool.description)]);
    this.#print(rows.length === 0 ? 'no tools\n' : tabLines(rows));
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
    });
    // What is completed is shown as it is.
    return [words.filter((one) => visibleLine(one) === one), word];
  }

  #fail(message: string): void {
    this.#failed = true;
    this.#print(`error: ${message}\n`);
  }

  #print(text: string): void {
    this.#streams.output.write(visibleLines(text));
  }
}

const HELP = `/mcp                        the servers and their states
/mcp ID                     one server in detail
/mcp logs|reconnect ID      what it wrote to stderr; connect anew
/mcp reload                 read the config again
/tools [ID]                 the tools
SERVER/TOOL name=value …    call a tool (or SERVER/TOOL {json}); Tab completes, Ctrl-C cancels
/quit                       leave
`;

function greeting(host: ToolHost): string {
  const untrusted = host.untrusted();
  const lines = untrusted.map(({ id, launch }) => visible`not trusted yet: ${id}: ${launch}\n`).join('');
  const hint = 'to let one start: bindery mcp trust ID\n';
  return `/help shows what you can type\n${untrusted.length > 0 ? lines + hint : ''}`;
}

function statusLines(host: ToolHost): string {
  const errors = host.configErrors.map((error) => visible`${error}\n`).join('');
  const rows = host
    .status()
    .map(({ id, transport, source, enabled, state, tools, reason }) => [
      ...[id, transport ?? '-', source, enabled, state, tools],
      ...(reason === null ? [] : [reason]),
    ]);
  return errors + (rows.length === 0 ? 'no MCP servers configured\n' : tabLines(rows));
}

function detailLines(status: StatusItem): string {
  return Object.entries(status)
    .map(([key, value]) => visible`${key}: ${value ?? '-'}\n`)
    .join('');
}

function displayName({ name, origin }: HostTool): string {
  return origin ? `${origin.server}/${origin.tool}` : name;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
