import { z } from 'zod';
import { type Call, defineOperation, type HttpMeta, READ_ONLY } from '../../contract/operation.ts';
import { type Answer, type AnswerBody, type AnswerRequest, answerEtag, answerText } from '../answers.ts';
import type { BindDeps } from '../deps.ts';
import { bindFailures } from '../failures.ts';
import {
  acceptsDescriptor,
  collapseMembers,
  MCP_MEDIA_TYPE,
  Mode,
  QueriedName,
  readQuery,
  Trace,
  toError,
} from '../request.ts';
import { AnswerOutput, DescriptorOutput } from './outputs.ts';
import { printAnswer } from './print.ts';

/** An identity → its records, or in MCP mode its one endpoint. */
export const resolveOperation = defineOperation({
  id: 'bind.resolve',
  summary: 'Resolve a name to its records, or to its one MCP endpoint.',
  description:
    'Resolves a name such as ai://sentinel. With mode mcp it gives the one MCP endpoint that the records of the zone collapse to; with mode raw it gives the records as they are stored. As an MCP tool the default is mcp, elsewhere raw. It never connects to an endpoint.',
  input: z.strictObject({ identity: QueriedName, mode: Mode, ...collapseMembers, trace: Trace }),
  output: AnswerOutput,
  hints: READ_ONLY,
  http: {
    method: 'GET',
    path: '/codex/resolve',
    read: readQuery,
    meta: (body, input) => answerMeta(body, input.mode === undefined),
    etag: answerEtag,
    keep: { headers: ['accept'], version: answersVersion },
  },
  mcp: { tool: 'resolve_identity' },
  cli: { command: 'bind resolve', positional: ['identity'], print: printAnswer },
  failures: bindFailures,
  encode: answerText,
  run: (input, deps: BindDeps, call) =>
    answerOrThrow(deps, { ...input, name: input.identity, mode: modeOf(input.mode, call) }),
});

/** An identity → its one endpoint. */
export const collapseOperation = defineOperation({
  id: 'bind.collapse',
  summary: 'Collapse a name to its one MCP endpoint.',
  description:
    'Gives the one MCP endpoint of a name such as ai://sentinel, with its capabilities, its key and how long the answer holds. It never connects to the endpoint: that is up to you.',
  input: z.strictObject({ identity: QueriedName, ...collapseMembers, trace: Trace }),
  output: DescriptorOutput,
  hints: READ_ONLY,
  http: {
    method: 'GET',
    path: '/codex/resolve/mcp/{identity}',
    read: readQuery,
    meta: (body) => answerMeta(body, false),
    etag: answerEtag,
    keep: { headers: [], version: answersVersion },
  },
  mcp: { tool: 'collapse_mcp' },
  cli: false,
  failures: bindFailures,
  encode: answerText,
  run: (input, deps: BindDeps) => answerOrThrow(deps, { ...input, name: input.identity, mode: 'mcp' }),
});

/** Fetches zones of other resolvers first if the name needs any; otherwise answers at once. */
function answerOrThrow({ answers }: BindDeps, request: AnswerRequest): AnswerBody | Promise<AnswerBody> {
  const waiting = answers.gather(request);
  return waiting ? waiting.then(() => bodyOf(answers.answer(request))) : bodyOf(answers.answer(request));
}

function bodyOf(answer: Answer): AnswerBody {
  if (answer.ok) return answer.body;
  throw toError(answer.failure);
}

function answersVersion(deps: unknown): unknown {
  return (deps as BindDeps).answers.version;
}

/** The mode that a call asks for: its parameter; without one, MCP mode for a tool call or if the Accept header prefers it. */
export function modeOf(mode: 'default' | 'raw' | 'mcp' | undefined, call: Call): 'default' | 'mcp' {
  if (mode !== undefined) return mode === 'mcp' ? 'mcp' : 'default';
  if (call.face === 'mcp') return 'mcp';
  return call.face === 'http' && acceptsDescriptor(call.header('accept')) ? 'mcp' : 'default';
}

function answerMeta(body: AnswerBody, isNegotiated: boolean): HttpMeta {
  const headers = { 'cache-control': `public, max-age=${body.ttl}`, vary: 'Accept' };
  return isNegotiated && 'mode' in body ? { headers: { ...headers, 'content-type': MCP_MEDIA_TYPE } } : { headers };
}
