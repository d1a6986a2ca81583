import { connect, type Socket } from 'node:net';
import { common, ITEMS } from '../src/store/civic/testing/requests.ts';

/**
 * The client of the submission bench, in a process of its own: plain sockets with one request at a time on each, every
 * request prepared before the clock starts, and every answer read and checked. It sends the result to the parent.
 */

export interface FloodOrder {
  readonly port: number;
  readonly path: string;
  readonly connections: number;
  readonly warmUp: number;
  readonly count: number;
}

export interface FloodTally {
  readonly accepted: number;
  /** Counts of answers other than that of an accepted submission, by problem. */
  readonly wrong: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly clientCpuUs: number;
}

process.once('message', async (order: FloodOrder) => {
  const requests = Array.from({ length: order.warmUp + order.count }, (_, n) => requestBytes(order.path, n));
  const sockets = await Promise.all(Array.from({ length: order.connections }, () => open(order.port)));
  await send(sockets, requests.slice(0, order.warmUp));
  process.send?.('warm');
  await new Promise((resolve) => process.once('message', resolve));
  const before = process.cpuUsage();
  const began = performance.now();
  const { ids, wrong, times } = await send(sockets, requests.slice(order.warmUp));
  const seconds = (performance.now() - began) / 1000;
  const used = process.cpuUsage(before);
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  process.send?.({
    accepted: ids.size,
    wrong: Object.fromEntries(wrong),
    seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    clientCpuUs: (used.user + used.system) / order.count,
  } satisfies FloodTally);
  for (const socket of sockets) socket.destroy();
  process.disconnect();
});

async function send(sockets: readonly Socket[], requests: readonly Buffer[]) {
  const ids = new Set<string>();
  const wrong = new Map<string, number>();
  const times: number[] = [];
  let next = 0;
  const lane = async (socket: Socket) => {
    for (let request = requests[next++]; request; request = requests[next++]) {
      const began = performance.now();
      const answer = await exchange(socket, request);
      times.push(performance.now() - began);
      const id = acceptedId(answer);
      if (id !== undefined && !ids.has(id)) ids.add(id);
      else wrong.set(answer.slice(0, 120), (wrong.get(answer.slice(0, 120)) ?? 0) + 1);
    }
  };
  await Promise.all(sockets.map(lane));
  return { ids, wrong, times };
}

/** Sends one request and returns the whole answer. */
function exchange(socket: Socket, request: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const onData = (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      const end = answer.indexOf('\r\n\r\n');
      const length = end < 0 ? undefined : /\r\ncontent-length: (\d+)/i.exec(answer)?.[1];
      if (length === undefined || answer.length < end + 4 + Number(length)) return;
      socket.off('data', onData);
      socket.off('close', onClose);
      resolve(answer);
    };
    const onClose = () => reject(new Error('the server closed the connection'));
    socket.on('data', onData);
    socket.on('close', onClose);
    socket.write(request);
  });
}

function acceptedId(answer: string): string | undefined {
  if (!answer.startsWith('HTTP/1.1 202 ')) return undefined;
  const { submission_id, status, type } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
  return status === 'accepted' && type === 'concern' && /^sub_[0-9a-f-]{36}$/.test(submission_id)
    ? submission_id
    : undefined;
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.setNoDelay(true);
    socket.once('error', reject);
  });
}

function requestBytes(path: string, n: number): Buffer {
  const body = JSON.stringify(submission(n));
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\nx-forwarded-for: ${addressOf(n)}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Reports of several lengths, written like a person's, with nothing that the scrub would hold. */
const REPORTS = [
  'The desk asked for the signed form and one copy of the card. The page names neither, and the fee was paid by transfer before the visit.',
  'Le guichet a demandé le formulaire signé et une copie de la carte ; la page ne cite ni l’un ni l’autre, et la redevance avait été payée avant la visite.',
  'Aan het loket werd een kopie van de kaart gevraagd. De pagina vermeldt dat niet. De bijdrage bedraagt nu 25 euro in plaats van 20 euro.',
  'The page says that the answer comes within 30 days. On our visit we were told 90 days, and a letter confirmed it. '.repeat(
    4,
  ),
];

/** Below the number of concerns about one target that are listed at once per day. */
const CONCERNS_PER_TARGET = 50;

/** The skills that this many submissions are about. */
export function targetIds(count: number): string[] {
  return Array.from({ length: Math.ceil(count / CONCERNS_PER_TARGET) }, (_, n) => `sample-${n}`);
}

function submission(n: number) {
  const target_id = `sample-${Math.floor(n / CONCERNS_PER_TARGET)}`;
  return { ...common(), ...ITEMS.concern, target_id, report: `Visit ${n}. ${REPORTS[n % REPORTS.length]}` };
}

/** Each address sends five submissions, which is within its limit. */
function addressOf(n: number): string {
  const address = Math.floor(n / 5);
  return `100.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`;
}
