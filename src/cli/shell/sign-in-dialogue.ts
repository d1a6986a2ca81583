import { visible, visibleLine } from '../../contract/visible-text.ts';
import { OAuthError } from '../../host/oauth/oauth-error.ts';
import type { SignInPorts, SignInRequest } from '../../host/oauth/sign-in.ts';
import { signInText } from '../rooms/host/sign-in-person.ts';

/** The person at the shell, for sign-ins. */
export interface SignInPerson {
  print(text: string): void;
  /** Asks for one accepted line; rejects when the signal aborts or the input ends. */
  ask(question: string, signal: AbortSignal, accepts: (line: string) => boolean): Promise<string>;
  /** Opens a page in the person's browser; undefined if there is none on this machine. */
  readonly open: ((url: string) => void) | undefined;
}

const YES = /^\s*(y|yes)\s*$/i;
const NO = /^\s*(n|no)\s*$/i;
/** The final address of a browser, or its query. */
const PASTED = /^\s*(https?:\/\/\S+|\S*\bstate=\S+)\s*$/i;

/**
 * Asks before a browser opens, and accepts a pasted redirect address if the callback cannot be reached. It takes only lines that
 * answer, so the shell stays usable.
 */
export function signInDialogue({ print, ask, open }: SignInPerson): Pick<SignInPorts, 'present' | 'paste'> {
  let shown: SignInRequest | undefined;
  return {
    // `paste` shows everything.
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
