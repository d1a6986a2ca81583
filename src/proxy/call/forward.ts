import { definedMeta } from '../../wire/request-params.ts';
import { type CallUpstream, canBeAsked } from '../../wire/upstream.ts';
import type { CallContext } from './call-context.ts';
import type { Forwarded } from './client-call.ts';
import { forwardRaw } from './forward-raw.ts';
import { continueHeld, forwardToLegacy } from './forward-to-legacy.ts';
import { forwardToModern } from './forward-to-modern.ts';
import type { ForwardOptions, OutgoingCall } from './outgoing-call.ts';
import type { Rewrite } from './outgoing-request.ts';

/** Forwards a call to its server, or continues the held call that this request answers. */
export function forward(call: CallContext): Promise<Forwarded> {
  const { ports, client, exchange, target } = call;
  const outgoing = outgoingCall(call);
  const held = ports.held.take(outgoing.request, client, target);
  if (held === undefined) return forwardNew(call, outgoing);
  if (typeof held === 'function') return held(exchange);
  call.upstream = held.upstream;
  return continueHeld(held, outgoing, outgoing.options.held);
}

/** The server's name for its questions; undefined in a bare profile, which adds nothing to them. */
export function askerOf({ ports, client, target }: CallContext): string | undefined {
  return ports.isBare(client.profile) ? undefined : target.server;
}

/** The request as sent to its server, with its limits. */
function outgoingCall(call: CallContext): OutgoingCall {
  const { ports, client, request, exchange, target, judgement } = call;
  const timeoutMs = judgement.decision.limits.timeout_ms;
  const options: ForwardOptions = {
    answerBytesMax: ports.answerBytesMax,
    logLevels: ports.logLevels,
    asker: askerOf(call),
    signRound: (asked, state) => ports.rounds.sign({ client, request, target }, asked, state),
    held: { calls: ports.held, target },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(target.inputSchema === undefined ? {} : { inputSchema: target.inputSchema }),
  };
  const theirs = ports.approvals.unwrap(request);
  const rewrite = {
    ...target.rewrite,
    ...(judgement.judgesArguments ? judgedParams(theirs) : {}),
    round: ports.rounds.read({ client, request: theirs, target }),
  };
  return { client, request: theirs, exchange, rewrite, options };
}

/** What policy judged. A server may read other members of `_meta` as arguments that no rule and no approver saw. */
function judgedParams({ params }: CallContext['request']): Pick<Rewrite, 'judgedArguments' | 'judgedMeta'> {
  return { judgedArguments: params?.arguments ?? {}, judgedMeta: definedMeta(params?._meta) };
}

async function forwardNew(call: CallContext, outgoing: OutgoingCall): Promise<Forwarded> {
  const { ports, client, exchange, target } = call;
  const theirs = ports.signIns ? { ...outgoing, request: ports.signIns.unwrap(outgoing.request) } : outgoing;
  for (let tries = 1; ; tries += 1) {
    try {
      const found = ports.connections.connection(target.server, client, exchange.signal);
      const upstream = found instanceof Promise ? await found : found;
      call.upstream = upstream;
      const between =
        client.era === upstream.era ? forwardRaw : upstream.era === '2026' ? forwardToModern : forwardToLegacy;
      const scope = scopeOf(call, upstream);
      return await between(scope ? { ...theirs, options: { ...theirs.options, scope } } : theirs, upstream);
    } catch (thrown) {
      // The server refused the caller's credential, not the call: send it again after a sign-in.
      if (tries > 1 || !ports.signIns?.canMend(thrown, target.server)) throw thrown;
      await ports.signIns.requireSignIn(client, outgoing.request, exchange, target.server);
    }
  }
}

/** Whether the call shares its connection; undefined if that makes no difference to the client. */
function scopeOf({ ports, client }: CallContext, upstream: CallUpstream): ForwardOptions['scope'] {
  if (!canBeAsked(client) && client.logLevel === undefined) return undefined;
  if (!ports.connections.isOwn(upstream)) return 'shared';
  return client.era === '2026' ? 'own' : undefined;
}
