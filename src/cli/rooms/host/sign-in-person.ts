import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import type { SignInPorts, SignInRequest } from '../../../host/oauth/sign-in.ts';

export interface SignInStreams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
}

/** The person at this terminal: sees what is asked for, gets the browser opened, may paste the redirected URL back. */
export function personAt({ stdin, stderr }: SignInStreams, env: NodeJS.ProcessEnv): SignInPorts {
  const paste = async (_request: SignInRequest, signal: AbortSignal) => {
    const lines = createInterface({ input: stdin, output: stderr });
    try {
      return await lines.question('paste the address that the browser ends at, if it cannot come back here: ', {
        signal,
      });
    } finally {
      lines.close();
    }
  };
  const timeoutMs = positiveInt(env.BINDERY_MCP_OAUTH_TIMEOUT_MS);
  const callbackPort = positiveInt(env.BINDERY_MCP_OAUTH_PORT);
  return {
    present: async (request) => {
      stderr.write(signInText(request));
      if (opensBrowser(env)) openBrowser(request.authorizationUrl);
    },
    ...(stdin.isTTY ? { paste } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(callbackPort === undefined ? {} : { callbackPort }),
  };
}

/** Over SSH the browser of this machine is not the person's. */
export function opensBrowser(env: NodeJS.ProcessEnv): boolean {
  if (env.BINDERY_OAUTH_BROWSER === 'manual') return false;
  if (env.BINDERY_OAUTH_BROWSER === 'auto') return true;
  return !env.SSH_CONNECTION && !env.SSH_CLIENT && !env.SSH_TTY;
}

/** Opens a web address with the system's own program; where there is none, the printed address must do. */
export function openBrowser(url: string): void {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return;
  const [command, args] =
    process.platform === 'darwin'
      ? ['open', [url]]
      : process.platform === 'win32'
        ? ['rundll32', ['url.dll,FileProtocolHandler', url]]
        : ['xdg-open', [url]];
  const child = spawn(command as string, args as string[], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}

function signInText(request: SignInRequest): string {
  return [
    `${request.serverId} (${request.serverUrl}) asks you to sign in at ${request.issuer}`,
    ...(request.scope === undefined ? [] : [`  scope: ${request.scope}`]),
    ...(request.resource === undefined ? [] : [`  resource: ${request.resource}`]),
    `  comes back to: ${request.redirectUri}`,
    `  open: ${request.authorizationUrl}`,
    '',
  ].join('\n');
}

function positiveInt(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d*$/.test(text) ? Number(text) : undefined;
}
