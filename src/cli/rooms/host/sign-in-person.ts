import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { visible } from '../../../contract/visible-text.ts';
import type { SignInPorts, SignInRequest } from '../../../host/oauth/sign-in.ts';
import { askLine } from '../../ask-line.ts';

const PASTE = 'paste the address that the browser ends at, if it cannot come back here: ';

const WRONG_PASTE =
  'That is not where this sign-in ends: the address has to have its code or its error, and the state of this sign-in.\n';

export interface SignInTerminal {
  /** The person's output stream. */
  readonly stderr: Writable;
  /** Asks the person for one line; undefined without a terminal. */
  readonly ask: ((question: string, signal: AbortSignal) => Promise<string>) | undefined;
}

/** The person at this terminal: sees the request, gets the browser opened, and may paste the redirected URL. */
export function personAt({ stderr, ask }: SignInTerminal, env: NodeJS.ProcessEnv): SignInPorts {
  const asked = new WeakSet<SignInRequest>();
  return {
    present: async (request) => {
      stderr.write(signInText(request));
      if (opensBrowser(env)) openBrowser(request.authorizationUrl);
    },
    ...(ask
      ? {
          paste: (request, signal) => {
            if (asked.has(request)) stderr.write(WRONG_PASTE);
            asked.add(request);
            return ask(PASTE, signal);
          },
        }
      : {}),
    ...signInSettings(env),
  };
}

/** The time limit for a sign-in and the callback port, from the variables that names.md lists. */
export function signInSettings(env: NodeJS.ProcessEnv): Pick<SignInPorts, 'timeoutMs' | 'callbackPort'> {
  const timeoutMs = positiveInt(env.BINDERY_MCP_OAUTH_TIMEOUT_MS);
  const callbackPort = positiveInt(env.BINDERY_MCP_OAUTH_PORT);
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(callbackPort === undefined ? {} : { callbackPort }),
  };
}

/** Asks on a terminal that no other code reads from. */
export function askOn(stdin: Readable & { readonly isTTY?: boolean }, stderr: Writable): SignInTerminal['ask'] {
  if (!stdin.isTTY) return undefined;
  return (question, signal) =>
    askLine(question, { input: stdin, output: stderr, signal, whenLeft: 'The sign-in was cancelled' });
}

/** Over SSH the browser of this machine is not the person's. */
export function opensBrowser(env: NodeJS.ProcessEnv): boolean {
  if (env.BINDERY_OAUTH_BROWSER === 'manual') return false;
  if (env.BINDERY_OAUTH_BROWSER === 'auto') return true;
  return !env.SSH_CONNECTION && !env.SSH_CLIENT && !env.SSH_TTY;
}

/** Opens a web address with the system's own program. If there is none, the person uses the printed address. */
export function openBrowser(url: string): boolean {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return false;
  const [command, args] =
    process.platform === 'darwin'
      ? ['open', [url]]
      : process.platform === 'win32'
        ? ['rundll32', ['url.dll,FileProtocolHandler', url]]
        : ['xdg-open', [url]];
  const child = spawn(command as string, args as string[], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
  return true;
}

export function signInText(request: SignInRequest): string {
  return [
    visible`${request.serverId} (${request.serverUrl}) asks you to sign in at ${request.issuer}`,
    ...(request.scope === undefined ? [] : [visible`  scope: ${request.scope}`]),
    ...(request.resource === undefined ? [] : [visible`  resource: ${request.resource}`]),
    visible`  comes back to: ${request.redirectUri}`,
    visible`  open: ${request.authorizationUrl}`,
    '',
  ].join('\n');
}

function positiveInt(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d*$/.test(text) ? Number(text) : undefined;
}
