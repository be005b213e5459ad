import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { scaledTimeout } from '@refledger/testing';

/** A connection that sends raw bytes and records the responses. */
export class RawConnection {
  private text = '';

  private constructor(
    private readonly socket: Socket,
    reads: boolean,
  ) {
    socket.on('error', () => undefined);
    if (reads) socket.on('data', (chunk) => (this.text += chunk.toString('latin1')));
  }

  /** Opens a connection. With `reads: false` it never reads anything. */
  static async open(baseUrl: string, { reads = true } = {}): Promise<RawConnection> {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    const connection = new RawConnection(socket, reads);
    await once(socket, 'connect');
    return connection;
  }

  /** Everything received so far. */
  get received(): string {
    return this.text;
  }

  /** The status of each response so far, in order. */
  get statuses(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 ([2-5]\d\d) /g)].map(([, status]) => Number(status));
  }

  get isClosed(): boolean {
    return this.socket.closed;
  }

  write(bytes: string): void {
    if (this.socket.writable) this.socket.write(Buffer.from(bytes, 'latin1'));
  }

  /** Resolves once the connection is closed. Rejects after `timeoutMs` milliseconds. */
  async closed(timeoutMs = scaledTimeout(10_000)): Promise<void> {
    if (this.socket.closed) return;
    await once(this.socket, 'close', { signal: AbortSignal.timeout(timeoutMs) });
  }

  /** Ends its side of the connection, and waits until the other side closes. */
  async finish(): Promise<void> {
    this.socket.end();
    await this.closed();
  }

  drop(): void {
    this.socket.destroy();
  }
}
