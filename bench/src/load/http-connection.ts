import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A complete response of the server. */
export interface HttpResponse {
  readonly status: number;
  /** Status line and headers, as received. */
  readonly head: string;
  readonly body: Buffer;
}

/**
 * A persistent HTTP/1.1 connection that only sends a request and takes its response. The generator
 * shares the machine with the server, and this client costs half as much as a complete one.
 * Responses must have a Content-Length.
 */
export class HttpConnection {
  private received: Buffer | undefined;
  private waiting:
    | {
        readonly resolve: (response: HttpResponse) => void;
        readonly reject: (error: Error) => void;
      }
    | undefined;
  private failure: Error | undefined;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.take(chunk));
    socket.on('error', (error) => this.fail(error));
    socket.setTimeout(
      timeoutMs,
      () => this.waiting && this.fail(new Error(`no response for ${timeoutMs / 1_000} s`)),
    );
    socket.on('close', () => this.fail(new Error('the server closed a connection')));
  }

  static async open(origin: string): Promise<HttpConnection> {
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new HttpConnection(socket);
  }

  /** Sends a request, which is its head and body as they go over the wire. One at a time. */
  exchange(request: string): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) return reject(this.failure);
      this.waiting = { resolve, reject };
      this.socket.write(request);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    this.received = this.received === undefined ? chunk : Buffer.concat([this.received, chunk]);
    const endOfHead = this.received.indexOf('\r\n\r\n');
    if (endOfHead < 0) return;
    const head = this.received.toString('latin1', 0, endOfHead);
    const start = endOfHead + 4;
    const end = start + bodyLength(head);
    if (Number.isNaN(end))
      return this.fail(new Error(`a response without a Content-Length:\n${head}`));
    if (this.received.length < end) return;
    const body = this.received.subarray(start, end);
    this.received = undefined;
    this.waiting?.resolve({ status: Number(head.slice(9, 12)), head, body });
    this.waiting = undefined;
  }

  private fail(error: Error): void {
    this.failure ??= error;
    this.waiting?.reject(this.failure);
    this.socket.destroy();
  }
}

/** The value of a header of a response. */
export const headerOf = ({ head }: HttpResponse, name: string): string | undefined =>
  new RegExp(`\r\n${name}: ([^\r]*)`, 'i').exec(head)?.[1];

/** A server that sends nothing for this long is not slow but stuck. */
const timeoutMs = 60_000;

const bodyLength = (head: string): number => {
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  return length === undefined ? (head.startsWith('HTTP/1.1 204') ? 0 : Number.NaN) : Number(length);
};
