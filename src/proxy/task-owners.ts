import { isObject } from '../wire/json.ts';
import { RPC } from '../wire/revisions.ts';
import type { Client } from './client.ts';
import type { ClientRequest } from './client-message.ts';
import { PROXY_LIMITS } from './limits.ts';
import { RpcFailure } from './rpc-failure.ts';

/** Whose tasks are whose: on a connection that several callers share, a task's id alone would open it to all of them. */
export class TaskOwners {
  /** The task that was begun last stands last. */
  readonly #owners = new Map<string, string>();

  /** Takes note of the task that an answer tells of, where it does. */
  note(server: string, { caller }: Client, answer: Uint8Array): void {
    const taskId = taskIdOf(answer);
    if (taskId === undefined) return;
    this.#owners.set(keyOf(server, taskId), caller);
    const [oldest] = this.#owners.keys();
    if (this.#owners.size > PROXY_LIMITS.taskOwnersMax) this.#owners.delete(oldest as string);
  }

  /** Refuses a request about a task that another caller began. */
  check(server: string, { caller }: Client, { params }: ClientRequest): void {
    const { taskId } = params ?? {};
    if (taskId === undefined) return;
    if (typeof taskId !== 'string') throw new RpcFailure(RPC.invalidParams, 'taskId must be a string');
    const owner = this.#owners.get(keyOf(server, taskId));
    if (owner !== undefined && owner !== caller) throw new RpcFailure(RPC.invalidParams, 'Task not found');
  }
}

function taskIdOf(answer: Uint8Array): string | undefined {
  const text = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength).toString('utf8');
  if (!text.includes('"taskId"')) return undefined;
  const { result } = JSON.parse(text) as { result?: unknown };
  if (!isObject(result)) return undefined;
  const { taskId } = isObject(result.task) ? result.task : result;
  return typeof taskId === 'string' ? taskId : undefined;
}

function keyOf(server: string, taskId: string): string {
  return `${server}\n${taskId}`;
}
