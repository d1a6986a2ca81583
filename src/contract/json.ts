/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** An object whose members are not known in advance. */
export type JsonObject = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The id of a JSON-RPC request as MCP allows it. */
export type MessageId = string | number;

export interface RequestMessage {
  readonly method: string;
  readonly params?: JsonObject;
}

export interface IncomingRequest extends RequestMessage {
  readonly id: MessageId;
}

export type NotificationMessage = RequestMessage;
