import { isObject, type JsonObject } from '../../../contract/json.ts';
import { RPC } from '../../../wire/revisions.ts';
import { hasSafePages, namedQuestion } from '../../../wire/server-question.ts';
import type { ClientCallbacks, ClientIdentity } from '../ports.ts';
import type { Reply } from './exchanges.ts';

/** Answers a server's question with a callback; refuses a question that has none. */
export async function answerQuestion(
  callbacks: ClientCallbacks,
  serverId: string,
  question: { readonly method: string; readonly params?: JsonObject },
  signal: AbortSignal,
): Promise<Reply> {
  const callback = callbackFor(callbacks, question);
  if (callback === undefined) {
    return { kind: 'error', code: RPC.methodNotFound, message: `Method not found: ${question.method}` };
  }
  const params = question.params ?? {};
  if (!hasSafePages(question.method, params))
    return {
      kind: 'error',
      code: RPC.invalidParams,
      message: 'The page must have an https address without a password',
    };
  try {
    const asked = namedQuestion(serverId, question.method, params);
    const result = readResult(question.method, await callback({ serverId, params: asked, signal }));
    return { kind: 'result', result: question.method === 'elicitation/create' ? withDefaults(result, params) : result };
  } catch {
    // The error text belongs to us or to the person: the server does not get it.
    return { kind: 'error', code: RPC.internalError, message: 'The client could not answer' };
  }
}

/** The capabilities to declare to a server: only those that have a callback. */
export function declaredCapabilities({ callbacks, capabilities }: ClientIdentity): JsonObject {
  if (capabilities !== undefined) return capabilities;
  const { roots, elicitation, sampling } = callbacks;
  const modes = { ...(elicitation?.form ? { form: {} } : {}), ...(elicitation?.url ? { url: {} } : {}) };
  return {
    ...(roots ? { roots: {} } : {}),
    ...(sampling ? { sampling: {} } : {}),
    ...(Object.keys(modes).length > 0 ? { elicitation: modes } : {}),
  };
}

function callbackFor(callbacks: ClientCallbacks, question: { readonly method: string; readonly params?: JsonObject }) {
  switch (question.method) {
    case 'roots/list':
      return callbacks.roots;
    case 'sampling/createMessage':
      return callbacks.sampling;
    case 'elicitation/create':
      return question.params?.mode === 'url' ? callbacks.elicitation?.url : callbacks.elicitation?.form;
    default:
      return undefined;
  }
}

/** Rejects an answer that is outside the protocol, so that a malformed answer never counts as consent. */
function readResult(method: string, given: unknown): JsonObject {
  if (!isObject(given)) throw new TypeError(`the callback for ${method} answered no object`);
  // A copy, so that each member is read only once.
  const result = { ...given };
  if (method === 'elicitation/create' && !isElicitResult(result)) {
    throw new TypeError(`the callback for ${method} answered no action of the protocol`);
  }
  return result;
}

function isElicitResult({ action, content }: JsonObject): boolean {
  if (content !== undefined && !isObject(content)) return false;
  return action === 'accept' || action === 'decline' || action === 'cancel';
}

/** Fills missing members of an accepted form with their defaults, as people expect of a prefilled form. */
function withDefaults(result: JsonObject, params: JsonObject): JsonObject {
  const schema = params.requestedSchema;
  if (result.action !== 'accept' || !isObject(schema) || !isObject(schema.properties)) return result;
  const content: Record<string, unknown> = isObject(result.content) ? { ...result.content } : {};
  for (const [name, property] of Object.entries(schema.properties)) {
    if (!Object.hasOwn(content, name) && isObject(property) && property.default !== undefined) {
      content[name] = property.default;
    }
  }
  return { ...result, content };
}
