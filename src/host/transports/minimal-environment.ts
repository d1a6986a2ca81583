import { posix, win32 } from 'node:path';

/** Variables that a child inherits on POSIX systems: enough to find programs, the home and temporary folders, and the language. */
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

/** Variables for the network and for package managers: certificates, proxies, caches. */
const NETWORK_NAMES = [
  ...['NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE'],
  ...['CURL_CA_BUNDLE', 'PIP_CERT', 'GIT_SSL_CAINFO', 'NIX_SSL_CERT_FILE', 'UV_NATIVE_TLS', 'UV_SYSTEM_CERTS'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'NODE_USE_ENV_PROXY'],
  ...['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['PIP_INDEX_URL', 'PIP_CONFIG_FILE', 'UV_INDEX_URL', 'UV_DEFAULT_INDEX', 'UV_CACHE_DIR'],
];

/** npm settings, without credentials: npm finds those in ~/.npmrc itself. */
const NPM_SETTING = /^npm_config_(?!.*(auth|token|password|secret|\/\/))\w+$/i;
const LOCALE = /^LC_[A-Z]+$/;

/** Variables without which a process does not start on Windows. */
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
 * The environment of a stdio server: a short list of the parent's variables, plus its own. If npm started this process (`npx`, `npm
 * run`), lower-case npm settings may come from the project's `.npmrc`. They are left out, so that a project cannot choose the registry
 * from which the user's own servers are installed.
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
    // Bash exports functions as values with this prefix; they are code, not settings.
    if (wanted && value !== undefined && !value.startsWith('()')) environment[name] = value;
  }
  for (const [name, value] of Object.entries(own)) if (value !== undefined) environment[name] = value;
  return environment;
}

/**
 * The same environment, with a PATH that finds no program in the folder: `npm exec` puts the project's `node_modules/.bin` first.
 * Removes relative parts too. If the folder contains the home folder, and so the user's own programs, removes only `node_modules/.bin`.
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
