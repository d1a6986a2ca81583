import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import { BinderyError, toBinderyError } from '../contract/errors.ts';
import { encodeOutput, execute } from '../contract/execute.ts';
import type { AnyOperation, Call, CliFace, InputIssue } from '../contract/operation.ts';
import { toProblem } from '../contract/problem.ts';
import { coerceTexts, type InputSchema, inputSchemaOf } from '../contract/text-input.ts';
import { visibleValue } from '../contract/visible-text.ts';
import { helpOf } from './help/command-help.ts';
import { readJsonFile } from './read-json-file.ts';
import type { Terminal } from './terminal.ts';

/** Flags of a command that are not part of the operation's input. */
export type CommandFlags = Readonly<Record<string, unknown>>;

export interface OperationCommandOptions {
  readonly terminal: Terminal;
  /** Options that the room's commands share. */
  readonly options?: (command: Command) => void;
  deps(flags: CommandFlags): unknown | Promise<unknown>;
  /** Replaces the usual run for flags that ask for a stream of answers; undefined: the usual run. */
  readonly instead?: (flags: CommandFlags, positional: readonly unknown[]) => Promise<void> | undefined;
}

/** Operation → command: flags from the input schema, --json, exit codes from the error table. */
export function addOperationCommand(program: Command, operation: AnyOperation, options: OperationCommandOptions): void {
  const face = operation.cli;
  if (!face) return;
  const schema = inputSchemaOf(operation.input);
  const command = commandAt(program, face.command).description(operation.summary);
  for (const name of face.positional ?? []) {
    const variadic = schema.properties[name]?.type === 'array' ? '...' : '';
    command.argument(
      schema.required.includes(name) ? `<${name}${variadic}>` : `[${name}${variadic}]`,
      schema.properties[name]?.description,
    );
  }
  for (const name of Object.keys(schema.properties)) {
    if (face.positional?.includes(name)) continue;
    const flag = face.flags?.[name];
    command.addOption(optionFor(name, flag ?? name, schema, face.letters?.[name]));
    // The member's own name is an alias.
    if (flag !== undefined) command.addOption(optionFor(name, name, schema).hideHelp().conflicts(camelCase(flag)));
  }
  if (face.formats) command.addOption(new Option('--format <name>', 'layout').choices(Object.keys(face.formats)));
  command.addOption(new Option('--json', 'print the answer, or the problem, as JSON'));
  options.options?.(command);
  command.action(async (...received: unknown[]) => {
    const flags = command.optsWithGlobals() as Record<string, unknown>;
    const positional = received.slice(0, face.positional?.length ?? 0) as (string | string[] | undefined)[];
    const other = options.instead?.(flags, positional);
    if (other) return other;
    await runOperation(operation, face, () => rawInput(face, schema, positional, flags), flags, options);
  });
}

/** Runs an operation as a command; prints its answer or error as text or JSON. */
export async function runOperation(
  operation: AnyOperation,
  face: CliFace<unknown, unknown>,
  readInput: () => unknown,
  flags: CommandFlags,
  { terminal, deps }: OperationCommandOptions,
): Promise<void> {
  const call = cliCall(terminal);
  let given: unknown;
  try {
    given = readInput();
    const { output, input } = await execute(operation, given, await deps(flags), call);
    if (output instanceof ReadableStream) await writeStream(output, terminal);
    else {
      const document = documentText(operation, face, output, flags);
      if (document !== undefined) await terminal.document(document);
      else await terminal.table(personText(face, output, input), helpOf(face.command).columns ?? []);
    }
    if (face.note) await terminal.note(face.note(visibleValue(output, { visibleBefore: face.visibleBefore })));
    if (face.hint && terminal.hasWatcher && !flags.json) await terminal.note(face.hint(output));
    terminal.exitCode = face.exit?.(output) ?? 0;
  } catch (thrown) {
    const error = toBinderyError(thrown, operation.failures.internal);
    if (flags.json) {
      await terminal.document(`${JSON.stringify(toProblem(error, call.requestId, operation.failures))}\n`);
      terminal.exitCode = error.row.exit;
    } else {
      await terminal.fail(withHelp(error, face, given));
    }
  }
}

/** The remedy for invalid input: at a terminal, the help. */
function withHelp(error: BinderyError, face: CliFace<unknown, unknown>, given: unknown): BinderyError {
  if (error.code !== 'INVALID_ARGUMENTS' || error.next !== error.row.next) return error;
  const { code, members, cause } = error;
  const { command } = face;
  const issues = Array.isArray(members.errors) ? (members.errors as readonly InputIssue[]) : [];
  const detail =
    issues.length === 0 ? (error.detail ?? '') : issues.map((issue) => issueText(issue, face, given)).join('; ');
  return new BinderyError(code, { detail, members, cause, next: `See \`bindery help ${command}\`.` });
}

const NOT_JSON = 'is not a JSON object: write it in single quotes, with names and texts in double quotes';

/** The problem with an argument or option, under the name that a person typed. */
function issueText(
  { pointer, message }: InputIssue,
  { positional, flags }: CliFace<unknown, unknown>,
  given: unknown,
): string {
  const [, member = '', ...inner] = pointer.split('/');
  const name = positional?.includes(member) ? member : `--${(flags?.[member] ?? member).replaceAll('_', '-')}`;
  // Of a text that looks like an object, "must be an object" would not tell what is wrong.
  const isText = typeof (given as Record<string, unknown> | undefined)?.[member] === 'string';
  const problem = isText && inner.length === 0 && message === 'must be an object' ? NOT_JSON : message;
  return `${[name, ...inner].join('.')} ${problem}`;
}

/** Writes a stream of lines as they arrive, until the reader closes its end. */
async function writeStream(stream: ReadableStream<Uint8Array>, terminal: Terminal): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    if (terminal.whileRead.aborted) break;
    await terminal.document(decoder.decode(bytes, { stream: true }));
  }
}

/** The text for a person: foreign text is made visible, and on one line unless the face says otherwise. */
function personText({ print, ...members }: CliFace<unknown, unknown>, output: unknown, input: unknown): string {
  return print?.(visibleValue(output, members), visibleValue(input, members)) ?? '';
}

/** The text for programs; undefined: the output is for a person. */
function documentText(
  operation: AnyOperation,
  { formats, document, print }: CliFace<unknown, unknown>,
  output: unknown,
  flags: CommandFlags,
): string | undefined {
  const write = formats?.[String(flags.format)] ?? (flags.json ? undefined : document);
  if (write) return write(output);
  return print && !flags.json ? undefined : withNewline(encodeOutput(operation, output));
}

function rawInput(
  face: CliFace<unknown, unknown>,
  schema: InputSchema,
  positional: readonly (string | string[] | undefined)[],
  flags: CommandFlags,
): unknown {
  const texts: Record<string, string | string[]> = {};
  const values: Record<string, unknown> = {};
  const take = (name: string, value: unknown) => {
    if (typeof value === 'string' && face.files?.includes(name)) values[name] = readJsonFile(value);
    else if (typeof value === 'string' || Array.isArray(value)) texts[name] = value;
    else if (value !== undefined) values[name] = value;
  };
  (face.positional ?? []).forEach((name, index) => {
    take(name, positional[index]);
  });
  for (const name of Object.keys(schema.properties)) {
    if (!face.positional?.includes(name))
      take(name, flags[camelCase(face.flags?.[name] ?? name)] ?? flags[camelCase(name)]);
  }
  return { ...values, ...coerceTexts(schema, texts) };
}

function optionFor(member: string, name: string, schema: InputSchema, letter?: string): Option {
  const property = schema.properties[member];
  const long = `--${name.replaceAll('_', '-')}`;
  const short = letter ?? (name.length === 1 ? name : undefined);
  const flag = short === undefined ? long : `-${short}, ${long}`;
  const description = `${property?.description ?? ''}${defaultText(property?.default)}`;
  if (property?.type === 'boolean') return new Option(flag, description);
  if (property?.type === 'array')
    return new Option(`${flag} <value>`, `${description} (repeatable)`).argParser(collect);
  return new Option(`${flag} <${property?.enum ? property.enum.join('|') : 'value'}>`, description);
}

/** The default of a flag; empty lists and `false` are not shown. */
function defaultText(value: unknown): string {
  if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return '';
  return ` (default: ${typeof value === 'string' ? value : JSON.stringify(value)})`;
}

function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

/** The command with these words; creates missing parents. */
export function commandAt(program: Command, words: string): Command {
  let command = program;
  for (const word of words.split(' ')) {
    command = command.commands.find((child) => child.name() === word) ?? command.command(word);
  }
  return command;
}

function cliCall(terminal: Terminal): Call {
  return {
    face: 'cli',
    requestId: randomUUID(),
    signal: terminal.signal,
    header: () => undefined,
    peerAddress: undefined,
    progress: (done, total, message) => terminal.progress(done, total, message),
  };
}

function camelCase(name: string): string {
  return name.replaceAll(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase());
}

function withNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** A usage error from the error table. */
export function usageError(detail: string): BinderyError {
  return new BinderyError('USAGE', { detail });
}
