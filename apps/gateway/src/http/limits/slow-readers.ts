import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Metrics } from '@refledger/platform';

const defaults = {
  /** How long, in milliseconds, a client may read nothing while a response waits for it. */
  timeoutMs: 10_000,
  /**
   * The maximum number of bytes that may wait in total. Beyond that, clients that have read nothing
   * since the last check are disconnected, those with the most bytes first.
   */
  total: 64 * 1024 * 1024,
  /** The interval between checks, in milliseconds. */
  pollIntervalMs: 1_000,
};

/**
 * Disconnects clients that do not read their responses. Node keeps such a response in memory for as
 * long as the connection is open, so a client that reads nothing for `timeoutMs` is disconnected,
 * or sooner when the responses of all clients exceed `total`. The time begins once the client has
 * sent all of its request.
 */
export class SlowReaders {
  private readonly clients = new Map<Socket, Client>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    server: Server,
    private readonly metrics: Pick<Metrics, 'slowClientDisconnects'>,
    private readonly limits = defaults,
  ) {
    server.on('connection', (socket: Socket) => {
      this.clients.set(socket, { taken: 0, since: 0, request: undefined });
      socket.once('close', () => this.clients.delete(socket));
    });
    server.on('request', (request: IncomingMessage) => {
      const client = this.clients.get(request.socket);
      if (client !== undefined) client.request = request;
    });
    this.timer = setInterval(() => this.check(performance.now()), limits.pollIntervalMs).unref();
    server.once('close', () => clearInterval(this.timer));
  }

  private check(now: number): void {
    const { timeoutMs, total } = this.limits;
    const stalled: { readonly socket: Socket; readonly waiting: number }[] = [];
    let waitingBytes = 0;
    for (const [socket, client] of this.clients) {
      const waiting = socket.writableLength;
      const reads = waiting === 0 || hasRead(socket, client);
      // a client may send all of its request before it reads, for as long as a request may take
      if (reads || client.request?.complete === false) client.since = now;
      if (now - client.since >= timeoutMs) {
        this.cutOff(socket);
        continue;
      }
      if (!reads) stalled.push({ socket, waiting });
      waitingBytes += waiting;
    }
    for (const { socket, waiting } of stalled.sort((a, b) => b.waiting - a.waiting)) {
      if (waitingBytes <= total) return;
      this.cutOff(socket);
      waitingBytes -= waiting;
    }
  }

  private cutOff(socket: Socket): void {
    this.metrics.slowClientDisconnects.inc();
    this.clients.delete(socket);
    socket.destroy();
  }
}

interface Client {
  /** The bytes that the client's machine had accepted by the last check. */
  taken: number;
  /** The last time that the client accepted bytes or that no bytes were waiting for it. */
  since: number;
  request: IncomingMessage | undefined;
}

const hasRead = (socket: Socket, client: Client): boolean => {
  const taken = socket.bytesWritten - socket.writableLength;
  const some = taken > client.taken;
  client.taken = taken;
  return some;
};
