/** A line of a text, without its line break. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** Undefined for a line that is too long, which is not kept. */
  readonly bytes: Buffer | undefined;
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

/**
 * Splits a text that arrives in chunks into lines, which end with LF or CRLF; the last one may also
 * end with the text. Whatever the chunks and the length of a line, it takes the memory of one line.
 */
export class LineSplitter {
  /** The beginning of a line that ends in a later chunk, with room for a CR. */
  private readonly partial: Buffer;
  /** The bytes of that line so far, including those for which there is no room. */
  private length = 0;
  private count = 0;

  constructor(private readonly maxLineBytes: number) {
    this.partial = Buffer.allocUnsafe(maxLineBytes + 1);
  }

  /** Yields the lines that end in the next chunk. */
  *split(chunk: Buffer): Generator<Line> {
    let start = 0;
    for (
      let end = chunk.indexOf(lineFeed);
      end !== -1;
      start = end + 1, end = chunk.indexOf(lineFeed, start)
    )
      yield this.line(chunk.subarray(start, end));
    this.keep(chunk.subarray(start));
  }

  /** Yields the last line if the text did not end with a line break. */
  *end(): Generator<Line> {
    if (this.length > 0) yield this.line(Buffer.alloc(0));
  }

  private line(rest: Buffer): Line {
    const bytes = withoutCarriageReturn(this.whole(rest));
    return {
      number: ++this.count,
      bytes: bytes === undefined || bytes.length > this.maxLineBytes ? undefined : bytes,
    };
  }

  /** The current line, which ends with `rest`; undefined if it did not fit. */
  private whole(rest: Buffer): Buffer | undefined {
    if (this.length === 0) return rest;
    this.keep(rest);
    const { length } = this;
    this.length = 0;
    return length > this.partial.length ? undefined : Buffer.from(this.partial.subarray(0, length));
  }

  private keep(part: Buffer): void {
    if (this.length < this.partial.length) part.copy(this.partial, this.length);
    this.length += part.length;
  }
}

const withoutCarriageReturn = (bytes: Buffer | undefined): Buffer | undefined =>
  bytes?.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;
