import type { Clock } from '../contract/ports.ts';
import {
  type CollapseFailure,
  type CollapsePolicy,
  type CollapseRequest,
  collapse,
  corruptZone,
  type Descriptor,
  findZone,
} from './collapse.ts';
import type { PublicJwk, Signer } from './detached-jws.ts';
import { canonicalJson, toEtag } from './digest.ts';
import { type Trace, traceCollapse } from './explain.ts';
import { BIND_LIMITS } from './limits.ts';
import { type RawRecords, rawRecords } from './raw-records.ts';
import { zoneEtag } from './read-zone.ts';
import { RemoteZones } from './remote-zones.ts';
import { type DescriptorSignature, signDescriptor } from './signed-descriptor.ts';
import type { ZoneSource } from './zone.ts';

export interface AnswerRequest extends CollapseRequest {
  readonly mode: 'default' | 'mcp';
  readonly trace?: boolean | undefined;
}

export type AnswerBody = (RawRecords | (Descriptor & { readonly signature?: DescriptorSignature })) & {
  readonly trace?: Trace;
};

export type Answer =
  | { readonly ok: true; readonly body: AnswerBody }
  | { readonly ok: false; readonly failure: CollapseFailure };

export interface Signing {
  /** The key that signs new answers. */
  readonly signer: Signer;
  /** Every key of a signature that may still be valid somewhere. */
  readonly published: readonly PublicJwk[];
}

export interface AnswersOptions {
  readonly zones: ZoneSource | RemoteZones;
  readonly policy: CollapsePolicy;
  readonly clock: Clock;
  /** The current keys; absent or undefined: answers are not signed. */
  readonly signing?: (() => Signing | undefined) | undefined;
}

interface Encoded {
  readonly text: string;
  readonly etag: string;
}

interface Kept {
  readonly body: AnswerBody;
  /** The body before it was signed. */
  readonly content: string;
  /** Version of the zones for which it was last confirmed. */
  version: number;
  /** When its signature must be renewed. */
  readonly renewAtMs: number;
  /** The key that signed it. */
  readonly kid: string | undefined;
}

const encoded = new WeakMap<object, Encoded>();

/** Caches answers to requests, with their encoding and signature, until a change of the zones changes them. */
export class Answers {
  readonly #options: AnswersOptions;
  readonly #kept = new Map<string, Kept>();
  #version = 0;
  #minute = 0;
  #zonesVersion = -1;
  #signedBy: string | undefined;

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /** Answers of one version stay valid. The version changes with every change of the zones, and before signatures must be renewed. */
  get version(): unknown {
    const { zones, clock, signing } = this.#options;
    // The age of a stale or fetched zone grows, so each answer has its own version.
    if (zones.staleSinceMs !== undefined || (zones instanceof RemoteZones && zones.asksOthers)) return {};
    if (!signing) return zones.version;
    const kid = signing()?.signer.kid;
    const minute = kid === undefined ? 0 : Math.floor(clock.now() / BIND_LIMITS.renewalMarginMs);
    if (minute !== this.#minute || zones.version !== this.#zonesVersion || kid !== this.#signedBy) this.#version += 1;
    this.#minute = minute;
    this.#zonesVersion = zones.version;
    this.#signedBy = kid;
    return this.#version;
  }

  get zones(): ZoneSource {
    return this.#options.zones;
  }

  /** Fetches the zones of other resolvers that a request needs; undefined: it can be answered now. */
  gather({ name, mode, cascade }: Omit<AnswerRequest, 'mode'> & Partial<AnswerRequest>): Promise<void> | undefined {
    const { zones } = this.#options;
    if (!(zones instanceof RemoteZones)) return undefined;
    const isAlone = mode === 'default' || cascade === 'off';
    return isAlone && !zones.isRemote(name) ? undefined : zones.gather(name);
  }

  /** The answer in the mode of the request: exactly one of body and failure. */
  answer(request: AnswerRequest): Answer {
    const { zones } = this.#options;
    if (request.trace) return this.#withTrace(request);
    if (this.#isVolatile(request.name)) return this.#signed(this.#make(request));
    const key = requestKey(request);
    const kept = this.#fresh(key);
    if (kept?.version === zones.version) return { ok: true, body: kept.body };
    const answer = this.#make(request);
    if (!answer.ok) {
      this.#kept.delete(key);
      return answer;
    }
    const content = JSON.stringify(answer.body);
    if (kept?.content === content && request.mode === 'mcp') {
      kept.version = zones.version;
      return { ok: true, body: kept.body };
    }
    const body = this.#sign(answer.body);
    this.#keep(key, body, content);
    return { ok: true, body };
  }

  /** Whether an answer changes with time alone, so that it cannot be cached. */
  #isVolatile(name: string): boolean {
    const { zones } = this.#options;
    return zones.staleSinceMs !== undefined || (zones instanceof RemoteZones && zones.dependsOnOthers(name));
  }

  /** The cached answer, unless another key signs now or its signature must be renewed. */
  #fresh(key: string): Kept | undefined {
    const kept = this.#kept.get(key);
    const kid = this.#signing()?.signer.kid;
    if (kept?.kid !== kid) return undefined;
    return kid === undefined || (kept && this.#options.clock.now() < kept.renewAtMs) ? kept : undefined;
  }

  #keep(key: string, body: AnswerBody, content: string): void {
    if (this.#kept.size >= BIND_LIMITS.answersKeptMax) this.#kept.delete(this.#kept.keys().next().value as string);
    const expiresAtMs = 'signature' in body && body.signature ? Date.parse(body.signature.expires_at) : Infinity;
    const { version } = this.#options.zones;
    const renewAtMs = expiresAtMs - body.ttl * 1000 - BIND_LIMITS.renewalMarginMs;
    this.#kept.set(key, { body, content, version, renewAtMs, kid: this.#signing()?.signer.kid });
  }

  #signing(): Signing | undefined {
    return this.#options.signing?.();
  }

  #withTrace(request: AnswerRequest): Answer {
    const answer = this.#signed(this.#make(request));
    if (!answer.ok) return answer;
    const trace = traceCollapse(this.#options.zones, request, this.#options.policy);
    return { ok: true, body: { ...answer.body, trace } };
  }

  #signed(answer: Answer): Answer {
    return answer.ok ? { ok: true, body: this.#sign(answer.body) } : answer;
  }

  #make(request: AnswerRequest): Answer {
    const { zones, clock } = this.#options;
    const answer = request.mode === 'default' ? this.#records(request.name) : this.#descriptor(request);
    if (!answer.ok || zones.staleSinceMs === undefined) return answer;
    const ageSeconds = Math.max(0, Math.floor((clock.now() - zones.staleSinceMs) / 1000));
    return { ok: true, body: markStale(answer.body, ageSeconds) };
  }

  #descriptor(request: AnswerRequest): Answer {
    const { zones, policy } = this.#options;
    const outcome = collapse(zones, request, policy);
    return outcome.ok ? { ok: true, body: outcome.descriptor } : outcome;
  }

  #records(name: string): Answer {
    const { zones, policy } = this.#options;
    const found = findZone(zones, name, policy);
    if (!found.ok) return found;
    const records = rawRecords(found.zone, policy);
    if (!records) return corruptZone(name);
    // A zone and its records have one tag, so that a client can send it as If-Match.
    encoded.set(records, { text: JSON.stringify(records), etag: zoneEtag(found.zone) });
    return { ok: true, body: records };
  }

  #sign(body: AnswerBody): AnswerBody {
    const { clock } = this.#options;
    const signing = this.#signing();
    return signing && 'mode' in body ? signDescriptor(body, signing.signer, clock.now()) : body;
  }
}

/** Marks an answer from zones that could not be read for this long, and shortens its ttl. */
function markStale(body: AnswerBody, ageSeconds: number): AnswerBody {
  const ttl = Math.min(body.ttl, BIND_LIMITS.staleTtlSeconds);
  if ('mode' in body) return { ...body, source: 'stale', age: ageSeconds, ttl };
  const message = `The zones cannot be read; these records are ${ageSeconds} s old.`;
  return { ...body, ttl, warnings: [...body.warnings, { level: 'warning', code: 'stale', message }] };
}

/** The JSON of an answer; a cached answer is encoded once. */
export function answerText(body: AnswerBody): string {
  return encode(body).text;
}

/** The strong entity tag of an answer. */
export function answerEtag(body: AnswerBody): string {
  return encode(body).etag;
}

function encode(body: AnswerBody): Encoded {
  let known = encoded.get(body);
  if (!known) {
    known = { text: JSON.stringify(body), etag: toEtag(canonicalJson(body)) };
    encoded.set(body, known);
  }
  return known;
}

function requestKey({ mode, name, caps, match, cascade }: AnswerRequest): string {
  if (mode === 'default') return name;
  return `${name} ${match ?? 'any'} ${cascade ?? 'on'} ${caps?.join(',') ?? '*'}`;
}
