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
    ...(requestedSchema === undefined ? {} : { requestedSchema: visibleForm(requestedSchema) }),
  };
}

function named(server: string, text: unknown): string {
  const head = `[server ${server} asks]`;
  return typeof text === 'string' && text !== '' ? `${head} ${withoutHeads(visibleLines(text))}` : head;
}

/** A further line with brackets as ours would look like the head of another question. */
function withoutHeads(text: string): string {
  const [first, ...lines] = text.split('\n');
  return [first, ...lines.map((line) => (looksLikeHead(line) ? withoutBrackets(line) : line))].join('\n');
}

function looksLikeHead(line: string): boolean {
  return /^[^\p{L}\p{N}]*[[\uff3b\u3010\u3014\u27e6\u2045\u301a]/u.test(line) || hasHead(line);
}

function hasHead(text: string): boolean {
  return /asks\s*[\]\uff3d\u3011\u3015\u27e7\u2046\u301b]/iu.test(text);
}

/**
 * What people read of a form. Brackets in it become parentheses, since ours stand in brackets. Names and values of fields go back to
 * the server and stay as they are: where a client would show one of them with brackets, it gets a label of its own.
 */
function visibleForm(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(visibleForm);
  if (!isObject(schema)) return schema;
  const shown = Object.entries(schema).map(([name, member]) => [name, visibleMember(name, member)]);
  return Object.fromEntries([...choiceLabels(schema), ...shown]);
}

function visibleMember(name: string, member: unknown): unknown {
  if (LABELS.has(name) && typeof member === 'string') return label(member);
  // What stands in a field beforehand is a value, but a person reads it first.
  if (name === 'default' && typeof member === 'string') return hasHead(member) ? withoutBrackets(member) : member;
  if (name === 'enumNames' && Array.isArray(member))
    return member.map((one) => (typeof one === 'string' ? label(one) : one));
  if (name === 'properties' && isObject(member))
    return Object.fromEntries(Object.entries(member).map(([field, schema]) => [field, visibleField(field, schema)]));
  return visibleForm(member);
}

function visibleField(name: string, schema: unknown): unknown {
  const shown = visibleForm(schema);
  return isObject(shown) && typeof shown.title !== 'string' && label(name) !== name
    ? { ...shown, title: label(name) }
    : shown;
}

/** Labels for the values of a list, where it has none and needs some. */
function choiceLabels({ enum: values, enumNames }: JsonObject): [string, unknown][] {
  if (!Array.isArray(values) || enumNames !== undefined) return [];
  const labels = values.map((value) => label(String(value)));
  return labels.every((text, index) => text === String(values[index])) ? [] : [['enumNames', labels]];
}

const LABELS = new Set(['title', 'description']);

function label(text: string): string {
  return withoutBrackets(visibleLines(text));
}

/** Square brackets, and what looks like them, as parentheses. */
function withoutBrackets(text: string): string {
  return text
    .replaceAll(/[[\uff3b\u3010\u3014\u27e6\u2045\u301a]/gu, '(')
    .replaceAll(/[\]\uff3d\u3011\u3015\u27e7\u2046\u301b]/gu, ')');
}
