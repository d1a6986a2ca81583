/** What programs in Go make of a path or a URL, by the documentation of `path/filepath`, `os` and `net/url`, as plainly as it can be said. */

/** `filepath.Clean` on Unix. */
export function goClean(path: string): string {
  const isRooted = path.startsWith('/');
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.length > 0 && names.at(-1) !== '..') names.pop();
    else if (!isRooted) names.push('..');
  }
  return (isRooted ? '/' : '') + names.join('/') || '.';
}

/** `filepath.Abs` with a working directory. */
export function goAbs(path: string, cwd: string): string {
  return goClean(path.startsWith('/') ? path : `${cwd}/${path}`);
}

/** `os.ExpandEnv`: a variable that is not set is empty, and the names of a shell's own variables are variables. */
export function goExpandEnv(text: string, env: Readonly<Record<string, string>>): string {
  let expanded = '';
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at);
    const named = /^\$\{([^}]*)\}|^\$([A-Za-z_][A-Za-z0-9_]*)|^\$([*#$@!?\-0-9])/.exec(rest);
    if (named) {
      expanded += env[named[1] ?? named[2] ?? named[3] ?? ''] ?? '';
      at += named[0].length;
    } else {
      expanded += rest[0];
      at += 1;
    }
  }
  return expanded;
}

export interface GoUrl {
  readonly scheme: string;
  readonly opaque: string;
  readonly hostname: string;
  readonly path: string;
}

/** `url.Parse`; undefined where it gives an error. */
export function goParse(text: string): GoUrl | undefined {
  const [withoutFragment = ''] = text.split('#', 1);
  if (/[\u0000-\u001f\u007f]/.test(withoutFragment)) return undefined;
  const scheme = goScheme(withoutFragment);
  if (scheme === undefined) return undefined;
  const afterScheme = scheme === '' ? withoutFragment : withoutFragment.slice(scheme.length + 1);
  const [rest = ''] = afterScheme.split('?', 1);
  const none = { scheme: scheme.toLowerCase(), opaque: '', hostname: '', path: '' };
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...none, opaque: rest };
    if (rest.split('/', 1)[0]?.includes(':')) return undefined;
  }
  if (!rest.startsWith('//') || (scheme === '' && rest.startsWith('///'))) {
    const path = unescaped(rest);
    return path === undefined ? undefined : { ...none, path };
  }
  const [authority = ''] = rest.slice(2).split('/', 1);
  const at = authority.lastIndexOf('@');
  const userinfo = authority.slice(0, Math.max(at, 0));
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(userinfo)) return undefined;
  const hostname = goHostname(authority.slice(at + 1));
  const path = unescaped(rest.slice(2 + authority.length));
  return hostname === undefined || path === undefined ? undefined : { ...none, hostname, path };
}

function goScheme(text: string): string | undefined {
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (/[A-Za-z]/.test(character)) continue;
    if (/[0-9+.-]/.test(character)) {
      if (at === 0) return '';
      continue;
    }
    if (character === ':') return at === 0 ? undefined : text.slice(0, at);
    return '';
  }
  return '';
}

function goHostname(host: string): string | undefined {
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']');
    if (end < 0 || !/^(?::\d*)?$/.test(host.slice(end + 1))) return undefined;
    return host.slice(1, end);
  }
  const colon = host.lastIndexOf(':');
  if (colon >= 0 && !/^:\d*$/.test(host.slice(colon))) return undefined;
  // In a host only bytes beyond ASCII may be escaped, and most punctuation must not stand there.
  if (/%(?![89a-f][0-9a-f])/i.test(host) || /[ "\\^`{|}]/.test(host.replaceAll('"', ''))) return undefined;
  const name = unescaped(host);
  return name === undefined ? undefined : colon >= 0 ? name.slice(0, name.lastIndexOf(':')) : name;
}

/** `PathUnescape`. */
function unescaped(text: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(text)) return undefined;
  const bytes = Buffer.from(text).toString('latin1');
  const decoded = bytes.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return Buffer.from(decoded, 'latin1').toString('utf8');
}
