import type { Host } from '../../host/host.ts';
import { OAuthError, signInFailed } from '../../host/oauth/oauth-error.ts';
import { UpstreamError } from '../../wire/upstream.ts';
import { LOCAL_CALLER, signInOwner } from '../users/callers.ts';
import type { OAuthCallbacks } from '../users/oauth-callbacks.ts';
import type { UserRealms } from '../users/user-realms.ts';
import type { SignInSteps } from './sign-in-steps.ts';

export interface ServerSignInsOptions {
  /** Connects to servers whose credential all callers share. */
  readonly host: Host;
  readonly realms: UserRealms;
  readonly callbacks: OAuthCallbacks;
  readonly steps: SignInSteps;
  redact(text: string): string;
  /** The name behind a credential. */
  nameOf(authorization: string | undefined): string;
}

/** Begins sign-ins to servers, for all callers or for one. Each returns the address at which a person signs in. */
export function serverSignIns(options: ServerSignInsOptions) {
  const { realms, redact, nameOf } = options;
  const beginOwn = async (id: string, caller: string) => (await realms.begin(id, caller)).url;
  return {
    login: (id: string, authorization: string | undefined) => {
      if (!realms.isPerUser(id)) return explained(redact, () => beginShared(options, id));
      return explained(redact, () => beginOwn(id, signInOwner(nameOf(authorization))));
    },
    signIn: (id: string, caller = LOCAL_CALLER) => explained(redact, () => beginOwn(id, caller)),
  };
}

/** If a sign-in cannot begin, explains why and what to do. */
async function explained(redact: (text: string) => string, begin: () => Promise<string>): Promise<string> {
  try {
    return await begin();
  } catch (thrown) {
    if (!(thrown instanceof OAuthError || thrown instanceof UpstreamError)) throw thrown;
    throw signInFailed(thrown, redact(thrown.message));
  }
}

/** Resolves with the address as soon as it is known. The sign-in continues until it completes or times out. */
function beginShared({ host, callbacks, steps }: ServerSignInsOptions, id: string): Promise<string> {
  const { onFailed, ...watch } = steps.begin(id);
  return new Promise((resolve, reject) => {
    const present = async ({ authorizationUrl }: { authorizationUrl: string }) => resolve(authorizationUrl);
    const callback = callbacks.listener();
    host
      .login(id, { present, ...watch, ...(callback ? { callback: () => callback } : {}) })
      .catch((thrown: unknown) => {
        onFailed(thrown);
        reject(thrown);
      });
  });
}
