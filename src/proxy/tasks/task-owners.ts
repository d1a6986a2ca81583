import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Log } from '../../contract/ports.ts';
import { RPC } from '../../wire/revisions.ts';
import { retryWhileBusy } from '../approvals/retry-while-busy.ts';
import { RpcFailure } from '../message/answers.ts';
import type { Client, ClientRequest } from '../message/client.ts';

/** Stores the owners of tasks. It outlives the process, as tasks do. */
export interface TaskOwnerStore {
  isOwner(server: string, taskId: string, caller: string): boolean;
  /** False if the id belongs to a task of another caller. `isApart`: the caller has a connection of its own. */
  claim(server: string, taskId: string, owner: string, isApart: boolean): boolean;
}

/** Checks the owners of tasks: on a shared connection, the id of a task alone would open it to all callers. */
export class TaskOwners {
  readonly #store: TaskOwnerStore;
  readonly #log: Log;

  constructor(store: TaskOwnerStore, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /**
   * Records the owner of a task that an answer announces. If that fails, the task has no owner. False if the id belongs to a task of
   * another caller: a server must not hand it out twice, and the first owner stays.
   */
  async note(server: string, { caller }: Client, answer: Uint8Array, isApart: boolean): Promise<boolean> {
    const taskId = taskIdOf(answer);
    if (taskId === undefined) return true;
    try {
      const isOwn = await retryWhileBusy(() => this.#store.claim(server, taskId, caller, isApart));
      if (!isOwn) this.#log.warn('a server answered with the id of a task of another caller', { server });
      return isOwn;
    } catch (error) {
      this.#log.error('a task cannot be read: its owner could not be stored', { server, error });
      return true;
    }
  }

  /** Refuses a request about a task unless its caller is recorded as the owner. The id is compared exactly as it was sent. */
  check(server: string, { caller }: Client, { params }: ClientRequest): void {
    const { taskId } = params ?? {};
    if (taskId === undefined) return;
    if (typeof taskId !== 'string') throw new RpcFailure(RPC.invalidParams, 'taskId must be a string');
    if (!this.#store.isOwner(server, taskId, caller)) throw new RpcFailure(RPC.invalidParams, 'Task not found');
  }

  /** An answer to `tasks/list` with only the caller's own tasks. */
  ownList(server: string, { caller }: Client, answer: Uint8Array): JsonObject | undefined {
    const { result } = JSON.parse(Buffer.from(answer).toString('utf8')) as { result?: unknown };
    if (!isObject(result)) return undefined;
    const tasks = Array.isArray(result.tasks) ? result.tasks : [];
    const isOwn = (task: unknown) =>
      isObject(task) && typeof task.taskId === 'string' && this.#store.isOwner(server, task.taskId, caller);
    return { ...result, tasks: tasks.filter(isOwn) };
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
