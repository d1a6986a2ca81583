import { ERRORS } from '../../contract/errors.ts';
import { splitBatch } from '../../wire/messages.ts';
import { RPC } from '../../wire/revisions.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { errorBytes, idText, RpcFailure } from '../message/answers.ts';
import type { ClientMessage, ClientRequest } from '../message/client.ts';
import { AmbiguousRequest, readClientMessage } from '../message/client-message.ts';
import type { Session } from '../sessions/session-table.ts';
import type { EdgeRequest, HttpEdgeOptions } from './edge-request.ts';
import { answerRequest, receive, sessionOf } from './legacy-http.ts';
import { Reply } from './reply.ts';

/** Revision 2025-03-26 allows several messages in one body. Each is handled and recorded by itself. */
export async function postLegacyBatch(options: HttpEdgeOptions, edge: EdgeRequest, body: Uint8Array): Promise<void> {
  const session = sessionOf(options, edge);
  const members = session.client.protocolVersion === '2025-03-26' ? splitBatch(body, PROXY_LIMITS.batchMax) : undefined;
  if (!members)
    throw new RpcFailure(RPC.invalidRequest, 'Invalid request: a batch is not accepted here', { httpStatus: 400 });
  // All messages are read before the first one is handled.
  const messages = await readAll(options, session, members);
  const reply = new Reply(edge.response, false);
  let bytesLeft: number = PROXY_LIMITS.batchAnswerBytesMax;
  const answerMember = async (message: ClientRequest) => {
    const answer = await answerRequest(options, session, message, { reply, edge });
    bytesLeft -= answer?.length ?? 0;
    return answer && bytesLeft < 0 ? batchTooLarge(message) : answer;
  };
  const answers = await Promise.all(
    messages.map((message) =>
      message.kind === 'request' ? answerMember(message) : receive(options, session, message),
    ),
  );
  const texts = answers.flatMap((answer) => (answer ? [Buffer.from(answer).toString('utf8')] : []));
  if (texts.length === 0) edge.response.writeHead(202).end();
  else reply.finish(Buffer.from(`[${texts.join(',')}]`));
}

async function readAll(
  { gateway }: HttpEdgeOptions,
  { client }: Session,
  members: readonly Uint8Array[],
): Promise<ClientMessage[]> {
  try {
    return members.map(readClientMessage);
  } catch (thrown) {
    if (thrown instanceof AmbiguousRequest) await gateway.recordAmbiguous(client, thrown);
    throw thrown;
  }
}

/** The error for the rest of a batch whose answers are too large in total. */
function batchTooLarge(request: ClientRequest): Uint8Array {
  const { title } = ERRORS.OUTPUT_TOO_LARGE;
  return errorBytes(idText(request), RPC.internalError, `OUTPUT_TOO_LARGE: ${title}`, { code: 'OUTPUT_TOO_LARGE' });
}
