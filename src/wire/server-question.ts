import { visibleLines } from '../contract/visible-text.ts';
import { isObject, type JsonObject } from './json.ts';

/**
 * A question of a server with its name in front, so that no server can ask in the name of Bindery or of another: whatever it writes
 * stands behind the name. Hidden characters are made visible. What holds no text for a person stays as it is.
 */
export function namedQuestion(server: string, method: string, params: JsonObject): JsonObject {
  switch (method) {
    case 'elicitation/create':
      return namedElicitation(server, params);
    case 'sampling/createMessage':
      return { ...params, systemPrompt: named(server, params.systemPrompt) };
    default:
      return params;
  }
}

/** The questions of an `input_required` result. */
export function namedInputRequests(server: string, inputRequests: unknown): unknown {
  if (!isObject(inputRequests)) return inputRequests;
  return Object.fromEntries(
    Object.entries(inputRequests).map(([key, question]) => {
      if (!isObject(question) || typeof question.method !== 'string') return [key, question];
      const params = isObject(question.params) ? question.params : {};
      return [key, { ...question, params: namedQuestion(server, question.method, params) }];
    }),
  );
}

/** The pages that an error `URL_ELICITATION_REQUIRED` sends a person to. */
export function namedPages(server: string, data: unknown): unknown {
  if (!isObject(data) || !Array.isArray(data.elicitations)) return data;
  const elicitations = data.elicitations.map((page: unknown) =>
    isObject(page) ? namedElicitation(server, page) : page,
  );
  return { ...data, elicitations };
}

function namedElicitation(server: string, { requestedSchema, ...params }: JsonObject): JsonObject {
  return {
    ...params,
    message: named(server, params.message),
    ...(requestedSchema === undefined ? {} : { requestedSchema: visibleLabels(requestedSchema) }),
  };
}

function named(server: string, text: unknown): string {
  const head = `[server ${server} asks]`;
  return typeof text === 'string' && text !== '' ? `${head} ${visibleLines(text)}` : head;
}

/** What people read of a form; names and values of its fields go back to the server and stay as they are. */
function visibleLabels(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(visibleLabels);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [
      name,
      LABELS.has(name) && typeof member === 'string' ? visibleLines(member) : visibleLabels(member),
    ]),
  );
}

const LABELS = new Set(['title', 'description']);
