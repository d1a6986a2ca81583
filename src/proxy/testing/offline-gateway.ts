import { DEFAULT_SURFACES } from '../../contract/approval-surfaces.ts';
import { Cancellation } from '../../contract/cancellation.ts';
import type { JsonObject } from '../../contract/json.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { offeredTools, type ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import type { PolicyLayer } from '../../gateway/policy/decide.ts';
import { parsePolicy } from '../../gateway/policy/parse-policy.ts';
import { OutputPromises } from '../../gateway/search/output-promises.ts';
import { HostRedactor } from '../../host/redact/host-redactor.ts';
import { scanEnvelope } from '../../wire/messages.ts';
import type { CallUpstream, RawAnswer, RawRequest, RawRequestOptions, Upstream } from '../../wire/upstream.ts';
import { Gateway } from '../call/gateway.ts';
import type { GatewayPorts } from '../call/gateway-ports.ts';
import { type LimiterSettings, ServerLimiter } from '../call/server-limiter.ts';
import { LogLevels } from '../lists/log-levels.ts';
import type { ProfileSettings, ViewSource } from '../lists/profile-view.ts';
import type { Client, ClientRequest } from '../message/client.ts';
import { readClientMessage } from '../message/client-message.ts';
import { AskedRounds } from '../sessions/asked-rounds.ts';
import { HeldCalls } from '../sessions/held-calls.ts';
import { LIMITER_DEFAULTS } from './limiter-defaults.ts';

/** A request that was sent to a server, successful or not. */
export interface SentRequest extends Omit<RawRequest, 'bytes'> {
  readonly params: JsonObject;
  /** The whole request text. */
  readonly text: string;
  readonly options: RawRequestOptions;
}

/** A server without process and socket: the test scripts its answers, and every attempt is recorded. */
export class ScriptedUpstream {
  readonly sent: SentRequest[] = [];
  readonly transport = 'http';
  readonly protocolVersion = '2026-07-28';
  readonly serverInfo = { name: 'scripted', version: '1' };
  readonly capabilities: JsonObject = {};
  readonly instructions: string | undefined = 'How to use it.';
  readonly sessionBound = false;
  readonly closed = false;
  era: '2025' | '2026';
  /** The JSON text of the `result`, or of the whole response if it begins with `{"jsonrpc"`. */
  answer: (sent: SentRequest) => string | Promise<string> = () => '{"content":[]}';
  #ids = 100;

  constructor(era: '2025' | '2026' = '2025') {
    this.era = era;
  }

  nextId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  async requestRaw({ bytes, ...request }: RawRequest, options: RawRequestOptions): Promise<RawAnswer> {
    const written = Buffer.from(bytes).toString();
    const { params } = JSON.parse(written) as { params: JsonObject };
    const sent = { ...request, params, text: written, options };
    this.sent.push(sent);
    const text = await this.answer(sent);
    const whole = text.startsWith('{"jsonrpc"') ? text : `{"jsonrpc":"2.0","id":${request.id},"result":${text}}`;
    const answered = Buffer.from(whole);
    return { bytes: answered, envelope: scanEnvelope(answered) as RawAnswer['envelope'] };
  }
}

export const OFFER: ServerOffer = {
  server: 's',
  era: '2025',
  protocolVersion: '2025-11-25',
  serverInfo: { name: 'offered', version: '1' },
  capabilities: { tools: {} },
  instructions: null,
  tools: offeredTools([{ name: 't', inputSchema: { type: 'object' } }] as never, { pinned: false, inUse: new Map() }),
  resources: [{ uri: 'note:1', name: 'note' }],
  resourceTemplates: [],
  prompts: [{ name: 'p' }],
};

/** The client's side of one request; records the messages that it received. */
export function exchangeOf() {
  const seen = {
    sent: [] as JsonObject[],
    asked: [] as { method: string; params: object }[],
    headers: {} as JsonObject,
  };
  const [signal, leaving] = [new Cancellation(), new Cancellation()];
  const noted: string[] = [];
  return {
    ...seen,
    noted,
    signal,
    leaving,
    left: () => leaving,
    send: (bytes: Uint8Array) => void seen.sent.push(JSON.parse(Buffer.from(bytes).toString())),
    ask: async (method: string, params: object): Promise<JsonObject> => {
      seen.asked.push({ method, params });
      return { action: 'accept' };
    },
    setHeader: (name: string, value: string) => void Object.assign(seen.headers, { [name]: value }),
    noteCall: (id: string) => void noted.push(id),
  };
}

export const CLIENT: Client = {
  era: '2025',
  protocolVersion: '2025-11-25',
  profile: 'default',
  caller: 'key:1',
  session: 'session-1',
  info: { name: 'agent', version: '1' },
  capabilities: {},
  key: 'session-1',
};

/** A request as the edge would read it. */
export function requestOf(method: string, params?: object, id: number | string = 7): ClientRequest {
  const message = { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) };
  return readClientMessage(Buffer.from(JSON.stringify(message))) as ClientRequest;
}

/** A gateway without network, files and database: its outgoing requests are recorded, and the test scripts their results. */
export class OfflineGateway {
  readonly upstream = new ScriptedUpstream();
  readonly audit: AuditEntry[] = [];
  readonly log = createMemoryLog();
  /** The requested connections: client and server. */
  readonly connected: string[] = [];
  /** Calls whose raw arguments and traces were kept. */
  readonly kept: string[] = [];
  readonly held = new HeldCalls([Buffer.alloc(32, 1)], 'here');
  readonly logLevels = new LogLevels();
  readonly ports: GatewayPorts;
  readonly gateway: Gateway;
  readonly source: ViewSource;
  profiles: readonly ProfileSettings[] = [{ name: 'default', names: 'qualified' }];
  offers: readonly ServerOffer[] = [OFFER];
  own: readonly { readonly server: string; readonly upstream: Upstream }[] = [];
  version = 0;
  now = Date.parse('2026-11-15T00:00:00Z');
  beforeAppend: (entry: AuditEntry) => void | Promise<void> = () => {};
  connect: () => CallUpstream | Promise<CallUpstream> = () => this.upstream as unknown as CallUpstream;
  #layers: readonly PolicyLayer[] = [];
  #calls = 0;
  readonly #limiters = new Map<string, ServerLimiter>();
  readonly #limits: LimiterSettings;

  constructor(
    more: Partial<GatewayPorts> = {},
    limits: Partial<LimiterSettings> = {},
    source: Partial<ViewSource> = {},
  ) {
    this.#limits = { ...LIMITER_DEFAULTS, ...limits };
    this.ports = { ...this.#ports(), ...more };
    this.source = {
      version: () => this.version,
      offers: () => this.offers,
      policyLayers: () => this.#layers,
      ...source,
    };
    this.gateway = new Gateway({
      ports: this.ports,
      source: this.source,
      profiles: () => this.profiles,
      info: { name: 'bindery', version: '0' },
    });
  }

  setPolicy(policy: object): void {
    const parsed = parsePolicy(JSON.stringify(policy));
    this.#layers = [{ layer: 'project', file: 'project_mcp.json', policy: parsed }];
    this.version += 1;
  }

  setOffers(...offers: readonly ServerOffer[]): void {
    this.offers = offers;
    this.version += 1;
  }

  limiter(server = 's'): ServerLimiter {
    const known = this.#limiters.get(server) ?? new ServerLimiter({ now: () => this.now }, this.#limits);
    this.#limiters.set(server, known);
    return known;
  }

  /** Sends one request and decodes its answer. A thrown error becomes a JSON-RPC error. */
  async request(method: string, params?: object, more: Partial<Client> = {}, exchange = exchangeOf()) {
    const client: Client = { ...CLIENT, ...more };
    try {
      const bytes = await this.gateway.handle(client, requestOf(method, params), exchange);
      return answerOf(bytes);
    } catch (thrown) {
      const { code, message, data, httpStatus } = thrown as Record<string, unknown>;
      return { error: { code, message, data }, httpStatus } as Answer;
    }
  }

  #ports(): GatewayPorts {
    return {
      audit: {
        append: async (entry) => {
          await this.beforeAppend(entry);
          this.audit.push(entry);
        },
      },
      keepRaw: (id, args) => void this.kept.push(`raw ${id} ${JSON.stringify(args)}`),
      noteTrace: (id) => void this.kept.push(`trace ${id}`),
      connections: {
        connection: (server, { key }) => {
          this.connected.push(`${server} ${key}`);
          return this.connect();
        },
        open: () => this.own,
        isOwn: (upstream) => this.own.some((one) => one.upstream === upstream),
        release() {},
        left() {},
      },
      redactor: new HostRedactor(),
      log: this.log,
      promises: OutputPromises.logged(this.log),
      answerBytesMax: 1_000_000,
      limiterOf: (server) => this.limiter(server),
      policyLayers: () => this.#layers,
      filesOf: () => ({ cwd: '/', home: '/home', root: (path) => path, open: (path) => [path], exists: () => false }),
      isBare: (profile) => this.profiles.some(({ name, names }) => name === profile && names === 'bare'),
      approvalSurfaces: () => DEFAULT_SURFACES,
      countRate: () => undefined,
      approvals: { approve: async () => undefined, unwrap: (request: ClientRequest) => request } as never,
      held: this.held,
      rounds: new AskedRounds([Buffer.alloc(32, 1)]),
      logLevels: this.logLevels,
      subscriptions: { forget() {}, prepare: async () => {} } as never,
      ownLists: { as: (source) => source, has: () => false, settled: async () => {} } as GatewayPorts['ownLists'],
      watches: {} as never,
      tasks: { note: async () => {} } as never,
      undiscovered: () => [],
      untilDiscovered: async () => {},
      listsChanged() {},
      newCallId: () => {
        this.#calls += 1;
        return `call-${this.#calls}`;
      },
      now: () => new Date(this.now).toISOString(),
    };
  }
}

export interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: a raw answer, looked at by its members.
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly httpStatus?: number;
}

export function answerOf(bytes: Uint8Array): Answer {
  return JSON.parse(Buffer.from(bytes).toString()) as Answer;
}

/** The error code of a failed call; otherwise `ok`. */
export function codeOf({ result, error }: Answer): string {
  return result?._meta?.['bindery/error']?.code ?? (error ? `rpc ${error.code}` : 'ok');
}
