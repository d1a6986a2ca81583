import type { Command } from 'commander';
import { BinderyError } from '../../../contract/errors.ts';
import { shellWord } from '../../shell-word.ts';

/** The words of `mcp add`: the id and what follows, and how many of them follow `--`. */
export interface TypedTarget {
  readonly words: readonly string[];
  /** Undefined: there is no `--`. */
  readonly behindDashes: number | undefined;
}

/** The words that a person typed for this command. */
export function typedTarget(command: Command): TypedTarget {
  let program = command;
  while (program.parent) program = program.parent;
  const { rawArgs = [] } = program as unknown as { readonly rawArgs?: readonly string[] };
  const dashes = rawArgs.indexOf('--');
  return { words: command.args, behindDashes: dashes < 0 ? undefined : rawArgs.length - dashes - 1 };
}

/** Servers on this machine rarely have a certificate. */
function withScheme(host: string): string {
  return `${/^(localhost|127\.0\.0\.1)\b/.test(host) ? 'http' : 'https'}://${host}`;
}

/** Only words after `--` are a command: otherwise a name of two words, or an address without a scheme, would become one. */
export function refuseTarget({ words, behindDashes }: TypedTarget): void {
  const [id = '', first, ...rest] = words;
  if (behindDashes === undefined) {
    if (first === undefined || /^[a-z][a-z\d+.-]*:\/\//i.test(first)) return;
    const typed = [first, ...rest].map(shellWord).join(' ');
    const address = rest.length === 0 && /^[\w-]+(\.[\w-]+|:\d)/.test(first) ? withScheme(first) : undefined;
    throw new BinderyError('USAGE', {
      detail: `"${first}" is no address (https://…, http://…, ai://…), and a command stands behind --`,
      next:
        address === undefined
          ? `For a command write: \`bindery mcp add ${shellWord(id)} -- ${typed}\`.`
          : `For an address write: \`bindery mcp add ${shellWord(id)} ${shellWord(address)}\`.`,
    });
  }
  const before = words.slice(0, words.length - behindDashes);
  const command = words.slice(before.length).map(shellWord).join(' ');
  if (before.length === 0) {
    throw new BinderyError('USAGE', {
      detail: 'the id of the server is missing',
      next: `Write it before --: \`bindery mcp add NAME -- ${command}\`.`,
    });
  }
  if (before.length === 1) return;
  if (before.length === 2 && /^[a-z][a-z\d+.-]*:\/\//i.test(before[1] as string)) {
    throw new BinderyError('USAGE', {
      detail: 'a server has an address or a command, and this names both',
      next: `Write: \`bindery mcp add ${shellWord(id)} ${shellWord(before[1] as string)}\`, or \`bindery mcp add ${shellWord(id)} -- ${command}\`.`,
    });
  }
  throw new BinderyError('USAGE', {
    detail: `"${before.join(' ')}" are ${before.length} words, and an id is one`,
    next: `Write: \`bindery mcp add ${shellWord(before.join('-'))} -- ${command}\`.`,
  });
}
