/** The program to start, with its arguments. */
export interface ResolvedCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Windows: the arguments are already quoted. */
  readonly verbatim: boolean;
}

export interface CommandWorld {
  readonly platform: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly exists: (path: string) => boolean;
}

export class CommandNotFound extends Error {
  override readonly name = 'CommandNotFound';
}

/**
 * Finds the program to start. POSIX systems do that themselves. On Windows `npx` means `npx.cmd` somewhere on the PATH, and a `.cmd`
 * file starts only through cmd.exe, with each argument quoted for both of its parsers.
 */
export function resolveCommand(command: string, args: readonly string[], world: CommandWorld): ResolvedCommand {
  if (world.platform !== 'win32') return { file: command, args, verbatim: false };
  const file = findOnWindows(command, world);
  if (!/\.(cmd|bat)$/i.test(file)) return { file, args, verbatim: false };
  const line = [withCarets(file), ...args.map(quoteForCmd)].join(' ');
  const shell = variable(world, 'COMSPEC') ?? 'cmd.exe';
  return { file: shell, args: ['/d', '/s', '/c', `"${line}"`], verbatim: true };
}

function findOnWindows(command: string, world: CommandWorld): string {
  const extensions = (variable(world, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter((one) => one !== '');
  const hasExtension = extensions.some((extension) => command.toLowerCase().endsWith(extension.toLowerCase()));
  const names = hasExtension
    ? [command]
    : [...extensions.map((extension) => command + extension.toLowerCase()), command];
  const path = (variable(world, 'PATH') ?? '').split(';').filter((folder) => folder !== '');
  const folders = /[\\/]/.test(command) ? [undefined] : [world.cwd, ...path];
  for (const folder of folders) {
    for (const name of names) {
      const candidate = folder === undefined ? name : `${folder.replace(/[\\/]+$/, '')}\\${name}`;
      if (world.exists(candidate)) return candidate;
    }
  }
  throw new CommandNotFound(
    `${command} was not found (searched ${folders.map((one) => one ?? 'its own path').join(', ')})`,
  );
}

/** Windows ignores the case of variable names. */
function variable(world: CommandWorld, name: string): string | undefined {
  const found = Object.keys(world.env).find((key) => key.toUpperCase() === name);
  return found === undefined ? undefined : world.env[found];
}

/**
 * Quotes an argument for the program's own parser (doubles backslashes before quotes, escapes quotes), and then escapes each cmd.exe
 * metacharacter with a caret, twice, because a batch file passes `%*` to cmd.exe again.
 */
function quoteForCmd(argument: string): string {
  const quoted = `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`;
  return withCarets(withCarets(quoted));
}

function withCarets(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&');
}
