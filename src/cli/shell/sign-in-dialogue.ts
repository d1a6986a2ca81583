import { visible, visibleLine } from '../../contract/visible-text.ts';
import { OAuthError } from '../../host/oauth/oauth-error.ts';
import type { SignInPorts, SignInRequest } from '../../host/oauth/sign-in.ts';
import { signInText } from '../rooms/host/sign-in-person.ts';

/** The person at the shell, as far as signing in goes. */
export interface SignInPerson {
  print(text: string): void;
  /** One line that answers; rejects when the signal aborts or the input ends. */
  ask(question: string, signal: AbortSignal, accepts: (line: string) => boolean): Promise<string>;
  /** Opens a page in the person's browser; undefined where there is none on this machine. */
  readonly open: ((url: string) => void) | undefined;
}

const YES = /^\s*(y|yes)\s*$/i;
const NO = /^\s*(n|no)\s*$/i;
/** What a browser ends at: an address, or its query. */
const PASTED = /^\s*(https?:\/\/\S+|\S*\bstate=\S+)\s*$/i;

/**
 * Asks before a browser opens, and takes the redirected address where it cannot come back by itself. Only lines that answer are
 * taken: the shell goes on meanwhile.
 */
export function signInDialogue({ print, ask, open }: SignInPerson): Pick<SignInPorts, 'present' | 'paste'> {
  let shown: SignInRequest | undefined;
  return {
    // `paste` says it all.
    present: async () => {},
    paste: async (request, signal) => {
      const isAgain = shown === request;
      shown = request;
      print(isAgain ? 'that is not the address that this sign-in ends at\n' : signInText(request));
      const name = visibleLine(request.serverId);
      let canOpen = open !== undefined && !isAgain;
      for (;;) {
        const line = await ask(canOpen ? questionToOpen(name) : questionToPaste(name), signal, isAnswer);
        if (NO.test(line)) {
          print(visible`gave up; "/mcp reconnect ${name}" asks again\n`);
          throw new OAuthError('cancelled', 'the sign-in was given up');
        }
        if (!YES.test(line)) return line;
        if (canOpen) open?.(request.authorizationUrl);
        canOpen = false;
      }
    },
  };
}

function isAnswer(line: string): boolean {
  return YES.test(line) || NO.test(line) || PASTED.test(line);
}

function questionToOpen(name: string): string {
  return visible`sign in to ${name}: y opens the browser, n gives up> `;
}

function questionToPaste(name: string): string {
  return visible`sign in to ${name}: paste the address it ends at, n gives up> `;
}
