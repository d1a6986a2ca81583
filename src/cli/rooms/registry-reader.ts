import type { Dispatcher } from 'undici';
import type { BindDeps } from '../../bind/deps.ts';
import { BIND_LIMITS } from '../../bind/limits.ts';
import { BinderyError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { createPublicAgent } from '../../host/transports/public-agent.ts';
import { lateLibrary } from '../../libraries/late-library.ts';
import { readJsonFile } from '../read-json-file.ts';

const undici = lateLibrary<typeof import('undici')>('undici');

/** Reads the servers of a registry, page by page from a URL, or from a file with a registry's response. */
export function registryReader(allowPrivate: boolean): BindDeps['registryServers'] {
  return (source, search, signal) =>
    /^https?:\/\//i.test(source) ? fromUrl(source, search, signal, allowPrivate) : fromFile(source, search);
}

async function* fromFile(file: string, search: string | undefined): AsyncGenerator<JsonObject> {
  yield* listed(readJsonFile(file)).filter((document) => isFound(document, search));
}

async function* fromUrl(
  base: string,
  search: string | undefined,
  signal: AbortSignal,
  allowPrivate: boolean,
): AsyncGenerator<JsonObject> {
  if (!allowPrivate && !/^https:/i.test(base)) throw failed('the registry is not reached over HTTPS');
  const dispatcher: Dispatcher = allowPrivate ? new (undici().Agent)() : createPublicAgent();
  let cursor: string | undefined;
  try {
    for (let pages = 0; pages < BIND_LIMITS.registryPagesMax; pages += 1) {
      const url = new URL(`${base.replace(/\/+$/, '').replace(/\/v0\.1(\/servers)?$/, '')}/v0.1/servers`);
      url.searchParams.set('limit', String(BIND_LIMITS.registryPageMax));
      url.searchParams.set('version', 'latest');
      if (search !== undefined) url.searchParams.set('search', search);
      if (cursor !== undefined) url.searchParams.set('cursor', cursor);
      const page = await readPage(url, dispatcher, signal);
      yield* listed(page).filter((document) => isFound(document, search));
      const { nextCursor } = (page as { metadata?: { nextCursor?: unknown } }).metadata ?? {};
      if (typeof nextCursor !== 'string' || nextCursor === '' || nextCursor === cursor) return;
      cursor = nextCursor;
    }
    throw failed(`the registry has more than ${BIND_LIMITS.registryPagesMax} pages; use --search`);
  } finally {
    await dispatcher.close();
  }
}

async function readPage(url: URL, dispatcher: Dispatcher, signal: AbortSignal): Promise<unknown> {
  try {
    const { statusCode, body } = await undici().request(url, {
      dispatcher,
      headers: { accept: 'application/json' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(BIND_LIMITS.registryTimeoutMs)]),
    });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > BIND_LIMITS.registryPageBytesMax) throw failed('a page of the registry is too large');
      chunks.push(chunk);
    }
    if (statusCode !== 200) throw failed(`the registry answered ${statusCode}`);
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (thrown) {
    if (thrown instanceof BinderyError) throw thrown;
    throw failed('the registry cannot be read', thrown);
  }
}

/** The documents of a response: a list of servers, a bare list, or one server. */
function listed(answer: unknown): JsonObject[] {
  const servers = Array.isArray(answer) ? answer : (answer as { servers?: unknown } | null)?.servers;
  const documents = Array.isArray(servers) ? servers : [answer];
  return documents.filter(isObject);
}

function isFound(document: JsonObject, search: string | undefined): boolean {
  if (search === undefined) return true;
  const server = (document.server ?? document) as { name?: unknown };
  return typeof server.name === 'string' && server.name.toLowerCase().includes(search.toLowerCase());
}

function failed(detail: string, cause?: unknown): BinderyError {
  return new BinderyError('REGISTRY_UNREACHABLE', { detail, cause });
}
