export interface ReadResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string;
  readonly complete: boolean;
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const TEXT = '[\\t\\x20-\\x7e\\x80-\\xff]*';
const STATUS = new RegExp(`^HTTP/1\\.([01]) ([1-9]\\d\\d)(?: ${TEXT})?$`);
const FIELD = new RegExp(`^(${TOKEN}):(${TEXT})$`);
const SIZE = new RegExp(`^([0-9A-Fa-f]{1,8})[ \\t]*(?:;${TEXT})?$`);
const INTERIM_MAX = 16;
const NOTHING: ReadResponse = { status: 0, headers: {}, body: '', complete: false };

/** What one HTTP response means, read from the whole text at once; undefined where it is none, or could be read in two ways. */
export function readResponse(text: string, interim = 0): ReadResponse | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return NOTHING;
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const [, minor, code] = STATUS.exec(first) ?? [];
  const fields = lines.map((line) => FIELD.exec(line));
  if (code === undefined || fields.includes(null) || code === '101') return undefined;
  const rest = text.slice(end + 4);
  if (code < '200') return interim < INTERIM_MAX ? readResponse(rest, interim + 1) : undefined;
  const headers: Record<string, string | string[]> = Object.create(null);
  for (const [, name = '', value = ''] of fields as RegExpExecArray[]) {
    const known = headers[name.toLowerCase()];
    const plain = value.replace(/^[ \t]+|[ \t]+$/g, '');
    headers[name.toLowerCase()] = known === undefined ? plain : [...[known].flat(), plain];
  }
  const head = { status: Number(code), headers: { ...headers } };
  const body = readBody(rest, headers, minor === '1', code === '204' || code === '304');
  return body && { ...head, ...body };
}

type Body = Pick<ReadResponse, 'body' | 'complete'>;

function readBody(
  rest: string,
  headers: Readonly<Record<string, string | string[]>>,
  isNew: boolean,
  isEmpty: boolean,
): Body | undefined {
  const coding = headers['transfer-encoding'];
  const lengths = headers['content-length'];
  const said =
    lengths === undefined
      ? []
      : [
          ...new Set(
            String(lengths)
              .split(',')
              .map((one) => one.replace(/^[ \t]+|[ \t]+$/g, '')),
          ),
        ];
  if (said.length > 1 || said.some((one) => !/^\d{1,15}$/.test(one))) return undefined;
  if (coding !== undefined && (said.length > 0 || !isNew || String(coding).toLowerCase() !== 'chunked'))
    return undefined;
  const length = isEmpty ? 0 : said.length > 0 ? Number(said[0]) : undefined;
  if (length !== undefined) {
    if (rest.length > length) return undefined;
    return { body: rest, complete: rest.length === length };
  }
  return coding === undefined ? { body: rest, complete: true } : readChunks(rest);
}

function readChunks(rest: string, before = ''): Body | undefined {
  const unfinished = { body: before, complete: false };
  const end = rest.indexOf('\r\n');
  if (end < 0) return unfinished;
  const size = SIZE.exec(rest.slice(0, end))?.[1];
  if (size === undefined) return undefined;
  const length = Number.parseInt(size, 16);
  const after = rest.slice(end + 2);
  if (length === 0) return readTrailers(after, before);
  const body = before + after.slice(0, length);
  const next = after.slice(length);
  const close = next.indexOf('\r\n');
  if (close < 0) return { body, complete: false };
  return close === 0 ? readChunks(next.slice(2), body) : undefined;
}

function readTrailers(rest: string, body: string): Body | undefined {
  const end = rest.indexOf('\r\n');
  if (end < 0) return { body, complete: false };
  if (end === 0) return rest.length === 2 ? { body, complete: true } : undefined;
  return FIELD.test(rest.slice(0, end)) ? readTrailers(rest.slice(end + 2), body) : undefined;
}
