import { credentialHeaders } from './api.ts';
import { perBrowser, whenForgotten } from './stores.ts';

export interface ServerEvent {
  readonly name: string;
  readonly data: unknown;
}

type Listener = (event: ServerEvent) => void;

const RETRY_MS = [500, 1_000, 2_000, 5_000, 10_000];
const listeners = new Set<Listener>();

/** When the stream was lost; undefined: it is connected. */
export const lostSince = perBrowser<number | undefined>(undefined);

export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Without events of calls: each costs the gateway a read of its log, so a page subscribes to them only while it shows them. */
const EVENTS = 'server.changed,tools.changed,approval.created,approval.decided,policy.changed';
const EVENTS_AND_CALLS = `${EVENTS},audit.appended`;
let readersOfCalls = 0;

let lastId: string | undefined;
let failures = 0;
whenForgotten(() => {
  lastId = undefined;
});
let current: AbortController | undefined;

/** One stream for the whole console. It uses `fetch`, because `EventSource` cannot send the key of the page. */
export function followEvents(): void {
  current?.abort();
  current = new AbortController();
  const { signal: ended } = current;
  void run(ended);
}

/** Subscribes to events of calls until the returned function is called. */
export function followCalls(): () => void {
  readersOfCalls += 1;
  if (readersOfCalls === 1) followEvents();
  return () => {
    readersOfCalls -= 1;
    if (readersOfCalls === 0) followEvents();
  };
}

// A browser that goes offline leaves the stream open, but no events arrive.
addEventListener('offline', () => {
  lostSince.value ??= Date.now();
  followEvents();
});
addEventListener('online', followEvents);

async function run(ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    try {
      if ((await readOnce(ended)) === 'unauthorized') {
        failures = 0;
        lostSince.value = undefined;
        tell({ name: 'unauthorized', data: {} });
        return;
      }
    } catch {
      // The page shows the lost connection; the loop below retries.
    }
    if (ended.aborted) return;
    lostSince.value ??= Date.now();
    const pause = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)];
    failures += 1;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

async function readOnce(ended: AbortSignal): Promise<'ended' | 'unauthorized'> {
  const response = await fetch(`/v1/events?events=${readersOfCalls > 0 ? EVENTS_AND_CALLS : EVENTS}`, {
    headers: {
      accept: 'text/event-stream',
      ...credentialHeaders(),
      ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
    },
    signal: ended,
    cache: 'no-store',
  });
  if (response.status === 401) return 'unauthorized';
  if (!response.ok || response.body === null) throw new Error(`events: ${response.status}`);
  // Events between the first answers and the start of the stream would be missed as well.
  if (lostSince.value !== undefined || lastId === undefined) tell({ name: 'reset', data: {} });
  failures = 0;
  lostSince.value = undefined;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return 'ended';
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) readBlock(block);
  }
}

function readBlock(block: string): void {
  let name = '';
  let data = '';
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) lastId = line.slice(4);
    else if (line.startsWith('event: ')) name = line.slice(7);
    else if (line.startsWith('data: ')) data += line.slice(6);
  }
  if (name === '') return;
  const parsed: unknown = data === '' ? {} : JSON.parse(data);
  const inner = typeof parsed === 'object' && parsed !== null && 'data' in parsed ? parsed.data : parsed;
  tell({ name, data: inner });
}

function tell(event: ServerEvent): void {
  for (const listener of [...listeners]) listener(event);
}
