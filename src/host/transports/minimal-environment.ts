import { posix, win32 } from 'node:path';

/** What a child inherits on POSIX systems: enough to find programs, a home, a temporary folder and the language. */
const POSIX_NAMES = [
  'HOME',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'USER',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'TMP',
  'TEMP',
];

/** What a child needs to reach the network and its packages on this machine: certificates, proxies, package managers. */
const NETWORK_NAMES = [
  ...['NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE'],
  ...['CURL_CA_BUNDLE', 'PIP_CERT', 'GIT_SSL_CAINFO', 'NIX_SSL_CERT_FILE', 'UV_NATIVE_TLS', 'UV_SYSTEM_CERTS'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'NODE_USE_ENV_PROXY'],
  ...['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['PIP_INDEX_URL', 'PIP_CONFIG_FILE', 'UV_INDEX_URL', 'UV_DEFAULT_INDEX', 'UV_CACHE_DIR'],
];

/** Settings of npm, but no credential: npm finds those in ~/.npmrc by itself. */
const NPM_SETTING = /^npm_config_(?!.*(auth|token|password|secret|\/\/))\w+$/i;
const LOCALE = /^LC_[A-Z]+$/;

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

/**
 * The environment of a stdio server: a short list of the parent's variables, and its own; never the whole parent's. Where npm started
 * this process (`npx`, `npm run`), settings of npm in small letters came from npm, which had read the project's `.npmrc` as well: those
 * are left out, or a project could choose the registry that a person's own servers are loaded from.
 */
export function minimalEnvironment(parent: Environment, own: Environment, platform: string): Record<string, string> {
  const windows = platform === 'win32';
  const inherited = windows ? WINDOWS_NAMES : POSIX_NAMES;
  const isUnderNpm = parent.npm_command !== undefined || parent.npm_lifecycle_event !== undefined;
  const isNpmSetting = (name: string) => NPM_SETTING.test(name) && !(isUnderNpm && name.startsWith('npm_config_'));
  const isInherited = (name: string) =>
    inherited.includes(fold(name)) || NETWORK_NAMES.includes(fold(name)) || LOCALE.test(name) || isNpmSetting(name);
  const fold = (name: string) => (windows ? name.toUpperCase() : name);
  const ownNames = new Set(Object.keys(own).map(fold));
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent)) {
    const wanted = isInherited(name) && !ownNames.has(fold(name));
    // Bash exports functions as values that begin so; they are code, not settings.
    if (wanted && value !== undefined && !value.startsWith('()')) environment[name] = value;
  }
  for (const [name, value] of Object.entries(own)) if (value !== undefined) environment[name] = value;
  return environment;
}

/**
 * The same environment with a PATH that leads to no program of the folder: `npm exec` puts `node_modules/.bin` of the project
 * first. Relative parts go as well. Where the home folder lies in it, the person's own programs do too: then only
 * `node_modules/.bin` is taken out.
 */
export function pathOutside(env: Environment, folder: string, platform: string): Environment {
  const { delimiter, isAbsolute, relative } = platform === 'win32' ? win32 : posix;
  const isWithin = (path: string) => {
    const way = relative(folder, path);
    return way === '' || !(way === '..' || /^\.\.[\\/]/.test(way) || isAbsolute(way));
  };
  const home = variable(env, platform === 'win32' ? 'USERPROFILE' : 'HOME', platform);
  const holdsHome = home !== undefined && isAbsolute(home) && isWithin(home);
  const isTaken = (part: string) => {
    if (!isAbsolute(part)) return true;
    return isWithin(part) && (!holdsHome || /[\\/]node_modules[\\/]\.bin[\\/]*$/.test(part));
  };
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      const isPath = (platform === 'win32' ? name.toUpperCase() : name) === 'PATH';
      const kept = isPath ? value?.split(delimiter).filter((part) => !isTaken(part)) : undefined;
      return [name, kept?.join(delimiter) ?? value];
    }),
  );
}

function variable(env: Environment, name: string, platform: string): string | undefined {
  if (platform !== 'win32') return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}
