import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Metrics } from '@refledger/platform';

export interface SlowReaderLimits {
  /** How long, in milliseconds, a client may read nothing while an answer waits for it. */
  readonly patienceMs: number;
  /**
   * The most bytes that may wait in total. Beyond that, clients that have read nothing since the
   * last check are disconnected, those with the most bytes first.
   */
  readonly inAll: number;
  /** The interval between checks, in milliseconds. */
  readonly lookEveryMs: number;
}

const defaults: SlowReaderLimits = {
  patienceMs: 10_000,
  inAll: 64 * 1024 * 1024,
  lookEveryMs: 1_000,
};

/**
 * Disconnects clients that do not read their answers. Node keeps such an answer in memory for as
 * long as the connection is open, so a client that reads nothing for `patienceMs` is disconnected,
 * or sooner when the answers of all clients exceed `inAll`.
 */
export class SlowReaders {
  private readonly clients = new Map<Socket, Client>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    server: Server,
    private readonly metrics: Pick<Metrics, 'slowClientDisconnects'>,
    private readonly limits: SlowReaderLimits = defaults,
  ) {
    server.on('connection', (socket: Socket) => {
      this.clients.set(socket, { taken: 0, since: 0 });
      socket.once('close', () => this.clients.delete(socket));
    });
    this.timer = setInterval(() => this.look(performance.now()), limits.lookEveryMs).unref();
    server.once('close', () => clearInterval(this.timer));
  }

  private look(now: number): void {
    const { patienceMs, inAll } = this.limits;
    const stalled: { readonly socket: Socket; readonly waiting: number }[] = [];
    let total = 0;
    for (const [socket, client] of this.clients) {
      const waiting = socket.writableLength;
      if (waiting === 0 || tookSome(socket, client)) client.since = now;
      else if (now - client.since >= patienceMs) {
        this.cutOff(socket);
        continue;
      } else stalled.push({ socket, waiting });
      total += waiting;
    }
    for (const { socket, waiting } of stalled.sort((a, b) => b.waiting - a.waiting)) {
      if (total <= inAll) return;
      this.cutOff(socket);
      total -= waiting;
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
  /** When the client last accepted some, or nothing was waiting. */
  since: number;
}

const tookSome = (socket: Socket, client: Client): boolean => {
  const taken = socket.bytesWritten - socket.writableLength;
  const some = taken > client.taken;
  client.taken = taken;
  return some;
};
