/** Keeps the last bytes of a stream, cut at a line end if possible. */
export class StderrTail {
  readonly #bytesMax: number;
  #kept: Buffer[] = [];
  #bytes = 0;
  #dropped = false;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    if (chunk.length > this.#bytesMax) this.#dropped = true;
    // A copy: the chunk may be a small view of a large buffer.
    this.#kept.push(Buffer.from(chunk.subarray(Math.max(0, chunk.length - this.#bytesMax))));
    this.#bytes += (this.#kept.at(-1) as Buffer).length;
    while (this.#bytes - (this.#kept[0] as Buffer).length >= this.#bytesMax) {
      this.#bytes -= (this.#kept.shift() as Buffer).length;
      this.#dropped = true;
    }
  }

  text(): string {
    const all = Buffer.concat(this.#kept);
    if (all.length <= this.#bytesMax && !this.#dropped) return all.toString('utf8');
    const tail = all.subarray(Math.max(0, all.length - this.#bytesMax));
    const line = tail.indexOf(0x0a);
    return tail.subarray(line >= 0 && line < tail.length - 1 ? line + 1 : 0).toString('utf8');
  }
}

const LINES_MAX = 20;

/** Where the code of a program was: ` at f (file:1:2)` of Node, ` File "x.py", line 1` of Python with the source line below it. */
const NODE_FRAME = /^\s+at \S/;
const PYTHON_FRAME = /^\s+File ".*", line \d+/;
const INDENTED = /^\s{4,}\S/;

/** The end of what a server wrote before it ended, without the frames of stack traces: `bindery mcp logs` shows all of it. */
export function lastWords(stderr: string): string {
  const lines = stderr.trim().split('\n');
  const isFrame = (line: string, at: number) =>
    NODE_FRAME.test(line) || PYTHON_FRAME.test(line) || (INDENTED.test(line) && PYTHON_FRAME.test(lines[at - 1] ?? ''));
  const said = lines.filter((line, at) => line.trim() !== '' && !isFrame(line, at));
  return said.slice(-LINES_MAX).join('\n');
}
