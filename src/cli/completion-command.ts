import type { Command } from 'commander';
import { BinderyError } from '../contract/errors.ts';
import { ConfigStore, projectConfigFile } from '../host/config/config-store.ts';
import { directories } from './directories.ts';
import type { Terminal } from './terminal.ts';

/** What each shell needs to ask `bindery completion words` for what may follow. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_bindery() {
  local IFS=$'\\n'
  COMPREPLY=($(bindery completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _bindery bindery
`,
  zsh: `#compdef bindery
_bindery() {
  local -a found
  found=("\${(@f)$(bindery completion words -- "\${(@)words[2,$CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
compdef _bindery bindery
`,
  fish: `complete -c bindery -f -a '(bindery completion words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
};

/** `bindery completion SHELL`: a script for the shell; `completion words -- …`: what may stand where the cursor is. */
export function addCompletionCommand(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .description('Print a script that completes commands, options and server ids in a shell.')
    .argument('<shell>', 'bash, zsh or fish')
    .argument('[words...]', 'what is typed so far; asked by the scripts')
    .action(async (shell: string, words: readonly string[]) => {
      if (shell === 'words')
        return terminal.out((await completions(program, words)).map((word) => `${word}\n`).join(''));
      const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
      if (script !== undefined) return terminal.document(script);
      throw new BinderyError('USAGE', {
        detail: `there is no completion for "${shell}"`,
        next: 'Name bash, zsh or fish.',
      });
    });
}

/** The words that may stand in place of the last one. */
export async function completions(program: Command, typed: readonly string[]): Promise<string[]> {
  const before = typed.slice(0, -1);
  const prefix = typed.at(-1) ?? '';
  let command = program;
  let taken = 0;
  for (const word of before) {
    const child = command.commands.find((one) => one.name() === word);
    if (child) command = child;
    else if (!word.startsWith('-')) taken += 1;
  }
  const options = command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => (long ? [long] : []));
  const wanted = command.registeredArguments[taken]?.name();
  const ids = wanted === 'id' || wanted === 'server' ? await serverIds() : [];
  const candidates = prefix.startsWith('-') ? options : [...command.commands.map((one) => one.name()), ...ids];
  return candidates.filter((word) => word.startsWith(prefix));
}

async function serverIds(): Promise<string[]> {
  const { configFile } = directories(process.env);
  const { servers } = await new ConfigStore({ global: configFile, project: projectConfigFile(process.cwd()) }).load();
  return servers.map(({ id }) => id);
}
