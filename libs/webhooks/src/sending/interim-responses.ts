import type { Readable } from 'node:stream';
import { SendFailure } from './send-failure.js';

/** Drops the interim responses (1xx) that arrive on a connection. */
export interface InterimResponses {
  /** Notes that the next byte to arrive begins a response. */
  startResponse(): void;
}

/**
 * Wraps `read` of a socket, so that its reader gets only final responses. A client must be able to
 * read any 1xx, even if it expects none (RFC 9110 §15.2), but undici 7 ends the connection at a
 * `100 Continue`. A 101 is passed on, since what follows it is not HTTP. More than 64 KiB without a
 * final response destroy the socket.
 */
export const dropInterimResponses = (socket: Readable): InterimResponses => {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let start: ResponseStart | undefined;
  socket.read = (size?: number): Buffer | null => {
    const chunk = read(size);
    if (start === undefined || chunk === null) return chunk;
    const final = start.add(chunk);
    if (final !== undefined) start = undefined;
    else if (start.received > maxInterimBytes)
      socket.destroy(new SendFailure('too_long', 'too many interim responses'));
    return final ?? null;
  };
  return { startResponse: () => void (start = new ResponseStart()) };
};

/** The bytes of a connection up to the beginning of a final response. */
class ResponseStart {
  received = 0;
  /** The last bytes, which cannot be understood without those after them. */
  private rest: Buffer = Buffer.alloc(0);
  private isInHead = false;

  /** Returns the bytes so far that belong to the final response; undefined while there are none. */
  add(chunk: Buffer): Buffer | undefined {
    this.received += chunk.length;
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const text = bytes.toString('latin1');
    let at = 0;
    for (;;) {
      if (this.isInHead) at = endOfHead(text, at);
      if (at === -1) return this.keep(bytes.subarray(-longestPartOfEnd));
      const kind = kindOf(text.slice(at, at + statusShape.length));
      this.isInHead = kind === 'interim';
      if (kind === 'unknown') return this.keep(bytes.subarray(at));
      if (kind === 'final') return bytes.subarray(at);
    }
  }

  private keep(rest: Buffer): undefined {
    this.rest = rest;
  }
}

/** What begins here; unknown until its status is there. */
const kindOf = (start: string): 'interim' | 'final' | 'unknown' => {
  if (!statusShape.startsWith(start.replace(/\d/g, '0'))) return 'final';
  if (start.length < statusShape.length) return 'unknown';
  return start[9] === '1' && !start.endsWith('101') ? 'interim' : 'final';
};

/** The beginning of every response, with 0 for any digit. */
const statusShape = 'HTTP/0.0 000';

/** The index after the head that index `from` is in; -1 if it does not end. */
const endOfHead = (text: string, from: number): number => {
  // a single LF may end a line, too (RFC 9112 §2.2)
  const end = /\r?\n\r?\n/g;
  end.lastIndex = from;
  return end.test(text) ? end.lastIndex : -1;
};
const longestPartOfEnd = 3;

const maxInterimBytes = 64 * 1024;
