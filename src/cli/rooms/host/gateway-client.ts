import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BinderyError } from '../../../contract/errors.ts';
import type { RunningGateway } from '../../../host/operations/deps.ts';
import { askGateway } from '../../../runtime/admin/ask-gateway.ts';
import { UP_LIMITS } from '../../../runtime/limits.ts';
import { findAnnouncement } from '../../running-gateway.ts';

type Body = Record<string, unknown>;

/** The running gateway of this data directory; undefined if none answers. */
export async function findGateway(dataDir: string): Promise<RunningGateway | undefined> {
  const announced = await findAnnouncement(dataDir);
  if (!announced) return undefined;
  const client = new GatewayClient(announced.url, dataDir);
  return (await client.answers()) ? client : undefined;
}

class GatewayClient implements RunningGateway {
  readonly #url: string;
  readonly #dataDir: string;

  constructor(url: string, dataDir: string) {
    this.#url = url;
    this.#dataDir = dataDir;
  }

  /** A process without `/v1/servers`, or another program that took over the port, is no gateway. */
  async answers(): Promise<boolean> {
    try {
      const { status, body } = await this.#send('GET', '/v1/servers?limit=1');
      return status === 401 || (status === 200 && Array.isArray(body.items));
    } catch {
      return false;
    }
  }

  async servers() {
    const items: Body[] = [];
    let query = '?limit=1000';
    for (let page = 0; page < UP_LIMITS.gatewayPagesMax; page += 1) {
      const body = await this.#get(`/v1/servers${query}`);
      for (const item of body.items as Body[]) items.push(item);
      if (typeof body.next_cursor !== 'string') {
        return { items, ...(typeof body.config_error === 'string' ? { config_error: body.config_error } : {}) };
      }
      query = `?limit=1000&cursor=${encodeURIComponent(body.next_cursor)}`;
    }
    throw new BinderyError('GATEWAY_REFUSED', { detail: 'its list of servers does not end' });
  }

  server(id: string): Promise<Body> {
    return this.#get(`/v1/servers/${encodeURIComponent(id)}`, id);
  }

  async act(id: string, action: 'reconnect' | 'login'): Promise<Body> {
    return this.#expect(await this.#send('POST', `/v1/servers/${encodeURIComponent(id)}/${action}`), id);
  }

  async #get(path: string, id?: string): Promise<Body> {
    return this.#expect(await this.#send('GET', path), id);
  }

  #expect({ status, body }: { status: number; body: Body }, id: string | undefined): Body {
    if (status >= 200 && status < 300) return body;
    if (status === 404 && id !== undefined) {
      throw new BinderyError('SERVER_NOT_FOUND', { detail: `the gateway knows no server "${id}"`, members: { id } });
    }
    const words = typeof body.detail === 'string' ? body.detail : typeof body.title === 'string' ? body.title : '';
    throw new BinderyError('GATEWAY_REFUSED', { detail: `it answered ${status}${words === '' ? '' : `: ${words}`}` });
  }

  async #send(method: string, path: string): Promise<{ status: number; body: Body }> {
    const token = await readFile(join(this.#dataDir, 'admin.token'), 'utf8').catch(() => '');
    const { status, text } = await askGateway(`${this.#url}${path}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(token === '' ? {} : { authorization: `Bearer ${token.trim()}` }),
        ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      },
      ...(method === 'POST' ? { body: '{}' } : {}),
      signal: AbortSignal.timeout(UP_LIMITS.gatewayTimeoutMs),
    });
    return { status, body: bodyOf(text) };
  }
}

function bodyOf(text: string): Body {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Body) : {};
  } catch {
    return {};
  }
}
