import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command, Option } from 'commander';
import { BinderyError } from '../contract/errors.ts';
import { CLIENTS } from '../gateway/import/client-formats.ts';
import { ConfigStore, projectConfigFile } from '../host/config/config-store.ts';
import { wellKnownServers } from '../runtime/well-known-servers.ts';
import { directories } from './directories.ts';
import { findAnnouncement } from './running-gateway.ts';
import type { Terminal } from './terminal.ts';

/** A person waits after a keypress. */
const TOOLS_MS = 1_000;

/** For each shell, a script that asks `bindery completion words` for completions. */
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

/** `bindery completion SHELL`: a script for the shell; `completion words -- …`: the words that fit at the cursor. */
export function addCompletionCommand(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .description('Print a script that completes commands, options and their values in a shell.')
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

/** The words that may replace the last one. */
export async function completions(program: Command, typed: readonly string[]): Promise<string[]> {
  const before = typed.slice(0, -1);
  const prefix = typed.at(-1) ?? '';
  let command = program;
  let taken = 0;
  let option: Option | undefined;
  for (const word of before) {
    const isValue = option?.required === true;
    option = isValue ? undefined : command.options.find(({ long, short }) => word === long || word === short);
    const child = isValue ? undefined : command.commands.find((one) => one.name() === word);
    if (child) command = child;
    else if (!isValue && !word.startsWith('-')) taken += 1;
  }
  const candidates = option?.required
    ? valuesOf(option.flags)
    : prefix.startsWith('-')
      ? command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => (long ? [long] : []))
      : [...command.commands.map((one) => one.name()), ...(await argumentWords(command, taken))];
  return candidates.filter((word) => word.startsWith(prefix));
}

/** The values that `--policy <a|b>` names; none if any value is allowed. */
function valuesOf(flags: string): string[] {
  const [, values = ''] = /<(.+)>/.exec(flags) ?? [];
  return values.includes('|') ? values.split('|') : [];
}

/** The known values of an argument. */
async function argumentWords(command: Command, index: number): Promise<readonly string[]> {
  const wanted = command.registeredArguments[index]?.name();
  const group = command.parent?.name();
  switch (wanted) {
    case 'id':
    case 'server':
      return serverIds();
    case 'client':
      return CLIENTS;
    case 'shell':
      return Object.keys(SCRIPTS);
    case 'name':
      if (group === 'catalog') return wellKnownServers().map(({ name }) => name);
      return group === 'tools' && command.name() === 'call' ? toolNames() : [];
    default:
      return [];
  }
}

/** The tools of the running gateway; none if it does not answer in time. */
async function toolNames(): Promise<string[]> {
  const { dataDir } = directories(process.env);
  const running = await findAnnouncement(dataDir);
  if (!running) return [];
  const token = await readFile(join(dataDir, 'admin.token'), 'utf8').catch(() => '');
  const request = { headers: { authorization: `Bearer ${token.trim()}` }, signal: AbortSignal.timeout(TOOLS_MS) };
  const answer = await fetch(`${running.url}/v1/tools?limit=1000`, request).catch(() => undefined);
  const body = (await answer?.json().catch(() => undefined)) as { items?: readonly { name: string }[] } | undefined;
  return (body?.items ?? []).map(({ name }) => name);
}

async function serverIds(): Promise<string[]> {
  const { configFile } = directories(process.env);
  const { servers } = await new ConfigStore({ global: configFile, project: projectConfigFile(process.cwd()) }).load();
  return servers.map(({ id }) => id);
}
