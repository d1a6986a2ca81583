import { issueSentence } from '../../contract/execute.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { InputIssue } from '../../contract/operation.ts';
import type { Log } from '../../contract/ports.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { ArgumentValidator } from './validate-arguments.ts';

export interface OutputPromisePorts {
  /** Validates a value; returns nothing if the check exceeds its limits. */
  check(schema: JsonObject, value: unknown): readonly InputIssue[];
  readonly log: Pick<Log, 'warn'>;
}

/** A tool with an output schema. */
export interface PromisingTool {
  readonly server: string;
  readonly tool: string;
  readonly outputSchema?: unknown;
}

/** Checks structured content against the output schema of its tool. Refuses nothing. */
export class OutputPromises {
  readonly #ports: OutputPromisePorts;
  readonly #named = new Set<string>();

  constructor(ports: OutputPromisePorts) {
    this.#ports = ports;
  }

  /** Uses the validator for arguments. */
  static logged(log: OutputPromisePorts['log']): OutputPromises {
    const validator = new ArgumentValidator();
    return new OutputPromises({ log, check: (schema, value) => validator.check(schema, value).issues });
  }

  /** Whether the content violates the schema; logs it once per tool. */
  isBroken(tool: PromisingTool, content: unknown): boolean {
    const { outputSchema: schema } = tool;
    if (content === undefined || !isObject(schema)) return false;
    const issues = this.#ports.check(schema, content);
    if (issues.length > 0) this.#say(tool, issues);
    return issues.length > 0;
  }

  #say({ server, tool }: PromisingTool, issues: readonly InputIssue[]): void {
    const name = JSON.stringify([server, tool]);
    if (this.#named.has(name) || this.#named.size >= SEARCH_LIMITS.namedToolsMax) return;
    this.#named.add(name);
    const why = issueSentence(issues);
    this.#ports.log.warn('structured content breaks the output schema of its tool', { server, tool, why });
  }
}
