interface Cause {
  readonly pattern: RegExp;
  readonly sentence: string;
}

const OWN_CERTIFICATE: Cause = {
  pattern:
    /self[- ]signed certificate|unable to (get local issuer|verify the first) certificate|SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER|VERIFY)|CERTIFICATE_VERIFY_FAILED|certificate signed by unknown authority/i,
  sentence:
    'the network uses a certificate of its own: set NODE_EXTRA_CA_CERTS (and SSL_CERT_FILE) to its CA file where Bindery is started',
};

/** Known start-up errors and their remedies; the first match is used. */
const CAUSES: readonly Cause[] = [
  OWN_CERTIFICATE,
  {
    pattern:
      /\b(npm error|npm ERR!) code E404\b|404 Not Found - GET|No matching version found|No solution found when resolving/i,
    sentence: 'the package does not exist under this name or version: check the spelling',
  },
  {
    pattern: /\b(npm error|npm ERR!) code (E401|E403|ENEEDAUTH)\b/i,
    sentence: 'the package registry refused the credential: sign in there, or check ~/.npmrc',
  },
  {
    pattern: /ENOTFOUND|EAI_AGAIN|getaddrinfo|Temporary failure in name resolution|Could not resolve host/i,
    sentence: 'a name could not be resolved: check the network, or set HTTPS_PROXY where Bindery is started',
  },
  {
    pattern: /ETIMEDOUT|ECONNRESET|network timeout|tunneling socket could not be established/i,
    sentence: 'the network does not answer: behind a proxy, set HTTPS_PROXY where Bindery is started',
  },
  {
    pattern: /EBADENGINE|Unsupported engine|requires? (a newer |at least )?Node(\.js)? /i,
    sentence: 'it needs a newer Node',
  },
  {
    pattern: /Cannot find module '(\/|[A-Za-z]:\\)[^']*'\s+at [^\n]*_resolveFilename|can't open file '/,
    sentence: 'the file that it is started with does not exist: correct `args` of its entry',
  },
  {
    pattern: /Cannot find (module|package)|ModuleNotFoundError|ERR_MODULE_NOT_FOUND/,
    sentence: 'a part of it is not installed',
  },
  { pattern: /EADDRINUSE/, sentence: 'the port that it listens on is in use' },
  { pattern: /EACCES|Permission denied/i, sentence: 'this user may not read or run a file that it needs' },
  { pattern: /ENOSPC/, sentence: 'the disk is full' },
  {
    pattern:
      /\b[A-Z][A-Z0-9_]*(KEY|TOKEN|SECRET|PASSWORD|URL)\b[^\n]{0,60}(required|missing|not set|must be set|undefined|not found)/i,
    sentence: 'it needs a variable that is not set: give it in `env` of its entry',
  },
  {
    pattern:
      /([Rr]equired|[Mm]issing|must be set|[Pp]lease set)[^\n]{0,60}\b[A-Z][A-Z0-9_]*(KEY|TOKEN|SECRET|PASSWORD|URL)\b/,
    sentence: 'it needs a variable that is not set: give it in `env` of its entry',
  },
  { pattern: /ECONNREFUSED/, sentence: 'nothing listens at an address that it needs' },
];

/** Explains a failure from its message and the server's stderr; undefined if no known cause matches. */
export function likelyCause(message: string, stderr: string | undefined): string | undefined {
  const text = `${message}\n${stderr ?? ''}`;
  return CAUSES.find(({ pattern }) => pattern.test(text))?.sentence;
}

/** Appends the likely cause to a message. For a server without stderr, only certificate errors are recognized. */
export function withLikelyCause(message: string, stderr: string | undefined): string {
  const isCertificate = stderr === undefined && OWN_CERTIFICATE.pattern.test(message);
  const ofConnection = isCertificate ? OWN_CERTIFICATE.sentence : undefined;
  const cause = stderr === undefined ? ofConnection : likelyCause(message, stderr);
  return cause === undefined ? message : `${message}. Likely cause: ${cause}`;
}

/** The known cause that a message ends with; a server's own words are never one. */
export function knownCause(message: string): string | undefined {
  return CAUSES.find(({ sentence }) => message.endsWith(`. Likely cause: ${sentence}`))?.sentence;
}
