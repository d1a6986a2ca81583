/** What a child inherits on POSIX systems: enough to find programs, a home, a temporary folder and the language. */
const POSIX_NAMES = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'];

/** What a child needs on Windows before it can start at all. */
const WINDOWS_NAMES = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of a stdio server: a short list of the parent's variables, and its own; never the whole parent's. */
export function minimalEnvironment(parent: Environment, own: Environment, platform: string): Record<string, string> {
  const windows = platform === 'win32';
  const inherited = windows ? WINDOWS_NAMES : POSIX_NAMES;
  const fold = (name: string) => (windows ? name.toUpperCase() : name);
  const ownNames = new Set(Object.keys(own).map(fold));
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent)) {
    const wanted = inherited.includes(fold(name)) && !ownNames.has(fold(name));
    // Bash exports functions as values that begin so; they are code, not settings.
    if (wanted && value !== undefined && !value.startsWith('()')) environment[name] = value;
  }
  for (const [name, value] of Object.entries(own)) if (value !== undefined) environment[name] = value;
  return environment;
}
